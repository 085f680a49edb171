"""Keep one constant of each value at the front of its function.

    scf.for … {                         %c1 = arith.constant 1 : i32     ← moved to the front
      %c1 = arith.constant 1 : i32  →   scf.for … {
      %c1_0 = arith.constant 1 : i32      … both uses read %c1 …
    }                                   }

A constant that has to move goes before the first operation of the entry block; one that
already stands directly behind constants kept before it stays where it is.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from xdsl.traits import IsolatedFromAbove

from weft.ir import locations
from weft.ir.builtin import Attribute, Block, Operation, Region

if TYPE_CHECKING:
    from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["ConstantPool", "home_of"]


@cache
def _is_isolated(cls: type[Operation]) -> bool:
    return cls.has_trait(IsolatedFromAbove)


def home_of(block: Block) -> Block:
    """Return the block at whose front a block's constants belong.

    That is the entry of the function, or of the partition of warps, around it.
    """
    region: Region | None = block.parent
    while region is not None and region.parent is not None:
        above = region.parent
        if _is_isolated(type(above)) or above.parent is None:
            break
        region = above.parent.parent
    assert region is not None
    entry = region.blocks.first
    assert entry is not None
    return entry


class ConstantPool:
    """The constants met in one walk, one of each value, type and function."""

    __slots__ = ("_known", "_owned", "_rewriter")

    def __init__(self, rewriter: Rewriter) -> None:
        self._rewriter = rewriter
        self._known: dict[tuple[Block, type, Attribute], Operation] = {}
        self._owned: set[Operation] = set()

    def keep(self, op: Operation) -> bool:
        """Move a constant to its place, or replace it by its twin.

        Returns: False where the twin took its place and `op` is gone.
        """
        assert op.parent is not None
        home = home_of(op.parent)
        # The attribute of a constant says its type; hashing it once is enough.
        key = (home, type(op), op.properties.get("value") or op.results[0].type)
        twin = self._known.get(key)
        if twin is not None:
            self._rewriter.replace(op, twin.results)
            twin.location = locations.unknown
            return False
        before = op.prev_op
        if op.parent is not home or (before is not None and before not in self._owned):
            first = home.first_op
            op.detach()
            if first is None:
                home.add_op(op)
            else:
                home.insert_op_before(op, first)
            op.location = locations.unknown
        self._known[key] = op
        self._owned.add(op)
        return True
