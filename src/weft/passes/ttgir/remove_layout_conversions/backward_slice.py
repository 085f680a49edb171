"""What would have to be computed in another layout for a value to be there without conversion.

    %r = tt.make_range               #s    any layout
    %o = arith.muli %r, %c           #s
    %e = tt.expand_dims %o           #a
    %x = ttg.convert_layout %e : #a -> #b           wanted: %e in #b

Going back from %e: %e in #b needs %o in #slice<#b>, that needs %c and %r, which can be made in any
layout. The slice is {%e: #b, %o: #slice<#b>, %c: …, %r: …}. It goes through conditionals and loops.
It fails where a value would be needed in two layouts, or no layout follows; it ends at operands
that have their layout already, and at values that were computed in it before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from weft.analysis.encoding_inference import operand_encoding
from weft.ir import scf, tt, ttg, types
from weft.ir.builtin import BlockArgument, Operation, OpResult, SSAValue
from weft.layouts import Encoding
from weft.passes.ttgir.remove_layout_conversions.free import can_take_result, is_free_conversion
from weft.passes.ttgir.remove_layout_conversions.known import Known
from weft.passes.ttgir.remove_layout_conversions.order import dominates

__all__ = ["NoSlice", "Slice", "Stop"]

Stop = Callable[[Operation], bool]
# A value, which operation reads it, and in which layout it is wanted there.
_Edge = tuple[SSAValue, Operation, Encoding]

# What these give is made inside of them: there is no operand to ask for another layout.
_CLOSED = frozenset({scf.ForOp, scf.WhileOp, ttg.WarpSpecializeOp})


class NoSlice(Exception):
    """A value cannot be computed in the layout that is wanted; says why."""


@dataclass(slots=True)
class Slice:
    """Values to compute again, in the order in which they were found, and in which layouts.

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
        values = self.values
        entered: set[tuple[int, int]] = set()
        todo: list[_Edge] = [(op.operands[index], op, encoding)]
        while todo:
            value, reader, wanted = todo.pop()
            if not types.is_tensor(value.type):
                continue
            if type(value) is OpResult and type(value.op) in _CLOSED:
                raise NoSlice(f"{value.op.name} gives it")
            self._want(value, wanted)
            values[value] = None
            if self._is_known(value, wanted, reader, known):
                continue
            # Whatever an operation reads is wanted with all its results at once.
            made = value.op if type(value) is OpResult and type(value.op) is not scf.IfOp else value
            key = (id(made), id(wanted))
            if key not in entered:
                entered.add(key)
                todo += self._sources(value, wanted, stop)

    def _want(self, value: SSAValue, wanted: Encoding) -> None:
        if self.layouts.setdefault(value, wanted) is not wanted:
            raise NoSlice("a value would be needed in two layouts")

    def _is_known(self, value: SSAValue, wanted: Encoding, reader: Operation, known: Known) -> bool:
        """Tell whether a reader can read a value that was computed in the layout before."""
        other = known.get(value, wanted)
        if other is None:
            return False
        if dominates(other, reader):
            self.reused.setdefault((value, wanted), other)
            return True
        self.reused[value, wanted] = None
        return False

    def _sources(self, value: SSAValue, wanted: Encoding, stop: Stop | None) -> list[_Edge]:
        """Return what a value is computed from, and in which layouts for this one."""
        if type(value) is not OpResult:
            return _carried(value, wanted)
        made = value.op
        if isinstance(made, scf.IfOp):
            if stop is not None and stop(made):
                return []
            lasts = [_last(made, side) for side in (0, 1)]
            return [(last.operands[value.index], last, wanted) for last in lasts]
        for other in made.results:
            if other is not value and types.is_tensor(other.type):
                self._want(other, wanted)
                self.values[other] = None
        if is_free_conversion(made):
            return [(made.operands[0], made, wanted)]
        if can_take_result(made, wanted) or (stop is not None and stop(made)):
            return []
        return _operands(made, wanted)


def _carried(value: SSAValue, wanted: Encoding) -> list[_Edge]:
    """Return what a loop's argument is; only what a counted loop carries can be carried twice."""
    assert isinstance(value, BlockArgument)
    loop = value.block.parent_op()
    if not isinstance(loop, scf.ForOp):
        raise NoSlice("an argument of a function, or of a loop that does not count")
    index = loop.iter_arg_index(value)
    assert index is not None
    init, yielded = loop.init_args[index], loop.yielded_values[index]
    return [(init, loop, wanted), (yielded, loop.terminator, wanted)]


def _last(op: scf.IfOp, side: int) -> Operation:
    last = op.regions[side].block.last_op
    assert last is not None
    return last


def _operands(op: Operation, wanted: Encoding) -> list[_Edge]:
    """Return the operands that have to change, with the layouts that the results' one asks for."""
    cls = type(op)
    if cls is tt.GatherOp:
        return [(op.operands[1], op, wanted)]
    if cls is tt.CatOp:
        raise NoSlice("tt.cat puts registers together: it has one layout")
    edges: list[_Edge] = []
    for index, value in enumerate(op.operands):
        encoding = operand_encoding(op, wanted, index)
        if encoding is None:
            raise NoSlice(f"no layout of the operands of {op.name} follows from {wanted}")
        if types.encoding(value.type) is not encoding:
            edges.append((value, op, encoding))
    return edges
