"""Clean up after warp specialization (tritongpu-automatic-warp-specialization).

Before:  scf.for … {                                After:  scf.for … {
           %c = ttg.convert_layout %a                         %b = arith.addf %a, %a
           %d = ttg.convert_layout %c                       }
           %b = arith.addf %d, %a
         } {tt.warp_specialize}

In Triton the pass splits the loops of `tl.range(warp_specialize=True)` into partitions that run on
different warps: one loads, one issues the MMAs, the others compute. weft does not split them. It
pipelines them like other loops instead, which gives the same results, and warns.

What remains is the simplification that Triton's pass does in every module: conversions of layouts,
constant propagation, and elimination of common subexpressions.

Needs scheduled loops, and writes the schedule of loops that were to be specialized again, because
their latencies differ. Source: Triton, AutomaticWarpSpecialization.cpp.
"""

from __future__ import annotations

import warnings
from typing import ClassVar

from msgspec import Struct

from weft.ir import locations, scf, tt, ub
from weft.ir.builtin import ModuleOp
from weft.ir.folds import FOLDS
from weft.passes.common.canonicalize import convert_layout
from weft.passes.common.cse import Cse
from weft.passes.common.sccp import Sccp
from weft.passes.loops.assign_latencies import AssignLatencies
from weft.passes.loops.schedule_loops import ScheduleLoops
from weft.passes.pipelining.latencies import SELF_LATENCY
from weft.passes.pipelining.loop_queries import loops_inner_first, walk_inner_first
from weft.passes.pipelining.loop_schedule import remove_schedules
from weft.passes.rewrite.greedy import RewriteRules, apply_greedily

__all__ = ["AutomaticWarpSpecialization"]

_WARP_SPECIALIZE = "tt.warp_specialize"

_CONVERSIONS = RewriteRules(FOLDS, convert_layout.PATTERNS, top_down=False, merge_blocks=True)
_FOLDS_ONLY = RewriteRules(FOLDS, top_down=False, merge_blocks=True)
_NO_FOLDS = RewriteRules({}, top_down=False, merge_blocks=True)


class AutomaticWarpSpecialization(Struct, frozen=True):
    """Simplifies a module, and pipelines loops that Triton would specialize.

    Attributes:
        num_stages: The number of stages of loops that do not ask for another one.
    """

    num_stages: int = 3

    name: ClassVar[str] = "tritongpu-automatic-warp-specialization"

    def run(self, module: ModuleOp) -> None:
        """Simplify a module in place."""
        loops = [loop for loop in loops_inner_first(module) if _WARP_SPECIALIZE in loop.attributes]
        for loop in loops:
            _drop(loop)
        apply_greedily(module, _CONVERSIONS)
        Sccp().run(module)
        Cse().run(module)
        apply_greedily(module, _NO_FOLDS)
        _hoist_poison(module)
        apply_greedily(module, _FOLDS_ONLY)
        if loops:
            self._schedule_again(module)
        else:
            ScheduleLoops().run(module)

    def _schedule_again(self, module: ModuleOp) -> None:
        """Assign the latencies of loops that are not specialized, and schedule them."""
        for op in module.walk():
            op.attributes.pop(SELF_LATENCY, None)
        remove_schedules(module)
        AssignLatencies(num_stages=self.num_stages).run(module)
        ScheduleLoops().run(module)


def _drop(loop: scf.ForOp) -> None:
    """Pipeline a loop instead of specializing it."""
    del loop.attributes[_WARP_SPECIALIZE]
    place = locations.position(loop.location)
    warnings.warn(
        f"{place}: warp_specialize=True is ignored: the loop is pipelined, and all warps run it",
        stacklevel=2,
    )


def _hoist_poison(module: ModuleOp) -> None:
    """Move poison values to the start of their function."""
    for function in module.ops:
        if not isinstance(function, tt.FuncOp) or function.body.blocks.first is None:
            continue
        block = function.body.blocks.first
        for op in list(walk_inner_first(function)):
            if isinstance(op, ub.PoisonOp) and op is not block.first_op:
                op.detach()
                first = block.first_op
                assert first is not None
                block.insert_op_before(op, first)
