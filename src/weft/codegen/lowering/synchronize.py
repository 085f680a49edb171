"""Barriers and waits that the IR asks for itself, and what it tells AMD's scheduler.

ttg.barrier local           all threads, and what they wrote to shared memory
rocdl.s.barrier             all threads, and nothing of memory
amdg.cluster_barrier_wait   all blocks of the cluster have arrived
amdg.cond_barrier %p        half of the warps wait once more, so that they run behind the others
rocdl.sched.barrier 0       nothing moves across
"""

from __future__ import annotations

from xdsl.ir import Operation

from weft.codegen.hardware.amd_program import signal_cluster, wait_for_cluster
from weft.codegen.lowering.common.lowering import Lowering, number
from weft.codegen.lowering.registry import lowers
from weft.errors import CodegenError, WeftError
from weft.ir import amdg
from weft.targets.wait_counters import wait_instruction

_LOCAL = 1  # of ttg.barrier's kinds of memory
_TWO_PRODUCTS = 2  # of LLVM's orders

# The properties of each operation that are the intrinsic's arguments, and their types.
_HINTS: dict[str, tuple[tuple[str, str], ...]] = {
    "rocdl.iglp.opt": (("i32", "variant"),),
    "rocdl.s.nop": (("i16", "count"),),
    "rocdl.s.setprio": (("i16", "priority"),),
    "rocdl.s.sleep": (("i32", "count"),),
    "rocdl.s.wait.asynccnt": (("i16", "count"),),
    "rocdl.s.wait.dscnt": (("i16", "count"),),
    "rocdl.s.wait.expcnt": (("i16", "count"),),
    "rocdl.s.wait.loadcnt": (("i16", "count"),),
    "rocdl.s.wait.storecnt": (("i16", "count"),),
    "rocdl.s.wait.tensorcnt": (("i16", "count"),),
    "rocdl.s.waitcnt": (("i32", "bitfield"),),
    "rocdl.sched.barrier": (("i32", "mask"),),
    "rocdl.sched.group.barrier": (("i32", "mask"), ("i32", "size"), ("i32", "groupId")),
}


@lowers("ttg.barrier", "gpu.barrier", "rocdl.barrier")
def _barrier(low: Lowering, op: Operation) -> None:
    kinds = number(op, "addrSpace") if op.name == "ttg.barrier" else _LOCAL
    low.barrier(everywhere=kinds > _LOCAL)


@lowers("rocdl.s.barrier")
def _plain_barrier(low: Lowering, op: Operation) -> None:
    low.writer.call("void", "llvm.amdgcn.s.barrier")


@lowers("amdg.cond_barrier")
def _conditional_barrier(low: Lowering, op: Operation) -> None:
    with low.writer.where(low.scalar(op.operands[0]), "wait"):
        low.writer.call("void", "llvm.amdgcn.s.barrier")


@lowers("amdg.cluster_barrier_arrive")
def _arrive(low: Lowering, op: Operation) -> None:
    signal_cluster(low.writer, low.threads.first_warps(1))


@lowers("amdg.cluster_barrier_wait")
def _wait_for_cluster(low: Lowering, op: Operation) -> None:
    wait_for_cluster(low.writer)


@lowers(*_HINTS)
def _hint(low: Lowering, op: Operation) -> None:
    given = [(type_, str(number(op, name))) for type_, name in _HINTS[op.name]]
    low.writer.call("void", f"llvm.amdgcn.{op.name.removeprefix('rocdl.')}", *given)


@lowers("amdg.memory_counter_wait")
def _counter_wait(low: Lowering, op: Operation) -> None:
    assert isinstance(op, amdg.MemoryCounterWaitOp)
    for kind, name in (("load", "load"), ("store", "store"), ("shared", "ds")):
        if name in op.properties:
            wait(low, kind, number(op, name))


@lowers("amdg.instruction_sched_hint")
def _schedule(low: Lowering, op: Operation) -> None:
    """Ask LLVM for its order of loops with two products; nothing crosses where the loop begins.

    Source: Triton 3.7.1, its LLVM IR of schedule_hint="attention".
    """
    assert isinstance(op, amdg.InstructionSchedHintOp)
    if op.variant.text == "none":
        return
    low.writer.call("void", "llvm.amdgcn.sched.barrier", ("i32", "0"))
    low.writer.call("void", "llvm.amdgcn.iglp.opt", ("i32", str(_TWO_PRODUCTS)))


@lowers("rocdl.workitem.id.x", "rocdl.workitem.id.y", "rocdl.workitem.id.z")
def _workitem(low: Lowering, op: Operation) -> None:
    name = f"llvm.amdgcn.{op.name.removeprefix('rocdl.')}"
    low.define(op.results[0], [low.writer.call("i32", name)])


@lowers("rocdl.readfirstlane")
def _first_lane(low: Lowering, op: Operation) -> None:
    value = low.scalar(op.operands[0])
    name = "llvm.amdgcn.readfirstlane.i32"
    low.define(op.results[0], [low.writer.call("i32", name, ("i32", value))])


def wait(low: Lowering, kind: str, pending: int) -> None:
    """Wait until at most so many operations of a kind are under way.

    Raises: CodegenError: the chip does not count them.
    """
    try:
        intrinsic, argument = wait_instruction(str(low.hardware.target.arch), kind, pending)
    except WeftError as error:
        raise CodegenError(error.message, found=error.found, accepted=error.accepted) from error
    type_ = "i32" if intrinsic == "s.waitcnt" else "i16"
    low.writer.call("void", f"llvm.amdgcn.{intrinsic}", (type_, str(argument)))
