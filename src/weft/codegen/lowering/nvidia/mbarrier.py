"""mbarriers: 64 bits in shared memory that count arrivals and the bytes of TMA copies.

    ttng.init_barrier %m, 1          mbarrier.init               by the CTA's first thread
    ttng.barrier_expect %m, 8192     mbarrier.arrive.expect_tx   by the same thread: arrives, and
                                                                 expects 8192 bytes in this phase
    ttng.wait_barrier %m, %phase     mbarrier.try_wait.parity    by all threads, until it completes
    ttng.inval_barrier %m            mbarrier.inval              frees the bytes for other data

In a cluster each CTA has an mbarrier, or several CTAs share the one of their first CTA. Of four:

    memdesc<4xi64>, CGALayout = [[1], [2]]    one each
    memdesc<2xi64>, CGALayout = [[0], [1]]    CTAs 0 and 1 share that of 0; 2 and 3 share that of 2

Only the first of the sharing CTAs expects bytes, those of all of them, and waits. Every CTA
initializes its own mbarrier and arrives on it. Multicast copies and MMA commits arrive on the
shared one.
Source: PTX ISA 9.0, mbarrier; measured with Triton 3.7.1.
"""

from __future__ import annotations

from math import prod

from xdsl.ir import SSAValue

from weft.analysis.buffer_size import shape_per_cta
from weft.codegen.hardware.nvidia.inline_ptx import SHARED, guard, ptx
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.cta_masks import replica_cta_bits
from weft.codegen.lowering.registry import lowers
from weft.errors import CodegenError
from weft.ir import ttng
from weft.lowering_plans.memdesc import memdesc_of
from weft.lowering_plans.properties import integer_property

_WORD = "shared::cta.b64"


def barrier_address(ctx: LoweringContext, view: SSAValue) -> str:
    """Compute the address of this CTA's mbarrier.

    Raises:
        CodegenError: The view has several mbarriers of this CTA.
    """
    _check_one_per_cta(ctx, view)
    address, offset = ctx.view(view)
    if offset == "0":
        return address
    return ctx.writer.value(f"getelementptr i64, {SHARED} {address}, i32 {offset}")


def _check_one_per_cta(ctx: LoweringContext, view: SSAValue) -> None:
    type_ = memdesc_of(view)
    ctas = 1 << ctx.threads.ids["block"][1]
    sharing_ctas = 1 << replica_cta_bits(view).bit_count()
    if prod(type_.shape) * sharing_ctas != ctas or prod(shape_per_cta(type_)) != 1:
        raise CodegenError(
            "expected one mbarrier for each CTA, or for CTAs that share it",
            found=type_,
            accepted=[
                "memdesc<1xi64>" if ctas == 1 else f"memdesc<{ctas}xi64> with CGALayout = [[1]…"
            ],
        )


def _is_first_sharing_cta(ctx: LoweringContext, view: SSAValue) -> str:
    """Compute whether this CTA is the first that shares an mbarrier, an i1; "" if all are."""
    return ctx.threads.bits_are_zero({"block": replica_cta_bits(view)})


def _by_first_thread(
    ctx: LoweringContext, text: str, barrier: SSAValue, condition: str = ""
) -> None:
    w = ctx.writer
    only = guard(w, ctx.threads.is_first_thread(), condition)
    ptx(w, f"@$0 {text};", ("b", "i1", only), ("r", SHARED, barrier_address(ctx, barrier)))


def _is_used(ctx: LoweringContext, op: ttng.InitBarrierOp | ttng.InvalBarrierOp) -> bool:
    """Check whether anything waits for an mbarrier or arrives on it.

    The memory of others may hold something else at the same time.

    Raises:
        CodegenError: The operand has several mbarriers of this CTA.
    """
    _check_one_per_cta(ctx, op.alloc)
    buffers = ctx.allocation.aliases.get(op.alloc)
    mbarriers = ctx.allocation.mbarriers
    return not buffers or any(b in mbarriers and mbarriers[b].is_used for b in buffers)


@lowers(ttng.InitBarrierOp)
def _init(ctx: LoweringContext, op: ttng.InitBarrierOp) -> None:
    """Initialize an mbarrier that is used, and synchronize the warp.

    ptxas may let any lane of the warp execute a predicated mbarrier operation, so without the warp
    barrier the next arrival races with the initialization (compute-sanitizer, racecheck).
    """
    if not _is_used(ctx, op):
        return
    _by_first_thread(ctx, f"mbarrier.init.{_WORD} [$1], {integer_property(op, 'count')}", op.alloc)
    ctx.hardware.synchronization.warp_barrier(ctx.writer)


@lowers(ttng.InvalBarrierOp)
def _end(ctx: LoweringContext, op: ttng.InvalBarrierOp) -> None:
    if _is_used(ctx, op):
        _by_first_thread(ctx, f"mbarrier.inval.{_WORD} [$1]", op.alloc)


@lowers(ttng.BarrierExpectOp)
def _expect(ctx: LoweringContext, op: ttng.BarrierExpectOp) -> None:
    size = integer_property(op, "size") << replica_cta_bits(op.alloc).bit_count()
    text = f"mbarrier.arrive.expect_tx.{_WORD} _, [$1], {size}"
    condition = guard(ctx.writer, ctx.scalar(op.pred), _is_first_sharing_cta(ctx, op.alloc))
    _by_first_thread(ctx, text, op.alloc, condition)


@lowers(ttng.ArriveBarrierOp)
def _arrive(ctx: LoweringContext, op: ttng.ArriveBarrierOp) -> None:
    condition = ctx.scalar(op.optionals[0]) if op.optionals else ""
    text = f"mbarrier.arrive.{_WORD} _, [$1], {integer_property(op, 'count')}"
    _by_first_thread(ctx, text, op.alloc, condition)


@lowers(ttng.WaitBarrierOp)
def _wait(ctx: LoweringContext, op: ttng.WaitBarrierOp) -> None:
    """Try until the phase completes; try_wait suspends the thread for a time limit of the chip."""
    predicate = "" if op.pred is None else ctx.scalar(op.pred)
    condition = guard(ctx.writer, predicate, _is_first_sharing_cta(ctx, op.alloc))
    skip = "@!$2 bra.uni over; " if condition != "true" else ""
    operands = [
        ("r", SHARED, barrier_address(ctx, op.alloc)),
        ("r", "i32", ctx.scalar(op.phase)),
        *([("b", "i1", condition)] if skip else []),
    ]
    text = (
        f"{{ .reg .pred done; {skip}again: mbarrier.try_wait.parity.{_WORD} done, [$0], $1; "
        f"@!done bra.uni again; {'over: ' if skip else ''}}}"
    )
    ptx(ctx.writer, text, *operands)


@lowers(ttng.AsyncCopyMbarrierArriveOp)
def _arrive_with_copies(ctx: LoweringContext, op: ttng.AsyncCopyMbarrierArriveOp) -> None:
    """Arrive for each thread when its earlier cp.async operations have completed."""
    noinc = "" if op.noIncrement is None else "noinc."
    address = barrier_address(ctx, op.barrier)
    ptx(ctx.writer, f"cp.async.mbarrier.arrive.{noinc}{_WORD} [$0];", ("r", SHARED, address))


@lowers(ttng.FenceMBarrierInitReleaseClusterOp)
def _fence(ctx: LoweringContext, op: ttng.FenceMBarrierInitReleaseClusterOp) -> None:
    ptx(ctx.writer, "fence.mbarrier_init.release.cluster;")
