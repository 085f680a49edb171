"""What an operation of a warp-specialized loop does, and what it costs, as partitions see it.

    tt.descriptor_load          LOAD
    ttg.memdesc_trans           VIEW
    ttng.tc_gen5_mma            MMA, cost 128 * 64 * 64 / 8192 = 64 cycles
    math.exp2 on 128x64         SFU, cost 8192 elements
    arith.mulf                  NONE

Source: Triton, PartitionSchedulingUtility.cpp.
"""

from __future__ import annotations

from enum import IntFlag
from math import prod

from weft.ir import math, tt, ttg, ttng, types
from weft.ir.builtin import Operation
from weft.passes.pipelining.blackwell.mma_v5 import MMAS
from weft.passes.pipelining.loop_queries import is_memdesc_view

__all__ = ["Kind", "cost_of", "is_view", "kind_of"]

_MMA_MACS_PER_CYCLE = 8192  # Triton's estimate (PartitionSchedulingUtility.cpp)
_VIEWS = (tt.BroadcastOp, tt.ExpandDimsOp, ttg.ConvertLayoutOp)


class Kind(IntFlag):
    """What the operations of a partition do."""

    NONE = 0  # nothing of the following: arithmetic
    MANUAL = 1  # the author of the kernel chose the partition
    LOAD = 2  # loads by TMA
    STORE = 4  # stores by TMA
    MMA = 8
    TMEM = 16  # accesses to tensor memory by threads
    SFU = 32  # exponentials, on the special function units
    VIEW = 64  # rearranges registers, or views a buffer


def is_view(op: Operation) -> bool:
    """Check whether an operation only rearranges a tensor, or views a buffer."""
    return isinstance(op, _VIEWS) or is_memdesc_view(op)


def kind_of(op: Operation | None) -> Kind:
    """Classify an operation; None is the iter_arg or result of control flow.

    The attributes "store" and "mma", which a kernel's author can set, override the class.
    """
    if op is None:
        return Kind.NONE
    if "store" in op.attributes:
        return Kind.STORE
    if isinstance(op, tt.DescriptorLoadOp | tt.DescriptorGatherOp):
        return Kind.LOAD
    if isinstance(op, tt.DescriptorStoreOp | tt.DescriptorScatterOp):
        return Kind.STORE
    if isinstance(op, MMAS) or "mma" in op.attributes:
        return Kind.MMA
    if isinstance(op, ttng.TMEMLoadOp | ttng.TMEMStoreOp):
        return Kind.TMEM
    if isinstance(op, math.Exp2Op):
        return Kind.SFU
    return Kind.VIEW if is_view(op) else Kind.NONE


def cost_of(op: Operation | None) -> int:
    """Estimate the cycles of an MMA, or the elements of an operation of the SFU."""
    if isinstance(op, ttng.TCGen5MMAOp):
        a, b = op.a.type, op.b.type
        assert isinstance(a, ttg.MemDescType)
        assert isinstance(b, ttg.MemDescType)
        # Triton takes the first dimension of the right operand, which is K, for N.
        return prod(a.shape) * b.shape[0] // _MMA_MACS_PER_CYCLE
    if isinstance(op, math.Exp2Op | tt.ElementwiseInlineAsmOp):
        tensors = (result.type for result in op.results if types.is_tensor(result.type))
        return sum(prod(types.shape(type_)) for type_ in tensors)
    return 0
