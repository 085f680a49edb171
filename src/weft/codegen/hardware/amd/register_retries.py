"""Compile an AMD kernel again that spills registers, or has a few too many for another warp.

vector registers    a schedule for occupancy; then loop strength reduction, which keeps one address
                    per loop instead of many, with a schedule for instruction-level parallelism,
                    which ends live ranges earlier; if few spill, a schedule for few registers
scalar registers    warp-uniform values in vector registers: every lane computes them
one more warp       both schedules, with the occupancy that they should reach; then loop strength
                    reduction alone, for addresses that no schedule keeps out of the loop

By hand, for gfx942, whose SIMD has 512 vector registers that warps get in multiples of 8: with 76
registers 6 warps fit, and 7 with at most 72. The excess of 4 is small, so LLVM is asked for 7.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from weft.codegen.backend.register_use import CompileRequest, RegisterUse
from weft.codegen.llvm.module import LlvmModule

__all__ = ["UNIFORM", "cost", "retries"]

UNIFORM = '"uniform-work-group-size"="true"'  # among the attributes of every kernel
_REDUCED = ("loop_simplify", "loop_strength_reduce")
# LLVM's scheduling strategies.
_FOR_OCCUPANCY, _FOR_LATENCY, _FOR_REGISTERS = "iterative-maxocc", "max-ilp", "iterative-minreg"
_FEW_BYTES = 128  # of scratch memory; a schedule for few registers spills more in larger kernels
_SIMDS = 4  # of a CU, or of a work-group processor; LLVM's getEUsPerCU
_NEAR = 8  # an eighth of the registers more than fit is a small excess
# The first block's readfirstlane of the thread's index, from `Hardware.same_in_warp`.
_SCALAR_WARP = re.compile(r"(%t\d+) = call i32 @llvm\.amdgcn\.readfirstlane\.i32\(i32 (%t\d+)\)")


def cost(module: LlvmModule, use: RegisterUse) -> tuple[int, int, int]:
    """Compute what compilations of a module are compared by; less is better.

    Scratch memory is the most expensive. A scalar register that is kept in a lane costs an
    instruction for each use, which is less than what a warp fewer costs.
    """
    warps = module.target.warps_per_simd(use.vectors) if use.vectors else 0
    return use.scratch, -min(warps, _warps_by_shared_memory(module)), use.scalars


def retries(module: LlvmModule, use: RegisterUse) -> Iterator[CompileRequest]:
    """Yield at most three other compilations of a kernel, the most successful first.

    Args:
        module: the kernel.
        use: registers of the first compilation.
    """
    if use.scratch:
        yield _scheduled(_FOR_OCCUPANCY)
        yield _scheduled(_FOR_LATENCY, passes=_REDUCED)
        if use.scratch <= _FEW_BYTES:
            yield _scheduled(_FOR_REGISTERS)
    elif use.scalars:
        per_lane = _SCALAR_WARP.sub(r"\1 = add i32 \2, 0", module.text)
        if per_lane != module.text:
            yield CompileRequest(per_lane)
    elif warps := _next_occupancy(module, use.vectors):
        yield _scheduled(_FOR_LATENCY, warps)
        yield _scheduled(_FOR_OCCUPANCY, warps)
        # Not for that occupancy: where LLVM can reach it only so, the loops become much longer.
        yield CompileRequest(passes=_REDUCED)


def _next_occupancy(module: LlvmModule, vectors: int) -> int:
    """Compute how many warps fit with slightly fewer vector registers.

    Returns:
        0 if that takes many registers, if shared memory has no room for more warps, or if the
        kernel's author chose the occupancy or the schedule.
    """
    target, launch = module.target, module.launch
    if launch.waves_per_eu or launch.schedule_strategy or not vectors:
        return 0
    warps = target.warps_per_simd(vectors) + 1
    fit = target.vector_registers_for(warps)
    if warps > target.max_warps_per_simd or vectors - fit > fit // _NEAR:
        return 0
    return warps if warps <= _warps_by_shared_memory(module) else 0


def _warps_by_shared_memory(module: LlvmModule) -> int:
    """Compute for how many warps per SIMD the shared memory of a CU has room."""
    target = module.target
    if not module.shared_bytes:
        return target.max_warps_per_simd
    # RDNA's two CUs of a work-group processor share their LDS: LLVM's default is WGP mode.
    pool = target.lds_bytes * _SIMDS // target.simds_per_cu
    return pool // module.shared_bytes * module.launch.num_warps // _SIMDS


def _scheduled(strategy: str, warps: int = 0, passes: tuple[str, ...] = ()) -> CompileRequest:
    """Schedule the optimized module by a strategy, for an occupancy unless it is 0."""
    occupancy = f' "amdgpu-waves-per-eu"="{warps}"' if warps else ""
    attributes = f'{UNIFORM} "amdgpu-sched-strategy"="{strategy}"{occupancy}'
    return CompileRequest(passes=passes, replacement=(UNIFORM, attributes))
