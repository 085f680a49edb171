"""Which layouts an operation relates: the kinds of nodes.

    arith.addf %x, %y                  SAME         operands and results have one layout
    tt.expand_dims %x                  INFERRED     the operand's layout determines the result's
    arith.constant                     SOURCE       any layout
    ttg.local_store %x, %buffer        SINK         any layout
    tt.dot %a, %b, %c                  DOT          the result's layout determines the operands'
    tt.gather %x[%i]                   FIXED        the layouts that the module has
    an iter_arg of scf.for             CARRIED      the same before, in and after the loop
    an argument of a function          ARGUMENT     the layout that the module has

An operation that is not listed is FIXED, so that the layouts that earlier passes gave it stay.
"""

from __future__ import annotations

from enum import Enum, auto

from weft.analysis.encoding_inference import ELEMENTWISE
from weft.ir import amdg, arith, tt, ttg, types
from weft.ir.attributes import number
from weft.ir.builtin import Operation
from weft.ir.interfaces import Effect, get_effects, is_memory_effect_free
from weft.optimum.dot_tilings import has_tilings

__all__ = ["Kind", "computes_once", "is_required", "kind_of"]


class Kind(Enum):
    """Which layouts an operation relates."""

    SAME = auto()
    INFERRED = auto()
    SOURCE = auto()
    SINK = auto()
    DOT = auto()
    FIXED = auto()
    CARRIED = auto()
    ARGUMENT = auto()


_SAME = ELEMENTWISE | {
    amdg.BufferLoadOp,
    amdg.BufferStoreOp,
    tt.BroadcastOp,
    tt.LoadOp,
    tt.StoreOp,
}
_INFERRED = frozenset(
    {
        tt.ExpandDimsOp,
        tt.JoinOp,
        tt.ReduceOp,
        tt.ReshapeOp,
        tt.ScanOp,
        tt.SplitOp,
        tt.TransOp,
        ttg.Fp4ToFpOp,
    }
)
_SOURCES = frozenset({arith.ConstantOp, tt.MakeRangeOp, tt.SplatOp, ttg.LocalLoadOp})
_SINKS = frozenset({tt.AssertOp, ttg.AsyncCopyGlobalToLocalOp, ttg.LocalAllocOp, ttg.LocalStoreOp})


def kind_of(op: Operation) -> Kind:
    """Classify an operation that has tensor operands or results."""
    cls = type(op)
    if cls in _SAME:
        return Kind.FIXED if _packs_elements(op) or _is_volatile(op) else Kind.SAME
    if cls in _INFERRED:
        # A reshape that may reorder elements computes other values in other layouts.
        return Kind.FIXED if "allow_reorder" in op.properties else Kind.INFERRED
    if cls in _SOURCES:
        return Kind.SOURCE
    if cls in _SINKS:
        return Kind.SINK
    if has_tilings(op):
        return Kind.DOT
    return Kind.FIXED


def _packs_elements(op: Operation) -> bool:
    """Check for inline assembly that takes several elements of a thread at once."""
    if not isinstance(op, tt.ElementwiseInlineAsmOp):
        return False
    return number(op.properties.get("packed_element")) != 1


def _is_volatile(op: Operation) -> bool:
    return isinstance(op, tt.LoadOp | amdg.BufferLoadOp) and bool(
        number(op.properties.get("isVolatile"))
    )


def computes_once(op: Operation, kind: Kind) -> bool:
    """Check whether an operation may be computed in one layout only.

    A load of global memory could read another value the second time. A floating-point sum has
    another result in another layout, where its terms are added in another order.
    """
    if isinstance(op, ttg.LocalLoadOp):
        return False  # copies are neighbours: no barrier is between them
    if kind in (Kind.FIXED, Kind.DOT) or _has_scalar_result(op) or not is_memory_effect_free(op):
        return True
    return isinstance(op, tt.ReduceOp | tt.ScanOp) and any(
        types.is_float(types.element(operand.type)) for operand in op.operands
    )


def is_required(op: Operation, kind: Kind) -> bool:
    """Check whether an operation is executed even if nothing uses its results."""
    if kind is Kind.FIXED or _has_scalar_result(op) or not op.results:
        return True
    # A load or an allocation without uses is dead.
    return bool(get_effects(op) & ~(Effect.READ | Effect.ALLOC))


def _has_scalar_result(op: Operation) -> bool:
    """Check for a result without a layout, whose uses are not part of the program."""
    return any(not types.is_tensor(result.type) for result in op.results)
