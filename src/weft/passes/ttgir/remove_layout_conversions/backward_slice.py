"""The backward slice of a conversion: what to compute in another layout to make it unnecessary.

    %r = tt.make_range               #s    can be created in any layout
    %o = arith.muli %r, %c           #s
    %e = tt.expand_dims %o           #a
    %x = ttg.convert_layout %e : #a -> #b           needs %e in #b

%e in #b needs %o in #slice<#b>, which needs %c and %r in #slice<#b>; these can be created in any
layout. So the slice is {%e: #b, %o: #slice<#b>, %c: #slice<#b>, %r: #slice<#b>}.

The slice continues through conditionals and loops. It ends at operands that have the needed layout
already and at values that were rematerialized in it before. There is no slice if a value is needed
in two layouts, or if no operand layout follows from a result layout.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct, field

from weft.analysis.encoding_inference import operand_encoding
from weft.ir import scf, tt, ttg, types
from weft.ir.builtin import BlockArgument, Operation, OpResult, SSAValue
from weft.layouts import Encoding
from weft.passes.ttgir.remove_layout_conversions.dominance import dominates
from weft.passes.ttgir.remove_layout_conversions.free_conversions import (
    can_fold_conversion,
    is_free_conversion,
)
from weft.passes.ttgir.remove_layout_conversions.rematerialized_values import RematerializedValues

__all__ = ["BackwardSlice", "SliceError", "StopPredicate"]

StopPredicate = Callable[[Operation], bool]
"""Decides whether a slice ends at an operation, although it could continue to its operands."""

_Use = tuple[SSAValue, Operation, Encoding]
"""(a value, the user that needs it, the layout that the user needs)."""

# Operations whose results do not follow from operands of the same layout.
_OPAQUE = frozenset({scf.ForOp, scf.WhileOp, ttg.WarpSpecializeOp})


class SliceError(Exception):
    """A value cannot be computed in the needed layout; the message is the reason."""


class BackwardSlice(Struct):
    """The values to compute in another layout.

    Attributes:
        values: In the order of discovery.
        layouts: The layout that each value is needed in.
        reused: Values that exist in the needed layout already. None if the existing value does not
            dominate every user, so that it must be computed again.
    """

    values: dict[SSAValue, None] = field(default_factory=dict)
    layouts: dict[SSAValue, Encoding] = field(default_factory=dict)
    reused: dict[tuple[SSAValue, Encoding], SSAValue | None] = field(default_factory=dict)

    def copy(self) -> BackwardSlice:
        """Copy the slice."""
        return BackwardSlice(dict(self.values), dict(self.layouts), dict(self.reused))

    def extend(
        self,
        op: Operation,
        index: int,
        encoding: Encoding,
        rematerialized: RematerializedValues,
        stop: StopPredicate | None = None,
    ) -> None:
        """Add everything that is needed to have an operand in a layout.

        Args:
            op: The user.
            index: The index of the operand.
            encoding: The layout.
            rematerialized: Values that exist in other layouts.
            stop: Where to end the slice.

        Raises:
            SliceError: The operand cannot be computed in the layout. The slice is incomplete then.
        """
        visited: set[tuple[int, int]] = set()
        worklist: list[_Use] = [(op.operands[index], op, encoding)]
        while worklist:
            value, user, layout = worklist.pop()
            if not types.is_tensor(value.type):
                continue
            if type(value) is OpResult and type(value.op) in _OPAQUE:
                raise SliceError(f"it is a result of {value.op.name}")
            # Each value has one layout in the slice, so its copy can replace every use in it.
            self._require(value, layout)
            self.values[value] = None
            if self._can_reuse(value, layout, user, rematerialized):
                continue
            # Visit an operation once for all its results; the results of an scf.if are independent.
            is_joint = type(value) is OpResult and type(value.op) is not scf.IfOp
            key = (id(value.owner if is_joint else value), id(layout))
            if key not in visited:
                visited.add(key)
                worklist += self._sources(value, layout, stop)

    def _require(self, value: SSAValue, layout: Encoding) -> None:
        if self.layouts.setdefault(value, layout) is not layout:
            raise SliceError("a value would be needed in two layouts")

    def _can_reuse(
        self,
        value: SSAValue,
        layout: Encoding,
        user: Operation,
        rematerialized: RematerializedValues,
    ) -> bool:
        """Check whether a value exists in a layout and is available to a user."""
        other = rematerialized.get(value, layout)
        if other is None:
            return False
        if dominates(other, user):
            self.reused.setdefault((value, layout), other)
            return True
        # One user that the existing value does not dominate is enough: all use the new copy.
        self.reused[value, layout] = None
        return False

    def _sources(self, value: SSAValue, layout: Encoding, stop: StopPredicate | None) -> list[_Use]:
        """List what a value is computed from, and in which layouts for this one."""
        if type(value) is not OpResult:
            return _loop_carried_sources(value, layout)
        op = value.op
        if isinstance(op, scf.IfOp):
            if stop is not None and stop(op):
                return []
            # Either branch may have computed the value, so both yield it in the new layout.
            terminators = [_terminator(op, branch) for branch in (0, 1)]
            return [(last.operands[value.index], last, layout) for last in terminators]
        # An operation with several results gives all of them the same layout.
        for other in op.results:
            if other is not value and types.is_tensor(other.type):
                self._require(other, layout)
                self.values[other] = None
        if is_free_conversion(op):
            # The operand in the new layout replaces the conversion as well.
            return [(op.operands[0], op, layout)]
        if can_fold_conversion(op, layout) or (stop is not None and stop(op)):
            return []
        return _operand_uses(op, layout)


def _loop_carried_sources(value: SSAValue, layout: Encoding) -> list[_Use]:
    """List the init arg and the yielded value of an iter_arg; only scf.for can be rewritten."""
    assert isinstance(value, BlockArgument)
    loop = value.block.parent_op()
    if not isinstance(loop, scf.ForOp):
        raise SliceError("it is an argument of a function or of an scf.while")
    index = loop.iter_arg_index(value)
    assert index is not None
    return [
        (loop.init_args[index], loop, layout),
        (loop.yielded_values[index], loop.terminator, layout),
    ]


def _terminator(op: scf.IfOp, branch: int) -> Operation:
    terminator = op.regions[branch].block.last_op
    assert terminator is not None
    return terminator


def _operand_uses(op: Operation, layout: Encoding) -> list[_Use]:
    """List the operands that need another layout for the results to have a layout."""
    cls = type(op)
    if cls is tt.GatherOp:
        return [(op.operands[1], op, layout)]  # the result has the layout of the indices
    if cls is tt.CatOp:
        raise SliceError("tt.cat concatenates registers and has a fixed layout")
    uses: list[_Use] = []
    for index, value in enumerate(op.operands):
        encoding = operand_encoding(op, layout, index)
        if encoding is None:
            raise SliceError(f"no operand layout of {op.name} follows from {layout}")
        if types.encoding(value.type) is not encoding:
            uses.append((value, op, encoding))
    return uses
