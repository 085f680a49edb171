"""LDS barriers of gfx1250: 64 bits in LDS that arrivals count down, the counterpart of mbarriers.

    amdg.init_barrier %b, 4          store 3 and 3: pending arrivals less 1, and the count that a
                                     phase starts with; by the workgroup's first thread
    amdg.arrive_barrier %b, 1        ds_barrier_arrive_rtn_b64 by every thread; returns the parity
                                     of the phase before
    amdg.wait_barrier %b, %phase     poll bit 29 until it differs from %phase
    amdg.async_copy_mbarrier_arrive  ds_atomic_async_barrier_arrive_b64 by every thread, which
                                     arrives when the copies that its wave has started are done

A wait polls before it sleeps, and polls one word, in a scalar register. LDS keeps the order of a
wave's accesses; a single-thread fence keeps LLVM from reordering them.
Source: AMD's CDNA5 ISA, LDS split barriers; LLVM IR that Triton 3.7.1 emits.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.nvidia.mbarrier import barrier_address
from weft.codegen.lowering.registry import lowers
from weft.errors import CodegenError
from weft.ir import amdg
from weft.lowering_plans.properties import integer_property
from weft.targets.wait_counters import wait_counters

_SHARED = "ptr addrspace(3)"
_PHASE_BIT, _RELOAD_BIT = 29, 32
_MOST = 1 << 16  # maximum of arrivals per phase
_NAP = 1  # operand of s_sleep, 64 cycles; the end of a phase wakes waves


def _barrier(ctx: LoweringContext, view: SSAValue) -> str:
    """Compute the address of an mbarrier.

    Raises:
        CodegenError: The chip has none.
    """
    target = ctx.hardware.target
    if "copy" not in {row.kind for row in wait_counters(str(target.arch))}:
        raise CodegenError(f"{target} has no mbarriers in shared memory")
    return barrier_address(ctx, view)


@lowers(amdg.InitBarrierOp)
def _init(ctx: LoweringContext, op: amdg.InitBarrierOp) -> None:
    count, w, address = integer_property(op, "count"), ctx.writer, _barrier(ctx, op.alloc)
    if not 0 < count <= _MOST:
        raise CodegenError(
            "the arrival count of a barrier must be in the range 1 to 65536", found=count
        )
    with w.where(ctx.threads.is_first_thread(), "init"):
        w.line(f"store i64 {count - 1 << _RELOAD_BIT | count - 1}, {_SHARED} {address}, align 8")


@lowers(amdg.ArriveBarrierOp)
def _arrive(ctx: LoweringContext, op: amdg.ArriveBarrierOp) -> None:
    w, address = ctx.writer, _barrier(ctx, op.alloc)
    w.line('fence syncscope("singlethread") release')
    name = "llvm.amdgcn.ds.atomic.barrier.arrive.rtn.b64"
    before = w.call("i64", name, (_SHARED, address), ("i64", str(integer_property(op, "count"))))
    w.line('fence syncscope("singlethread") acquire')
    ctx.define(op.result, [_phase(ctx, w.value(f"trunc i64 {before} to i32"))])


@lowers(amdg.WaitBarrierOp)
def _wait(ctx: LoweringContext, op: amdg.WaitBarrierOp) -> None:
    w, address, phase = ctx.writer, _barrier(ctx, op.alloc), ctx.scalar(op.phase)
    look, nap, over = w.label("look"), w.label("nap"), w.label("over")
    w.jump(look)
    w.start(look)
    word = w.value(f"load volatile i32, {_SHARED} {address}, align 8")
    word = w.call("i32", "llvm.amdgcn.readfirstlane.i32", ("i32", word))
    w.branch(w.value(f"icmp ne i32 {_phase(ctx, word)}, {phase}"), over, nap)
    w.start(nap)
    w.call("void", "llvm.amdgcn.s.sleep", ("i32", str(_NAP)))
    w.jump(look)
    w.start(over)
    w.line('fence syncscope("singlethread") acquire')


def _phase(ctx: LoweringContext, word: str) -> str:
    """Compute the parity of a barrier's phase from its lower word."""
    moved = ctx.writer.value(f"lshr i32 {word}, {_PHASE_BIT}")
    return ctx.writer.value(f"and i32 {moved}, 1")


@lowers(amdg.AsyncCopyMbarrierArriveOp)
def _arrive_with_copies(ctx: LoweringContext, op: amdg.AsyncCopyMbarrierArriveOp) -> None:
    name = "llvm.amdgcn.ds.atomic.async.barrier.arrive.b64"
    ctx.writer.call("void", name, (_SHARED, _barrier(ctx, op.barrier)))
