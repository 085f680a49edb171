"""Assign columns and rows of tensor memory to allocations (triton-tensor-memory-allocation).

Before:  module {
           %a = ttng.tmem_alloc : 128x128xf32
           %b = ttng.tmem_alloc : 64x64xf32
After:   module attributes {ttg.tensor_memory_size = 256 : i32} {
           %a = ttng.tmem_alloc {tensor_memory_col_offset = 0, tensor_memory_row_offset = 0}
           %b = ttng.tmem_alloc {tensor_memory_col_offset = 128, tensor_memory_row_offset = 0}

Buffers are placed in program order, each at the first column where it overlaps no live one
(`weft.analysis.tensor_memory`). The size is rounded up to what tcgen05.alloc takes, unless it is
more than the 512 columns that there are: the caller reports that. tcgen05.alloc writes the
address of the columns to shared memory, so a module with such buffers has at least 4 bytes of it.

weft's code generation places buffers afresh, the largest first, in at most as many columns.
Source: Triton, TensorMemoryAllocation.cpp.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.analysis.tensor_memory import columns_to_allocate, ranges_in_program_order
from weft.ir import attributes, tt, types
from weft.ir.attributes import number
from weft.ir.builtin import IntegerAttr, ModuleOp, Operation

__all__ = ["TensorMemoryAllocation"]

_COLUMNS = 512
_ADDRESS_BYTES = 4


class TensorMemoryAllocation(Struct, frozen=True):
    """Assign columns and rows to the buffers in tensor memory."""

    name: ClassVar[str] = "triton-tensor-memory-allocation"

    def run(self, module: ModuleOp) -> None:
        """Set the offsets of allocations, and the sizes in the attributes of the module."""
        used = 0
        for function in module.body.block.ops:
            if not isinstance(function, tt.FuncOp) or not function.body.blocks:
                continue
            for buffer, place in ranges_in_program_order(function).items():
                assert isinstance(buffer.owner, Operation)
                offsets = buffer.owner.attributes
                offsets["tensor_memory_col_offset"] = _i32(place.column)
                offsets["tensor_memory_row_offset"] = _i32(place.first_row)
                used = max(used, place.column + place.columns)
        if used:
            if (number(module.attributes.get("ttg.shared")) or 0) < _ADDRESS_BYTES:
                module.attributes["ttg.shared"] = _i32(_ADDRESS_BYTES)
            used = columns_to_allocate(used) if used <= _COLUMNS else used
        module.attributes["ttg.tensor_memory_size"] = _i32(used)


def _i32(value: int) -> IntegerAttr:
    return attributes.integer(value, types.i32)
