"""Count instructions instead of commit groups in waits (tritonamdgpu-update-async-wait-count).

Before:  %a = ttg.async_copy_global_to_local …            4 instructions of each wave
         %g = ttg.async_commit_group tokens %a
         %b = ttg.async_copy_global_to_local …            2 instructions
         %h = ttg.async_commit_group tokens %b
         %w = ttg.async_wait %g {num = 0 : i32}
After:   …
         %w = amdg.async_wait %g {num_inst = 2 : i32}

         amdg.async_tdm_wait {num = 1}            →       amdg.async_tdm_intrinsic_wait {count = 1}

The counters of AMD's chips count instructions, so a wait may leave as many outstanding as are
issued after what it waits for. If several paths lead to the wait, the least number counts.

weft's pipeline does not run this pass: Triton counts masked copies as well, which a wave skips if
all of its lanes are masked, and then the wait is too short. The lowering of `ttg.async_wait` counts
what each wave issues for certain.

Needs layouts. Source: Triton, UpdateAsyncWaitCount.cpp.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import ClassVar

from msgspec import Struct

from weft.analysis.async_wait_counts import (
    UNBOUNDED,
    max_outstanding_for_groups,
    max_outstanding_for_tokens,
)
from weft.analysis.axis_info import ModuleAxisInfo, axis_info, write_argument_hints
from weft.ir import amdg, attributes, ttg, types
from weft.ir.builtin import Attribute, ModuleOp, Operation, SSAValue
from weft.ir.rewriting import Builder, replace, walk_inner_first
from weft.targets import target

__all__ = ["UpdateAsyncWaitCount"]

_WIDEST_BITS = 128  # of an asynchronous copy of a lane
# Rows of one gather or scatter instruction, by the bits of an index.
_ROWS_BY_INDEX_BITS = {16: 16, 32: 8}


class UpdateAsyncWaitCount(Struct, frozen=True):
    """Replaces waits for commit groups or TDM copies.

    Attributes:
        arch_generation_name: The chip, such as "gfx950".
    """

    name: ClassVar[str] = "tritonamdgpu-update-async-wait-count"
    arch_generation_name: str

    def run(self, module: ModuleOp) -> None:
        """Replace the waits of a module in place.

        Raises:
            UnknownTargetError: The chip is unknown.
        """
        if target(self.arch_generation_name).generation.startswith("rdna"):
            return  # without asynchronous copies
        waits = [op for op in walk_inner_first(module) if isinstance(op, ttg.AsyncWaitOp)]
        if waits:
            counts = _CopyInstructions(module)
            for wait in waits:
                if wait.operands:
                    number = _outstanding_for_tokens(wait, counts.of)
                else:
                    number = _bounded(
                        max_outstanding_for_groups(
                            wait, wait.num.value.data, counts.of, stop_at_start=True
                        )
                    )
                _replace(wait, amdg.AsyncWaitOp, "num_inst", number)
        for op in [op for op in walk_inner_first(module) if isinstance(op, amdg.AsyncTDMWaitOp)]:
            if op.operands:
                number = _outstanding_for_tokens(op, _tdm_instructions)
            else:  # each copy is a group
                number = _bounded(
                    max_outstanding_for_groups(
                        op,
                        op.num.value.data,
                        _tdm_instructions,
                        lambda op: bool(_tdm_instructions(op)),
                        stop_at_start=True,
                    )
                )
            _replace(op, amdg.AsyncTDMIntrinsicWaitOp, "count", number)


def _replace(
    wait: Operation,
    cls: type[amdg.AsyncWaitOp | amdg.AsyncTDMIntrinsicWaitOp],
    name: str,
    number: int,
) -> None:
    properties = {name: attributes.integer(number, types.i32)}
    builder = Builder(wait.location).before(wait)
    new_wait = builder.create(cls, wait.operands, [wait.results[0].type], properties)
    replace(wait, new_wait.results)


def _outstanding_for_tokens(wait: Operation, count: Callable[[Operation], int]) -> int:
    return max_outstanding_for_tokens(wait, count, follow_results=False)


def _bounded(number: int) -> int:
    """Wait for everything if it is unknown what to wait for."""
    return 0 if number == UNBOUNDED else number


class _CopyInstructions:
    """The number of instructions of asynchronous copies, except for TDM copies."""

    def __init__(self, module: ModuleOp) -> None:
        self._infos: ModuleAxisInfo = axis_info(module)
        write_argument_hints(self._infos)
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


def _tdm_instructions(op: Operation) -> int:
    """Count the instructions of a TDM copy, 0 if it is none."""
    if isinstance(op, amdg.AsyncTDMCopyGlobalToLocalOp | amdg.AsyncTDMCopyLocalToGlobalOp):
        return 1
    if isinstance(op, amdg.AsyncTDMGatherOp | amdg.AsyncTDMScatterOp):
        rows = op.operands[1].type
        return -(-prod(types.shape(rows)) // _ROWS_BY_INDEX_BITS[types.bit_width(rows)])
    return 0
