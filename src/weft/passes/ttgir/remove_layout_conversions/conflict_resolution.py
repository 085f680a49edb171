"""Resolve conflicts: choose one layout for each value with several candidates.

    %y = arith.addf …        #blocked (from a load), #mma (from a dot)      →  #mma
    %r = tt.atomic_rmw …     #blocked (its own), #mma                       →  #blocked
    %z = arith.addf …        #blocked, #blocked1 (from two loads)           →  #blocked, the first

The layout of a matrix instruction wins: values computed from a dot stay in its layout, and are
converted once, at the end. Memory accesses need a blocked layout to coalesce. Otherwise no
candidate is better than another, and the first one is taken.
"""

from __future__ import annotations

from weft.ir import tt
from weft.ir.builtin import OpResult, SSAValue
from weft.layouts import (
    AmdMfmaEncoding,
    AmdWmmaEncoding,
    BlockedEncoding,
    Encoding,
    NvidiaMmaEncoding,
)
from weft.passes.ttgir.remove_layout_conversions.layout_propagation import Candidates

__all__ = ["is_matrix_encoding", "reason_for", "resolve_conflicts"]

_MATRIX_ENCODINGS = (NvidiaMmaEncoding, AmdMfmaEncoding, AmdWmmaEncoding)
_MEMORY_ACCESSES = (tt.LoadOp, tt.StoreOp, tt.AtomicRMWOp, tt.AtomicCASOp)


def is_matrix_encoding(encoding: Encoding) -> bool:
    """Check whether an encoding is the result layout of a matrix instruction."""
    return isinstance(encoding, _MATRIX_ENCODINGS)


def resolve_conflicts(candidates: Candidates) -> dict[SSAValue, Encoding]:
    """Choose the layout of each value."""
    return {value: _choose(value, tuple(layouts)) for value, layouts in candidates.items()}


def _choose(value: SSAValue, layouts: tuple[Encoding, ...]) -> Encoding:
    if len(layouts) == 1:
        return layouts[0]
    # Atomics are anchors, but other layouts reach their results through their operands.
    preferred = BlockedEncoding if _is_memory_access(value) else _MATRIX_ENCODINGS
    return next((layout for layout in layouts if isinstance(layout, preferred)), layouts[0])


def reason_for(value: SSAValue, layouts: tuple[Encoding, ...], choice: Encoding) -> str:
    """State why `resolve_conflicts` chose a layout."""
    if len(layouts) == 1:
        return "the only layout that propagates to this value"
    if _is_memory_access(value) and isinstance(choice, BlockedEncoding):
        return "memory accesses need a blocked layout to coalesce"
    if not _is_memory_access(value) and is_matrix_encoding(choice):
        return "values computed from a dot stay in the layout of its instruction"
    return "the first of the layouts that propagate to this value; no rule prefers another"


def _is_memory_access(value: SSAValue) -> bool:
    return isinstance(value, OpResult) and isinstance(value.op, _MEMORY_ACCESSES)
