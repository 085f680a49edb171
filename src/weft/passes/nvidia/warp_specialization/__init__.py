"""Specialize groups of warps for loads and dots on Hopper (nvgpu-warp-specialization).

Before:  scf.for … {                      After:  ttg.warp_specialize(%full, %empty, %buffers …)
           %a = tt.descriptor_load …              default {                     the producer
           %m = ttg.local_alloc %a                  scf.for … {
           %c = ttng.warp_group_dot %m, …             ttng.wait_barrier %empty[%i]
         } {tt.warp_specialize}                       ttng.async_tma_copy … %buffers[%i]
         tt.store %p, %c                          partition0(…) num_warps(4) {  a consumer
                                                    scf.for … {
                                                      ttng.wait_barrier %full[%i]
                                                      ttng.warp_group_dot %buffers[%i], …
                                                      ttng.arrive_barrier %empty[%i], 128
                                                    tt.store %p, %c
                                                  partition1(…) num_warps(4) { … }

1. Loads that feed dots go to task 0, dots and stores to the other tasks (`task_partition`).
2. Tasks are propagated to all that these operations are computed from (`task_propagation`).
3. Two consumers share the rows or columns of each dot (`data_partition`). If they cannot, both
   compute all of it, as in Triton.
4. Values pass from task to task through buffers in shared memory, and mbarriers say when a buffer
   is full or empty (`code_partition`). Each task gets a region (`specialize`).
5. Tokens become mbarriers (`token_lowering`).

Only functions for 4 warps are changed that have a loop with `tt.warp_specialize` and more than one
stage, no else-block and no cluster. Their loops are not pipelined any more.

Preserves values. Source: Triton, third_party/nvidia/hopper, WarpSpecialization.cpp. Triton visits
channels in the order of their addresses, which differs between runs; here it is program order.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import ClassVar

from msgspec import Struct
from xdsl.utils.exceptions import VerifyException

from weft.errors import Location, PassError, warn_ignored
from weft.ir import locations, scf, tt
from weft.ir.builtin import ModuleOp
from weft.ir.loop_attributes import WARP_SPECIALIZE
from weft.ir.module_attributes import lookup_num_ctas, lookup_num_warps
from weft.ir.rewriting import Builder, clone, walk
from weft.ir.text import print_module
from weft.passes.pipelining.loop_queries import num_stages_of

__all__ = ["WarpSpecialization"]

Report = Callable[[str], None]

_WARPS = 4


class WarpSpecialization(Struct, frozen=True):
    """Specialize groups of warps for loads and dots.

    Attributes:
        num_stages: The number of buffers in loops without `tt.num_stages`.
        dump_intermediate_steps: Print the IR after each step to standard error.
    """

    num_stages: int = 0
    dump_intermediate_steps: bool = False

    name: ClassVar[str] = "nvgpu-warp-specialization"

    def run(self, module: ModuleOp) -> None:
        """Specialize the functions of a module in place."""

        def print_step(step: str) -> None:
            if self.dump_intermediate_steps:
                title = f"// -----// WarpSpec internal IR Dump After: {step}"
                print(title, print_module(module), sep="\n", file=sys.stderr)

        self.run_steps(module, print_step)

    def run_steps(self, module: ModuleOp, report: Report) -> None:
        """Specialize the functions of a module, and report the name of each step after it."""
        for function in list(module.body.block.ops):
            if not isinstance(function, tt.FuncOp) or not self._is_applicable(function):
                continue
            # Few kernels ask for it, and its steps are ten modules.
            from weft.passes.nvidia.warp_specialization.steps import specialize_function

            original = clone(function, {})
            try:
                specialize_function(function, self.num_stages, report)
                function.verify()
            except PassError as error:
                reason, location = error.message, error.location
            except VerifyException:
                reason, location = _indivisible(function)
            else:
                continue
            Builder().before(function).insert(original)
            function.detach()
            function.erase(safe_erase=False)
            warn_ignored(
                f"{function.symbol}: warp_specialize has no effect on Hopper: {reason}; its loads "
                "are pipelined instead",
                location,
            )

    def _is_applicable(self, function: tt.FuncOp) -> bool:
        operations = list(walk(function))
        if self.num_stages <= 1 or not any(
            isinstance(op, scf.ForOp)
            and WARP_SPECIALIZE in op.attributes
            and num_stages_of(op, self.num_stages) > 1
            for op in operations
        ):
            return False
        if any(isinstance(op, scf.IfOp) and op.regions[1].blocks for op in operations):
            return False
        return lookup_num_warps(function) == _WARPS and lookup_num_ctas(function) == 1


def _indivisible(function: tt.FuncOp) -> tuple[str, Location | None]:
    """Describe the first operation of which only some operands are divided among the consumers."""
    for op in walk(function):
        try:
            op.verify(verify_nested_ops=False)
        except VerifyException:
            where = locations.position(op.location)
            return f"two groups of warps cannot share the work of this {op.name}", where
    return "two groups of warps cannot share its work", locations.position(function.location)
