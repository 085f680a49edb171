"""What would have to be computed in another layout for a value to be there without conversion.

    %r = tt.make_range               #s    any layout
    %o = arith.muli %r, %c           #s
    %e = tt.expand_dims %o           #a
    %x = ttg.convert_layout %e : #a -> #b           wanted: %e in #b

Going back from %e: %e in #b needs %o in #slice<#b>, that needs %c and %r, which can be made in any
layout. The slice is {%e: #b, %o: #slice<#b>, %c: …, %r: …}. It goes through conditionals and loops.
It fails where a value would be needed in two layouts, or no layout follows; it ends at values that
have the layout already, or that were computed in it before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from weft.analysis.encodings import operand_encoding
from weft.ir import scf, tt, ttg, types
from weft.ir.builtin import BlockArgument, Operation, OpResult, SSAValue
from weft.layouts import Encoding
from weft.passes.ttgir.remove_layout_conversions.free import can_take_result, is_free_conversion
from weft.passes.ttgir.remove_layout_conversions.known import Known
from weft.passes.ttgir.remove_layout_conversions.order import dominates

__all__ = ["NoSlice", "Slice", "Stop"]

Stop = Callable[[Operation], bool]
_Edge = tuple[Operation, int, Encoding]

# What these give is made inside of them: there is no operand to ask for another layout.
_CLOSED = (scf.ForOp, scf.WhileOp, ttg.WarpSpecializeOp)


class NoSlice(Exception):
    """A value cannot be computed in the layout that is wanted; says why."""


@dataclass(slots=True)
class Slice:
    """Values to compute again, in the order in which they were found, and in which layouts.

    layouts: also of values that end the slice since they have that layout already.
    reused: values that were computed in a layout before; None where some reader cannot reach them.
    """

    values: dict[SSAValue, None] = field(default_factory=dict)
    layouts: dict[SSAValue, Encoding] = field(default_factory=dict)
    reused: dict[tuple[SSAValue, Encoding], SSAValue | None] = field(default_factory=dict)

    def copy(self) -> Slice:
        """Return a slice that can grow on its own."""
        return Slice(dict(self.values), dict(self.layouts), dict(self.reused))

    def grow(
        self,
        op: Operation,
        index: int,
        encoding: Encoding,
        known: Known,
        stop: Stop | None = None,
    ) -> None:
        """Add what operand `index` of an operation needs to be had in a layout.

        Args: stop: the slice does not go on behind operations for which it is true.
        Raises: NoSlice; the slice is then of no use any more.
        """
        seen: set[_Edge] = {(op, index, encoding)}
        todo: list[_Edge] = [(op, index, encoding)]
        while todo:
            reader, at, wanted = todo.pop()
            for edge in self._sources(reader, at, wanted, known, stop):
                if edge not in seen:
                    seen.add(edge)
                    todo.append(edge)

    def _sources(
        self, reader: Operation, at: int, wanted: Encoding, known: Known, stop: Stop | None
    ) -> list[_Edge]:
        """Add one value; return the operands that it is computed from, with their layouts."""
        value = reader.operands[at]
        if not types.is_tensor(value.type):
            return []
        if not isinstance(value, OpResult):
            return self._carried(value, reader, wanted, known)
        made = value.op
        if isinstance(made, _CLOSED):
            raise NoSlice(f"{made.name} gives it")
        if not self._add(value, reader, wanted, known):
            return []
        if isinstance(made, scf.IfOp):
            if stop is not None and stop(made):
                return []
            return [(_yield(made, side), value.index, wanted) for side in (0, 1)]
        for other in made.results:
            if other is not value and types.is_tensor(other.type):
                self._want(other, wanted)
                self.values[other] = None
        if is_free_conversion(made):
            return [(made, 0, wanted)]
        if can_take_result(made, wanted) or (stop is not None and stop(made)):
            return []
        return _operands(made, wanted)

    def _add(self, value: SSAValue, reader: Operation, wanted: Encoding, known: Known) -> bool:
        """Add a value; return whether what it is computed from is needed, too."""
        self._want(value, wanted)
        if types.encoding(value.type) is wanted:
            return False
        self.values[value] = None
        key = (value, wanted)
        other = known.get(key)
        if other is None:
            return True
        if dominates(other, reader):
            self.reused.setdefault(key, other)
            return False
        self.reused[key] = None
        return True

    def _want(self, value: SSAValue, wanted: Encoding) -> None:
        if self.layouts.setdefault(value, wanted) is not wanted:
            raise NoSlice("a value would be needed in two layouts")

    def _carried(
        self, value: SSAValue, reader: Operation, wanted: Encoding, known: Known
    ) -> list[_Edge]:
        """Add a block's argument; only what a counted loop carries can be carried twice."""
        if not self._add(value, reader, wanted, known):
            return []
        assert isinstance(value, BlockArgument)
        loop = value.block.parent_op()
        if not isinstance(loop, scf.ForOp):
            raise NoSlice("an argument of a function, or of a loop that does not count")
        carried = value.index - 1
        return [(loop, 3 + carried, wanted), (loop.terminator, carried, wanted)]


def _yield(op: scf.IfOp, side: int) -> Operation:
    last = op.regions[side].block.last_op
    assert last is not None
    return last


def _operands(op: Operation, wanted: Encoding) -> list[_Edge]:
    """Return the operands of an operation with the layouts that its results' layout asks for."""
    if isinstance(op, tt.GatherOp):
        return [(op, 1, wanted)]
    if isinstance(op, tt.CatOp):
        raise NoSlice("tt.cat puts registers together: it has one layout")
    edges: list[_Edge] = []
    for index in range(len(op.operands)):
        encoding = operand_encoding(op, wanted, index)
        if encoding is None:
            raise NoSlice(f"no layout of the operands of {op.name} follows from {wanted}")
        edges.append((op, index, encoding))
    return edges
