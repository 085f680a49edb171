"""Remove layout conversions: compute values in the layouts of memory accesses and dots.

Before:  %c = ttg.convert_layout %p : #blocked -> #coalesced
         %v = tt.load %c : #coalesced
         %w = ttg.convert_layout %v : #coalesced -> #blocked
         %x = arith.mulf %w, %k : #blocked
         %y = ttg.convert_layout %x : #blocked -> #coalesced
         tt.store %c, %y
After:   %v = tt.load %p : #coalesced               (%p is computed in #coalesced)
         %x = arith.mulf %v, %k : #coalesced
         tt.store %p, %x

The pass has three phases.

1. Forward propagation. The layouts of *anchors*, operations whose layout matters (memory accesses
   and dots, see `layout_anchors`), propagate to the users of their results (`layout_propagation`).
   A value that several layouts reach takes one of them (`conflict_resolution`). Then the function
   is rewritten, with conversions where a user needs another layout (`layout_rewriting`). Above, the
   load is an anchor, so %w, %x and %y take #coalesced.
2. Backward rematerialization, until nothing changes. For each conversion that remains, collect the
   backward slice of its operand (`backward_slice`). If computing the slice in the target layout
   costs less than the conversion (`cost_model`), duplicate the slice (`slice_rewriting`) and erase
   the conversion (`backward_rematerialization`). Above, %p is computed in #coalesced instead of
   being converted.
3. Hoisting. Conversions that still remain move to a cheaper place: before an operation that makes
   elements wider or more (`hoist_over_extensions`), into one branch of a conditional
   (`hoist_into_conditionals`), or, for dot operands, next to the loads (`hoist_dot_operands`).

Each phase ends with a clean-up (`cleanup`) that folds conversions and erases dead code.

Requires layouts and "ttg.threads-per-warp". Preserves values and the layouts of anchors.
Source: measured on Triton 3.7.1 (`tritongpu-remove-layout-conversions`) and its debug output.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from msgspec import Struct

from weft.ir import scf, tt, ttg, types
from weft.ir.builtin import ModuleOp, Operation
from weft.passes.ttgir.remove_layout_conversions.backward_rematerialization import (
    conversions_in,
    rematerialize,
)
from weft.passes.ttgir.remove_layout_conversions.cleanup import (
    fold_conversions,
    fold_conversions_from,
    simplify_control_flow,
)
from weft.passes.ttgir.remove_layout_conversions.conflict_resolution import resolve_conflicts
from weft.passes.ttgir.remove_layout_conversions.decision_records import DecisionRecorder
from weft.passes.ttgir.remove_layout_conversions.dominance import operations
from weft.passes.ttgir.remove_layout_conversions.hoist_dot_operands import (
    hoist_to_loads,
    matrix_dots,
)
from weft.passes.ttgir.remove_layout_conversions.hoist_into_conditionals import (
    hoist_into_conditional,
)
from weft.passes.ttgir.remove_layout_conversions.hoist_over_extensions import hoist_over_extension
from weft.passes.ttgir.remove_layout_conversions.layout_anchors import LayoutAnchors
from weft.passes.ttgir.remove_layout_conversions.layout_propagation import (
    Origins,
    propagate_layouts,
)
from weft.passes.ttgir.remove_layout_conversions.layout_rewriting import LayoutRewriting
from weft.passes.ttgir.remove_layout_conversions.rematerialized_values import RematerializedValues

__all__ = ["RemoveLayoutConversions"]


class RemoveLayoutConversions(Struct, frozen=True):
    """Computes values in the layouts of anchors, and keeps only conversions that pay off."""

    name: ClassVar[str] = "tritongpu-remove-layout-conversions"

    def run(self, module: ModuleOp) -> None:
        """Change layouts and remove conversions in place.

        Raises:
            PassError: The module has no layouts.
        """
        functions = [op for op in module.body.block.ops if isinstance(op, tt.FuncOp)]
        anchors = LayoutAnchors.of(module)
        recorder = DecisionRecorder(self)
        for function in functions:
            _propagate_forward(function, anchors, recorder)
        # The rewrite converts to and fro; folding leaves one conversion per change of layout, so
        # that phase 2 compares costs only for those.
        fold_conversions(module)
        _rematerialize_backward(module, functions, anchors, recorder)
        affected: dict[Operation, None] = {}
        for function in functions:
            affected |= _hoist(function, anchors, recorder)
        simplify_control_flow(module, functions, affected)
        recorder.record_remaining(functions)


def _propagate_forward(
    function: tt.FuncOp, anchors: LayoutAnchors, recorder: DecisionRecorder
) -> None:
    """Phase 1: compute values in the layouts of the anchors that they depend on."""
    origins: Origins | None = {} if recorder.enabled else None
    candidates = propagate_layouts(function, anchors, origins)
    layouts = resolve_conflicts(candidates)
    if origins is not None:
        recorder.record_propagation(candidates, layouts, origins)
    LayoutRewriting(layouts).run(function.regions[0])


def _rematerialize_backward(
    module: ModuleOp,
    functions: list[tt.FuncOp],
    anchors: LayoutAnchors,
    recorder: DecisionRecorder,
) -> None:
    """Phase 2: recompute the operands of conversions where that is cheaper, until no more is."""
    worklist = functions
    while worklist:
        results = {function: rematerialize(function, anchors, recorder) for function in worklist}
        affected = [op for ops in results.values() if ops is not None for op in ops]
        # Only a function that changed can have new opportunities.
        worklist = [function for function, ops in results.items() if ops is not None]
        fold_conversions_from(module, affected)


def _hoist(
    function: tt.FuncOp, anchors: LayoutAnchors, recorder: DecisionRecorder
) -> dict[Operation, None]:
    """Phase 3: move the remaining conversions to where they cost less.

    Returns:
        The affected operations, for the clean-up.
    """

    def over_extension(conversion: ttg.ConvertLayoutOp, values: RematerializedValues) -> bool:
        return hoist_over_extension(conversion, anchors, values, recorder)

    def into_conditional(conversion: ttg.ConvertLayoutOp, values: RematerializedValues) -> bool:
        return hoist_into_conditional(conversion, anchors, values, recorder)

    def to_loads(conversion: ttg.ConvertLayoutOp, values: RematerializedValues) -> bool:
        return hoist_to_loads(conversion, dots, values, recorder)

    # Over extensions first: a conversion of fewer bytes is also cheaper inside a branch. The
    # conversions to dot operands, which the first two steps skip, come last.
    affected = _for_each_conversion(function, over_extension)
    if any(type(op) is scf.IfOp for op in operations(function)):
        affected |= _for_each_conversion(function, into_conditional)
    dots = matrix_dots(function)
    return affected | _for_each_conversion(function, to_loads) if dots else affected


def _for_each_conversion(
    function: tt.FuncOp, hoist: Callable[[ttg.ConvertLayoutOp, RematerializedValues], bool]
) -> dict[Operation, None]:
    """Try to hoist each conversion of a function; return the affected operations."""
    values = RematerializedValues()
    for conversion in conversions_in(function):
        target = types.encoding(conversion.result.type)
        assert target is not None
        if not hoist(conversion, values):
            # The conversion stays, so its result is available to later slices.
            values.add(conversion.src, target, conversion.result)
    return values.finish()
