"""Barriers between the CTAs of a cluster.

    ttng.cluster_arrive {relaxed = false}    barrier.cluster.arrive.aligned
    ttng.cluster_wait                        barrier.cluster.wait.aligned

Arriving releases memory unless it is relaxed, and waiting acquires it.
Source: PTX ISA 9.0, barrier.cluster.
"""

from __future__ import annotations

from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.registry import lowers
from weft.errors import CodegenError
from weft.ir import ttng
from weft.lowering_plans.properties import integer_property


@lowers(ttng.ClusterArriveOp)
def _arrive(ctx: LoweringContext, op: ttng.ClusterArriveOp) -> None:
    if ctx.groups is not None:
        ctx.groups.bring_worker_warps(ctx.threads, ctx.hardware, ctx.writer)
    verb = "arrive.relaxed" if integer_property(op, "relaxed") else "arrive"
    ctx.writer.call("void", f"llvm.nvvm.barrier.cluster.{verb}.aligned")


@lowers(ttng.ClusterWaitOp)
def _wait(ctx: LoweringContext, op: ttng.ClusterWaitOp) -> None:
    """Wait; the worker warps wait where they arrive."""
    if ctx.groups is not None and ctx.groups.in_region:
        raise CodegenError(
            f"{op.name} must not be in ttg.warp_specialize",
            hint="move it out of ttg.warp_specialize",
        )
    ctx.writer.call("void", "llvm.nvvm.barrier.cluster.wait.aligned")
