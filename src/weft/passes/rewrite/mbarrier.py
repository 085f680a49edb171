"""The buffer type of an mbarrier: one 64-bit word of shared memory in each CTA of a cluster."""

from __future__ import annotations

from weft.ir import ttg, types
from weft.ir.builtin import Operation
from weft.ir.module_attributes import lookup_num_ctas
from weft.layouts import SwizzledSharedEncoding

__all__ = ["mbarrier_type"]


def mbarrier_type(op: Operation) -> ttg.MemDescType:
    """Compute the type of an mbarrier for an operation.

    It is `memdesc<1xi64>` for a single CTA, and `memdesc<4xi64>` with CGALayout = [[1], [2]] for a
    cluster of four.
    """
    ctas = lookup_num_ctas(op)
    cga_layout = tuple((1 << bit,) for bit in range(ctas.bit_length() - 1))
    layout = SwizzledSharedEncoding(1, 1, 1, (0,), cga_layout)
    return ttg.MemDescType.of((ctas,), types.i64, layout, ttg.SharedMemoryAttr(), mutable=True)
