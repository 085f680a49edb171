"""Reduce the warps of partitions that need few registers (tritongpu-optimize-partition-warps).

Before:  ttg.warp_specialize                         After:  requestedRegisters = 24, 88, 88
         partition0 num_warps(4) { TMA copies }              partition0 num_warps(2)
         partition1 num_warps(4) { tensor<16xi32> }          partition1 num_warps(1), new layouts
         partition2 num_warps(4) { tensor<128x256xf32> }     partition2 num_warps(4)

The warps of a partition are halved while half of them have enough registers for twice its largest
tensor, if all warps of the CTA share the registers evenly. There is a minimum: two warps if the
partition starts TMA copies, and four if it accesses tensor memory, because a warp reaches 32 of the
128 rows.

    128x128xf32, 8 of 18 warps:  2 * 16384 / (4 * 32) = 256 registers per thread with 4 warps;
                                 65536 / (14 * 32) = 146 are there: it keeps 8 warps

A partition with tensors and fewer warps gets new layouts (`new_layouts`). It requests more
registers than one without tensors.

Source: Triton, OptimizePartitionWarps.cpp.
"""

from __future__ import annotations

from functools import cache
from typing import ClassVar

from msgspec import Struct

from weft.analysis.axis_info import axis_info
from weft.ir import attributes, ttg, ttng, types
from weft.ir.builtin import ModuleOp, Region
from weft.ir.module_attributes import lookup_num_warps, lookup_threads_per_warp
from weft.ir.rewriting import walk_inner_first
from weft.ir.types import TensorType
from weft.passes.loops.optimize_partition_warps.new_layouts import assign_new_layouts

__all__ = ["OptimizePartitionWarps"]

_TMA = (ttng.AsyncTMAGatherOp, ttng.AsyncTMAScatterOp, ttng.AsyncTMACopyGlobalToLocalOp)
_TENSOR_MEMORY = (ttng.TMEMLoadOp, ttng.TMEMStoreOp, ttng.TMEMAllocOp)
_TMA_WARPS, _TENSOR_MEMORY_WARPS = 2, 4
_FEW_REGISTERS, _MANY_REGISTERS = 24, 88
_REGISTERS = 64 * 1024  # of a multiprocessor
_REGISTER_BITS = 32


class OptimizePartitionWarps(Struct, frozen=True):
    """Sets the warps and the requested registers of partitions."""

    name: ClassVar[str] = "tritongpu-optimize-partition-warps"

    def run(self, module: ModuleOp) -> None:
        """Set the properties of each `ttg.warp_specialize`.

        Raises:
            PassError: The module has no `ttg.target`, `ttg.num-warps` or `ttg.threads-per-warp`.
        """
        ops = [op for op in walk_inner_first(module) if isinstance(op, ttg.WarpSpecializeOp)]
        if not ops:
            return
        infos = axis_info(module)
        for op in ops:
            registers = [_registers_for_tensors(region) for region in op.partitions]
            warps = _reduced_warps(op, registers, lookup_threads_per_warp(module))
            for index, region in enumerate(op.partitions):
                if warps[index] < op.num_warps[index] and registers[index]:
                    assign_new_layouts(module, region, op.holder.operands, infos, warps[index])
            op.properties["partitionNumWarps"] = attributes.array_i32(tuple(warps))
            op.properties["requestedRegisters"] = attributes.array_i32(
                tuple(_MANY_REGISTERS if count else _FEW_REGISTERS for count in registers)
            )


def _reduced_warps(op: ttg.WarpSpecializeOp, registers: list[int], lanes: int) -> list[int]:
    """Halve the warps of partitions as long as their tensors fit.

    Args:
        op: The partitions and the default region.
        registers: The registers that each partition needs, of all its threads.
        lanes: The threads per warp.
    """
    warps = list(op.num_warps)
    minimum = [_least_warps(region) for region in op.partitions]
    default = lookup_num_warps(op)

    def can_halve(index: int) -> bool:
        half = warps[index] // 2
        if warps[index] <= minimum[index]:
            return False
        available = _REGISTERS // lanes // (default + sum(warps) - half)
        return registers[index] // lanes // half <= available

    # A partition with fewer warps leaves more registers to the others, so begin again.
    while (index := next(filter(can_halve, range(len(warps))), None)) is not None:
        warps[index] //= 2
    return warps


def _registers_for_tensors(region: Region) -> int:
    """Estimate the registers of all threads of a partition: twice those of its largest tensor."""
    sizes = (
        _registers_of(value.type)
        for block in region.blocks
        for top in block.ops
        for op in top.walk()
        for value in (*op.operands, *op.results)
        if isinstance(value.type, TensorType)
    )
    return 2 * max(sizes, default=0)


@cache
def _registers_of(type_: TensorType) -> int:
    """Count the registers of a tensor; lanes and warps with the same elements count once."""
    encoding = types.encoding(type_)
    assert encoding is not None, "partitions have layouts"
    layout = encoding.linear(types.shape(type_))
    bits = len(layout.images("register"))
    bits += sum(map(bool, (*layout.images("lane"), *layout.images("warp"))))
    return (types.bit_width(type_) << bits) // _REGISTER_BITS


def _least_warps(region: Region) -> int:
    """Compute the number of warps below which operations of a partition are slow or impossible.

    As in Triton, the last operation that matters decides.
    """
    least = 1
    for block in region.blocks:
        for top in block.ops:
            for op in walk_inner_first(top):
                if isinstance(op, _TMA):
                    least = _TMA_WARPS
                elif isinstance(op, _TENSOR_MEMORY):
                    least = _TENSOR_MEMORY_WARPS
    return least
