"""Give operations on tensor memory and TMA gathers the layouts that they need.

It follows convert-triton-to-tritongpu with `enable-source-remat`, which leaves these operations
with tensors that have no layout:

Before:  %y = builtin.unrealized_conversion_cast %x : tensor<…, #blocked> to tensor<…>
         ttng.tmem_store %y, %m
         %v = ttng.tmem_load %n : … -> tensor<…>
After:   %y = ttg.convert_layout %x : tensor<…, #blocked> -> tensor<…, #linear>
         ttng.tmem_store %y, %m
         %u = ttng.tmem_load %n : … -> tensor<…, #linear>
         %v = ttg.convert_layout %u : tensor<…, #linear> -> tensor<…, #blocked>

#linear is the layout in which warps access the buffer of tensor memory. The row indices of a gather
or scatter get the layout in which a thread holds four of them. Preserves values and all other
operations.
Source: Triton 3.7.1, lib/Conversion/TritonToTritonGPU/RelayoutTritonGPU.cpp.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.errors import LayoutError
from weft.ir import ttng, types
from weft.ir.builtin import ModuleOp, Operation, SSAValue, UnrealizedConversionCastOp
from weft.ir.module_attributes import (
    lookup_num_ctas,
    lookup_num_warps,
    lookup_threads_per_warp,
)
from weft.ir.rewriting import defining_op, erase, used, walk
from weft.passes.ttir.convert_triton_to_tritongpu import buffers
from weft.passes.ttir.convert_triton_to_tritongpu.conversion import Conversion, located_error

__all__ = ["RelayoutTritongpu"]

_OPERATIONS = (
    ttng.AsyncTMAGatherOp,
    ttng.AsyncTMAScatterOp,
    ttng.TMEMAllocOp,
    ttng.TMEMLoadOp,
    ttng.TMEMStoreOp,
)


class RelayoutTritongpu(Struct, frozen=True):
    """Gives the tensors of operations on tensor memory and TMA gathers layouts."""

    name: ClassVar[str] = "relayout-tritongpu"

    def run(self, module: ModuleOp) -> None:
        """Convert the operations in place.

        Raises:
            PassError: The module has no "ttg.num-warps", or no layout fits a buffer.
        """
        conversion = Conversion(
            lookup_num_warps(module),
            lookup_threads_per_warp(module),
            lookup_num_ctas(module),
            {},
            has_buffers=True,
        )
        # A load that is converted gives a layout to what later operations store.
        operations = [op for op in walk(module) if isinstance(op, _OPERATIONS)]
        for op in [op for op in operations if _lacks_layout(op)]:
            casts = _remove_casts(op)
            try:
                buffers.convert(op, conversion)
            except LayoutError as error:
                raise located_error(op, error) from error
            for cast in casts:
                if not used(cast):
                    erase(cast)


def _lacks_layout(op: Operation) -> bool:
    values: tuple[SSAValue, ...] = (*op.operands, *op.results)
    return any(types.is_tensor(value.type) and not types.encoding(value.type) for value in values)


def _remove_casts(op: Operation) -> list[Operation]:
    """Replace operands that are cast to tensors without layout by what is cast.

    Returns:
        The casts.
    """
    casts: list[Operation] = []
    for index, operand in enumerate(op.operands):
        cast = defining_op(operand, UnrealizedConversionCastOp)
        if cast is not None and types.is_tensor(operand.type):
            op.operands[index] = cast.operands[0]
            casts.append(cast)
    return casts
