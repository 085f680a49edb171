"""Find what is known about the addresses of an access, through an offset in bytes.

    %p8 = tt.bitcast %p : tensor<64x!tt.ptr<f16>> -> tensor<64x!tt.ptr<i8>>
    %q8 = tt.addptr %p8, splat(%o)         # the pass share-pointer-offsets writes this
    %q = tt.bitcast %q8                    # contiguous where %p is

Axis analysis of Triton knows nothing about pointers whose element type changes, because contiguity
counts elements. An offset that is equal for all elements keeps the runs of the original pointers.
"""

from __future__ import annotations

from math import gcd

from xdsl.ir import Operation, SSAValue

from weft.analysis.axis_info import AxisInfo, ModuleAxisInfo
from weft.ir import tt, types
from weft.lowering_plans.registers import pointee_of

__all__ = ["address_info"]


def address_info(pointers: SSAValue, facts: ModuleAxisInfo) -> AxisInfo | None:
    """Find the axis information of pointers or offsets.

    Args:
        pointers: The pointers or offsets.
        facts: The axis information of the module.
    """
    sources = _without_offset(pointers, facts)
    if sources is None:
        return facts.get(pointers)
    base, offset = sources
    info, moved = facts.get(base), facts.get(offset)
    if info is None or moved is None:
        return facts.get(pointers)
    # Pointers are divisible in bytes, as is the offset.
    divisibility = tuple(
        gcd(one, other) for one, other in zip(info.divisibility, moved.divisibility, strict=True)
    )
    return AxisInfo(info.contiguity, divisibility, info.constancy)


def _without_offset(pointers: SSAValue, facts: ModuleAxisInfo) -> tuple[SSAValue, SSAValue] | None:
    """Find the pointers and the offset in bytes of their sum, None if it is not one."""
    outer = pointers.owner
    if not isinstance(outer, tt.BitcastOp):
        return None
    addition = outer.operands[0].owner
    if not isinstance(addition, tt.AddPtrOp):
        return None
    inner, offset = addition.operands[0].owner, addition.operands[1]
    info = facts.get(offset)
    if not isinstance(inner, Operation) or not isinstance(inner, tt.BitcastOp) or info is None:
        return None
    base, shape = inner.operands[0], types.shape(pointers.type)
    is_uniform = all(n >= size for n, size in zip(info.constancy, shape, strict=True))
    counts_bytes = types.storage_bytes(pointee_of(inner.results[0].type)) == 1
    if not is_uniform or not counts_bytes or base.type != pointers.type:
        return None
    return base, offset
