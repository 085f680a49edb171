"""List the loads and stores that access one element at a time, for remarks about performance.

tensor<1024x!tt.ptr<f16>>, 32 elements per thread, not contiguous      32 loads of 2 bytes
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation

from weft.analysis.axis_info import axis_info
from weft.ir import tt, types
from weft.ir.builtin import ModuleOp
from weft.ir.rewriting import walk
from weft.lowering_plans.global_access import vector_width
from weft.lowering_plans.registers import layout_of, representative_registers

__all__ = ["scalar_accesses"]


def scalar_accesses(module: ModuleOp) -> Iterator[tuple[Operation, str]]:
    """Yield each load or store of several elements that no vector access covers.

    Args:
        module: TTGIR for an NVIDIA GPU.

    Yields:
        The operation, and the remark that Triton's lowering emits.
    """
    facts = axis_info(module)
    for op in walk(module):
        if not isinstance(op, tt.LoadOp | tt.StoreOp) or not types.is_tensor(op.ptr.type):
            continue
        count = len(representative_registers(layout_of(op.ptr.type)))
        if count == 1 or vector_width(facts, op.ptr, op.mask) > 1:
            continue
        unmasked = vector_width(facts, op.ptr, None)
        alignment = -1 if op.mask is None else facts.mask_alignment(op.mask)
        name = "numElems" if isinstance(op, tt.LoadOp) else "elemsPerThread"
        yield (
            op,
            f"Warning: vectorization fails vec = 1 origin vec = {unmasked} {name} = {count} "
            f"mask is {alignment}",
        )
