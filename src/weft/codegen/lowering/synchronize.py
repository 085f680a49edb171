"""Barriers and waits of the IR, and AMD's scheduling hints.

ttg.barrier local           all threads, ordering shared memory
rocdl.s.barrier             all threads, ordering no memory
amdg.cluster_barrier_wait   all workgroups of the cluster have arrived
amdg.cond_barrier %p        half of the waves wait once more, so that they run later than the others
rocdl.sched.barrier 0       LLVM moves no instruction across
"""

from __future__ import annotations

from contextlib import nullcontext

from xdsl.ir import Operation

from weft.codegen.hardware.amd.synchronization import signal_cluster, wait_for_cluster
from weft.codegen.lowering.amd.dot_priority import raises_priority_of_dot, set_priority
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.registry import lowers
from weft.errors import CodegenError, WeftError
from weft.ir import amdg, gpu, rocdl, scf, ttg
from weft.lowering_plans.properties import integer_property
from weft.targets.wait_counters import wait_instruction

_LOCAL = 1  # ttg.barrier's address space bit of shared memory
_TWO_DOTS = 2  # variant of iglp_opt

# The properties of each operation that are the intrinsic's arguments: (type, name) each.
_HINTS: dict[type[Operation], tuple[tuple[str, str], ...]] = {
    rocdl.IglpOptOp: (("i32", "variant"),),
    rocdl.SNopOp: (("i16", "count"),),
    rocdl.SSleepOp: (("i32", "count"),),
    rocdl.WaitAsynccntOp: (("i16", "count"),),
    rocdl.WaitDscntOp: (("i16", "count"),),
    rocdl.WaitExpcntOp: (("i16", "count"),),
    rocdl.WaitLoadcntOp: (("i16", "count"),),
    rocdl.WaitStorecntOp: (("i16", "count"),),
    rocdl.WaitTensorcntOp: (("i16", "count"),),
    rocdl.SWaitcntOp: (("i32", "bitfield"),),
    rocdl.SchedBarrierOp: (("i32", "mask"),),
    rocdl.SchedGroupBarrierOp: (("i32", "mask"), ("i32", "size"), ("i32", "groupId")),
}


@lowers(ttg.BarrierOp, gpu.BarrierOp, rocdl.BarrierOp)
def _barrier(ctx: LoweringContext, op: Operation) -> None:
    kinds = integer_property(op, "addrSpace") if isinstance(op, ttg.BarrierOp) else _LOCAL
    ctx.barrier(global_memory=kinds > _LOCAL)


@lowers(rocdl.SBarrierOp)
def _plain_barrier(ctx: LoweringContext, op: rocdl.SBarrierOp) -> None:
    ctx.writer.call("void", "llvm.amdgcn.s.barrier")


@lowers(amdg.CondBarrierOp)
def _conditional_barrier(ctx: LoweringContext, op: amdg.CondBarrierOp) -> None:
    with ctx.writer.where(ctx.scalar(op.operands[0]), "wait"):
        ctx.writer.call("void", "llvm.amdgcn.s.barrier")


@lowers(amdg.ClusterBarrierArriveOp)
def _arrive(ctx: LoweringContext, op: amdg.ClusterBarrierArriveOp) -> None:
    signal_cluster(ctx.writer, ctx.threads.is_in_first_warps(1))


@lowers(amdg.ClusterBarrierWaitOp)
def _wait_for_cluster(ctx: LoweringContext, op: amdg.ClusterBarrierWaitOp) -> None:
    wait_for_cluster(ctx.writer)


@lowers(rocdl.SetPrioOp)
def _priority(ctx: LoweringContext, op: rocdl.SetPrioOp) -> None:
    if not raises_priority_of_dot(op):
        set_priority(ctx.writer, op)


@lowers(*_HINTS)
def _hint(ctx: LoweringContext, op: Operation) -> None:
    arguments = [(type_, str(integer_property(op, name))) for type_, name in _HINTS[type(op)]]
    ctx.writer.call("void", f"llvm.amdgcn.{op.name.removeprefix('rocdl.')}", *arguments)


@lowers(amdg.MemoryCounterWaitOp)
def _counter_wait(ctx: LoweringContext, op: amdg.MemoryCounterWaitOp) -> None:
    for kind, name in (("load", "load"), ("store", "store"), ("shared", "ds")):
        if name in op.properties:
            wait(ctx, kind, integer_property(op, name))


@lowers(amdg.InstructionSchedHintOp)
def _schedule(ctx: LoweringContext, op: amdg.InstructionSchedHintOp) -> None:
    """Select LLVM's schedule for a loop with two dots, between barriers of the scheduler.

    The hint is the first operation of the loop's body. LLVM reads the strategy and the second
    barrier at the end of the block that the body starts with.

    Source: Triton, SchedInstructions.cpp.
    """
    if op.variant.text == "none":
        return
    barrier = ("void", "llvm.amdgcn.sched.barrier", ("i32", "0"))
    ctx.writer.call(*barrier)
    with ctx.writer.at_end_of_block() if isinstance(op.parent_op(), scf.ForOp) else nullcontext():
        ctx.writer.call("void", "llvm.amdgcn.iglp.opt", ("i32", str(_TWO_DOTS)))
        ctx.writer.call(*barrier)


@lowers(rocdl.WorkitemIdXOp, rocdl.WorkitemIdYOp, rocdl.WorkitemIdZOp)
def _workitem(ctx: LoweringContext, op: Operation) -> None:
    name = f"llvm.amdgcn.{op.name.removeprefix('rocdl.')}"
    ctx.define(op.results[0], [ctx.writer.call("i32", name)])


@lowers(rocdl.ReadfirstlaneOp)
def _first_lane(ctx: LoweringContext, op: rocdl.ReadfirstlaneOp) -> None:
    value = ctx.scalar(op.operands[0])
    name = "llvm.amdgcn.readfirstlane.i32"
    ctx.define(op.results[0], [ctx.writer.call("i32", name, ("i32", value))])


def wait(ctx: LoweringContext, kind: str, pending: int) -> None:
    """Wait until at most `pending` operations of a kind are in flight.

    Raises:
        CodegenError: The chip has no counter for them.
    """
    try:
        intrinsic, argument = wait_instruction(str(ctx.hardware.target.arch), kind, pending)
    except WeftError as error:
        raise CodegenError(error.message, found=error.found, accepted=error.accepted) from error
    type_ = "i32" if intrinsic == "s.waitcnt" else "i16"
    ctx.writer.call("void", f"llvm.amdgcn.{intrinsic}", (type_, str(argument)))
