"""Keep one constant of each value at the start of its function.

    scf.for … {                         %c1 = arith.constant 1 : i32     ← moved to the start
      %c1 = arith.constant 1 : i32  →   scf.for … {
      %c1_0 = arith.constant 1 : i32      … both uses read %c1 …
    }                                   }

A constant that moves goes before the first operation of the entry block. One that directly follows
constants of the pool stays where it is. This is the order that MLIR's OperationFolder produces. The
location of a constant that stands for several, or comes from another block, is unknown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.ir import locations
from weft.ir.builtin import Attribute, Block, Operation
from weft.passes.rewrite.traits import is_isolated_from_above

if TYPE_CHECKING:
    from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["ConstantPool", "constant_insertion_block"]


def constant_insertion_block(block: Block) -> Block:
    """Find the block at whose start the constants of a block belong.

    It is the entry block of the enclosing function, or of the enclosing warp partition.
    """
    region = block.parent
    while region is not None and region.parent is not None:
        parent = region.parent
        if is_isolated_from_above(type(parent)) or parent.parent is None:
            break
        region = parent.parent.parent
    assert region is not None
    entry = region.blocks.first
    assert entry is not None
    return entry


class ConstantPool:
    """The unique constants of one walk, by value, type and function."""

    __slots__ = ("_block", "_constants", "_parent", "_pooled", "_rewriter")

    def __init__(self, rewriter: Rewriter) -> None:
        self._rewriter = rewriter
        # By the identity of the block, the class of the operation, and the value.
        self._constants: dict[tuple[int, type, Attribute, Attribute], Operation] = {}
        # The last block with constants, and the one at whose start they belong.
        self._parent: Block | None = None
        self._block: Block | None = None
        self._pooled: set[Operation] = set()

    def add(self, op: Operation) -> bool:
        """Move a constant to its place, or replace it by an equal one of the pool.

        Returns:
            False if the operation was replaced and erased.
        """
        assert op.parent is not None
        if op.parent is not self._parent:
            self._parent, self._block = op.parent, constant_insertion_block(op.parent)
        block = self._block
        assert block is not None
        # The attribute of poison is the same for all types.
        key = (id(block), type(op), op.properties["value"], op.results[0].type)
        equal = self._constants.setdefault(key, op)
        if equal is not op:
            self._rewriter.replace(op, equal.results)
            equal.location = locations.unknown
            return False
        previous = op.prev_op
        if op.parent is not block or (previous is not None and previous not in self._pooled):
            first, origin = block.first_op, op.parent
            op.detach()
            if first is None:
                block.add_op(op)
            else:
                block.insert_op_before(op, first)
            if origin is not block:
                op.location = locations.unknown
        self._pooled.add(op)
        return True
