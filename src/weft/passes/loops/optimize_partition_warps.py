"""Reduce the warps of partitions that need few registers (tritongpu-optimize-partition-warps).

Before:  ttg.warp_specialize                         After:  requestedRegisters = 24, 88
         partition0 num_warps(4) { TMA copies }              partition0 num_warps(2)
         partition1 num_warps(4) { tensors }                 partition1 num_warps(4)

A partition without tensors needs one warp, two if it starts TMA copies, and four if it accesses
tensor memory, because a warp reaches 32 of the 128 rows. It requests few registers.

Triton also reduces the warps of partitions with small tensors, and assigns their layouts again.
weft keeps these warps.

Source: Triton, OptimizePartitionWarps.cpp.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir import attributes, ttg, ttng, types
from weft.ir.builtin import ModuleOp, Region
from weft.passes.pipelining.loop_queries import walk_inner_first

__all__ = ["OptimizePartitionWarps"]

_TMA = (ttng.AsyncTMAGatherOp, ttng.AsyncTMAScatterOp, ttng.AsyncTMACopyGlobalToLocalOp)
_TENSOR_MEMORY = (ttng.TMEMLoadOp, ttng.TMEMStoreOp, ttng.TMEMAllocOp)
_TMA_WARPS, _TENSOR_MEMORY_WARPS = 2, 4
_FEW_REGISTERS, _MANY_REGISTERS = 24, 88


class OptimizePartitionWarps(Struct, frozen=True):
    """Sets the warps and the requested registers of partitions."""

    name: ClassVar[str] = "tritongpu-optimize-partition-warps"

    def run(self, module: ModuleOp) -> None:
        """Set the properties of each `ttg.warp_specialize`."""
        for op in walk_inner_first(module):
            if isinstance(op, ttg.WarpSpecializeOp):
                _optimize(op)


def _optimize(op: ttg.WarpSpecializeOp) -> None:
    warps: list[int] = []
    registers: list[int] = []
    for region, size in zip(op.partitions, op.num_warps, strict=True):
        if _has_tensors(region):
            warps.append(size)
            registers.append(_MANY_REGISTERS)
        else:
            least = _least_warps(region)
            while size > least:
                size //= 2
            warps.append(size)
            registers.append(_FEW_REGISTERS)
    op.properties["partitionNumWarps"] = attributes.array_i32(tuple(warps))
    op.properties["requestedRegisters"] = attributes.array_i32(tuple(registers))


def _has_tensors(region: Region) -> bool:
    return any(
        types.is_tensor(value.type)
        for block in region.blocks
        for top in block.ops
        for op in top.walk()
        for value in (*op.operands, *op.results)
    )


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
