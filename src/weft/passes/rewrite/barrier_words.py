"""The type of a barrier of arrivals: a word of shared memory in each block of a cluster."""

from __future__ import annotations

from weft.ir import ttg, types
from weft.ir.builtin import Operation
from weft.ir.hardware import blocks_around
from weft.layouts import SwizzledSharedEncoding

__all__ = ["barrier_word"]


def barrier_word(op: Operation) -> ttg.MemDescType:
    """Return the type of a barrier for an operation; its blocks have one each.

    `memdesc<1xi64>` of a block alone, `memdesc<4xi64>` with CGALayout = [[1], [2]] of four.
    """
    blocks = blocks_around(op)
    share = tuple((1 << bit,) for bit in range(blocks.bit_length() - 1))
    layout = SwizzledSharedEncoding(1, 1, 1, (0,), share)
    return ttg.MemDescType.of((blocks,), types.i64, layout, ttg.SharedMemoryAttr(), mutable=True)
