"""The instructions of asynchronous copies on AMD, as Triton counts them.

    ttg.async_copy_global_to_local      16 elements of f16 per lane, 8 contiguous: 2 instructions
    amdg.async_tdm_gather               32 indices of 32 bits: 4 instructions of 8 rows

Triton's numbers are in the waits that tritonamdgpu-update-async-wait-count writes. They are an
upper bound for weft's lowering, not what a wave issues for certain: a wave skips a copy whose mask
is false in all of its lanes, and the indices of a gather may be divided among the waves.

Source: Triton, UpdateAsyncWaitCount.cpp.
"""

from __future__ import annotations

from math import prod

from weft.analysis.axis_info import ModuleAxisInfo
from weft.ir import amdg, ttg, types
from weft.ir.builtin import Attribute, Operation, SSAValue
from weft.layouts.plans.gather_rows import GATHER_ROWS

__all__ = ["CopyInstructions", "tdm_instructions"]

_WIDEST_BITS = 128  # of an asynchronous copy of a lane


class CopyInstructions:
    """The number of instructions of asynchronous copies, except for TDM copies.

    Args:
        infos: The axis info of the module.
    """

    def __init__(self, infos: ModuleAxisInfo) -> None:
        self._infos = infos
        self._counts: dict[Operation, int] = {}

    def of(self, op: Operation) -> int:
        """Count the instructions of an operation, 0 if it is no copy."""
        if op not in self._counts:
            self._counts[op] = self._count(op)
        return self._counts[op]

    def _count(self, op: Operation) -> int:
        infos = self._infos
        if isinstance(op, ttg.AsyncCopyGlobalToLocalOp):
            return self._divide(op.src.type, op.result.type, op.mask, infos.contiguity(op.src))
        if isinstance(op, amdg.AsyncCopyLocalToGlobalOp):
            return self._divide(op.dst.type, op.src.type, op.mask, infos.contiguity(op.dst))
        if isinstance(op, amdg.BufferLoadToLocalOp):
            memory = op.dest.type
            assert isinstance(memory, ttg.MemDescType)
            bits = types.bit_width(memory.element_type)
            contiguity = infos.contiguity(op.offsets, bits)
            return self._divide(op.offsets.type, memory, op.mask, contiguity)
        return 0

    def _divide(
        self, tensor: Attribute, memory: Attribute, mask: SSAValue | None, contiguity: int
    ) -> int:
        """Divide the registers of a tensor into accesses that are contiguous on both sides."""
        assert isinstance(memory, ttg.MemDescType)
        encoding = types.encoding(tensor)
        assert encoding is not None
        assert memory.encoding is not None
        shape = types.shape(tensor)
        to_offset = encoding.linear(shape).invert_and_compose(memory.encoding.linear(shape))
        widest = _WIDEST_BITS // types.bit_width(memory.element_type)
        elements = min(widest, contiguity, to_offset.num_consecutive())
        if mask is not None:
            elements = min(elements, self._infos.mask_alignment(mask))
        return max(1, (1 << len(to_offset.images("register"))) // elements)


def tdm_instructions(op: Operation) -> int:
    """Count the instructions of a TDM copy, 0 if it is none."""
    if isinstance(op, amdg.AsyncTDMCopyGlobalToLocalOp | amdg.AsyncTDMCopyLocalToGlobalOp):
        return 1
    if isinstance(op, amdg.AsyncTDMGatherOp | amdg.AsyncTDMScatterOp):
        rows = op.operands[1].type
        return -(-prod(types.shape(rows)) // GATHER_ROWS[types.bit_width(rows)])
    return 0
