"""Choose one layout for each value that has several candidates.

    %y = arith.addf …        #blocked (from a load), #mma (from a dot)      →  #mma
    %r = tt.atomic_rmw …     #blocked (its own), #mma                       →  #blocked
    %z = arith.addf …        #blocked, #blocked1 (from two loads)           →  #blocked, the first

The layout of a matrix instruction wins: what is computed from a product stays where the product
left it, and is converted once, at its end. What goes to memory has to be blocked, or it would not
be coalesced. Otherwise the candidate that came first is as good as any.
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
from weft.passes.ttgir.remove_layout_conversions.propagation import Candidates

__all__ = ["FIRST", "MATRIX", "MEMORY", "ONLY", "is_matrix", "rule_of", "settle"]

_MATRIX = (NvidiaMmaEncoding, AmdMfmaEncoding, AmdWmmaEncoding)
_MEMORY = (tt.LoadOp, tt.StoreOp, tt.AtomicRMWOp, tt.AtomicCASOp)

ONLY = "the only layout that any anchor asks for"
MATRIX = "what follows from a matrix product stays in its layout"
MEMORY = "an access to memory has to be blocked to coalesce"
FIRST = "the first of the layouts that anchors ask for: no rule prefers another"


def is_matrix(encoding: Encoding) -> bool:
    """Tell whether an encoding is that of a matrix instruction's result."""
    return isinstance(encoding, _MATRIX)


def settle(candidates: Candidates) -> dict[SSAValue, Encoding]:
    """Return the layout that each value takes."""
    return {value: _chosen(value, tuple(given)) for value, given in candidates.items()}


def _chosen(value: SSAValue, given: tuple[Encoding, ...]) -> Encoding:
    if len(given) == 1:
        return given[0]
    wanted = BlockedEncoding if _is_access(value) else _MATRIX
    return next((encoding for encoding in given if isinstance(encoding, wanted)), given[0])


def rule_of(value: SSAValue, given: tuple[Encoding, ...], chosen: Encoding) -> str:
    """Return why `settle` chose as it did."""
    if len(given) == 1:
        return ONLY
    if _is_access(value):
        return MEMORY if isinstance(chosen, BlockedEncoding) else FIRST
    return MATRIX if is_matrix(chosen) else FIRST


def _is_access(value: SSAValue) -> bool:
    return isinstance(value, OpResult) and isinstance(value.op, _MEMORY)
