"""Assign latencies to the loads and MMAs of loops that are pipelined (tritongpu-assign-latencies).

With num-stages=3:

Before:  scf.for … {                     After:  scf.for … {
           %a = tt.load %p                         %a = tt.load %p {tt.latency = 2 : i32}
           %x = ttg.convert_layout %a              %x = ttg.convert_layout %a
           %d = tt.dot %x, %y, %acc                %d = tt.dot %x, %y, %acc

A latency is the number of stages between an operation and its users. The stages are divided evenly
among loads that depend on each other: with two levels of loads and num-stages=3, each gets 1.
Latencies that a loop has already stay as they are. `tt.num_stages` of a loop takes precedence over
the option, and pipelines loads that feed no dot, too.

Needs layouts. Changes no operation. Source: Triton, AssignLatencies.cpp.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.analysis.axis_info import ModuleAxisInfo, axis_info, write_argument_hints
from weft.ir import scf
from weft.ir.builtin import ModuleOp, Operation
from weft.passes.pipelining.latencies import latency_of, write_latencies
from weft.passes.pipelining.load_levels import load_levels
from weft.passes.pipelining.loop_queries import (
    NUM_STAGES,
    is_outer_loop,
    loops_inner_first,
    num_stages_of,
    yields_block_argument,
)

__all__ = ["AssignLatencies"]


class AssignLatencies(Struct, frozen=True):
    """Assigns latencies to loads and MMAs.

    Attributes:
        num_stages: The number of stages of loops that do not ask for another one.
    """

    num_stages: int = 3

    name: ClassVar[str] = "tritongpu-assign-latencies"

    def run(self, module: ModuleOp) -> None:
        """Write the attributes `tt.latency` of operations in loops."""
        latencies: dict[Operation, int] = {}
        infos: ModuleAxisInfo | None = None
        loops = [
            loop
            for loop in loops_inner_first(module)
            if not yields_block_argument(loop)
            and not is_outer_loop(loop)
            and num_stages_of(loop, self.num_stages) > 1
        ]
        for loop in loops:
            if any(latency_of(op) is not None for op in loop.block.ops):
                continue
            if infos is None:
                infos = axis_info(module)
                write_argument_hints(infos)
            latencies |= load_latencies(loop, infos, num_stages_of(loop, self.num_stages))
        write_latencies(latencies)


def load_latencies(loop: scf.ForOp, infos: ModuleAxisInfo, num_stages: int) -> dict[Operation, int]:
    """Compute the latencies of the loads of a loop that are pipelined."""
    levels = load_levels(loop, infos, num_stages, without_dot=NUM_STAGES in loop.attributes)
    last_level = max((entry.level for entry in levels.values()), default=0)
    latency = (num_stages - 1) // (last_level + 1)
    return dict.fromkeys(levels, latency)
