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
all of its lanes are masked, and rows of a gather that another wave copies. Then the wait is too
short. The lowering of `ttg.async_wait` and `amdg.async_tdm_wait` counts what each wave issues for
certain, and that of the new waits takes no number that such copies are part of.

Needs layouts. Source: Triton, UpdateAsyncWaitCount.cpp.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from msgspec import Struct

from weft.analysis.async_wait_counts import (
    UNBOUNDED,
    CopyInstructions,
    max_outstanding_for_groups,
    max_outstanding_for_tokens,
    tdm_instructions,
)
from weft.analysis.axis_info import axis_info, write_argument_hints
from weft.ir import amdg, attributes, ttg, types
from weft.ir.builtin import ModuleOp, Operation
from weft.ir.rewriting import Builder, replace, walk_inner_first
from weft.targets import target

__all__ = ["UpdateAsyncWaitCount"]


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
            infos = axis_info(module)
            write_argument_hints(infos)
            counts = CopyInstructions(infos)
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
                number = _outstanding_for_tokens(op, tdm_instructions)
            else:  # each copy is a group
                number = _bounded(
                    max_outstanding_for_groups(
                        op,
                        op.num.value.data,
                        tdm_instructions,
                        lambda op: bool(tdm_instructions(op)),
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
