"""Blocks of a cluster that wait for one another where the IR says so.

    ttng.cluster_arrive {relaxed = false}    barrier.cluster.arrive.aligned
    ttng.cluster_wait                        barrier.cluster.wait.aligned

What a block wrote before it arrived is seen by those that have waited; not so where it arrived
relaxed. Source: PTX ISA 9.0, barrier.cluster.
"""

from __future__ import annotations

from weft.codegen.lowering.common.lowering import Lowering, number
from weft.codegen.lowering.registry import lowers
from weft.errors import CodegenError
from weft.ir import ttng


@lowers(ttng.ClusterArriveOp)
def _arrive(low: Lowering, op: ttng.ClusterArriveOp) -> None:
    if low.groups is not None:
        low.groups.bring_all(low.threads, low.hardware, low.writer)
    how = "arrive.relaxed" if number(op, "relaxed") else "arrive"
    low.writer.call("void", f"llvm.nvvm.barrier.cluster.{how}.aligned")


@lowers(ttng.ClusterWaitOp)
def _wait(low: Lowering, op: ttng.ClusterWaitOp) -> None:
    """Wait; the warps behind the kernel's do where they arrive."""
    if low.groups is not None and low.groups.parted:
        raise CodegenError(f"{op.name} is for all threads of a block", hint="not while warps part")
    low.writer.call("void", "llvm.nvvm.barrier.cluster.wait.aligned")
