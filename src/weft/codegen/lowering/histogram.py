"""tt.histogram: counters in shared memory, one atomic increment per element.

    tt.histogram %x : tensor<1024xi32> -> tensor<64xi32>, 4 warps

    64 threads clear a counter each
    barrier
    each thread increments the counter of each of its elements      (8 times)
    barrier
    each thread loads the counters of its registers of the result

NVIDIA's hardware merges increments of the same address, so this takes one instruction per register
where comparing bins across lanes takes dozens. Out-of-range and masked elements, and replicas in
other threads, are not counted. Each CTA of a cluster counts its own elements; threads then add the
counters of all CTAs.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation

from weft.codegen.hardware.common.shared_memory import load_plain
from weft.codegen.llvm.types import llvm_type, storage_bytes
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.registers import layout_of, representative_parts
from weft.codegen.lowering.common.scratch import scratch
from weft.codegen.lowering.global_memory import and_predicates
from weft.codegen.lowering.registry import lowers
from weft.errors import CodegenError
from weft.ir import tt, types
from weft.ir.module_attributes import lookup_num_warps
from weft.lowering_plans.histogram import counters_per_load, counting_ctas
from weft.targets import Target


@lowers(tt.HistogramOp)
def _histogram(ctx: LoweringContext, op: tt.HistogramOp) -> None:
    if types.element(op.result.type) != types.i32:
        raise CodegenError(
            "the result of a histogram must have element type i32",
            found=types.element(op.result.type),
            accepted=["i32"],
        )
    bins = types.shape(op.result.type)[0]
    start = ctx.scratch_offset(op)
    _clear(ctx, op, start, bins)
    ctx.barrier()
    _count(ctx, op, start, bins)
    homes = _blocks_that_count(ctx, op)
    if len(homes) > 1:
        ctx.cluster_barrier()
    else:
        ctx.barrier()
    ctx.define(op.result, _read(ctx, op, start, homes))
    if len(homes) > 1:
        ctx.cluster_barrier()  # other CTAs may still be loading


def _blocks_that_count(ctx: LoweringContext, op: tt.HistogramOp) -> list[str]:
    """List the ranks of the CTAs that count different elements."""
    others = counting_ctas(op)
    parts = [part for part in range(others + 1) if not part & ~others]
    return [ctx.threads.with_bits("block", others, part) for part in parts]


def _read(ctx: LoweringContext, op: tt.HistogramOp, start: int, homes: Sequence[str]) -> list[str]:
    """Load the result's registers by vector loads; sum the counters of several CTAs."""
    w, layout = ctx.writer, layout_of(op.result.type)
    together = counters_per_load(op)
    places = ctx.threads.indices(w, layout, 0)
    results: list[str] = []
    for place in places[::together]:
        if len(homes) == 1:
            results += load_plain(w, 32, ctx.shared_address("i32", place, start), together)
            continue
        space, total = ctx.hardware.memory.remote_space, ["0"] * together
        for home in homes:
            address = ctx.remote_address("i32", place, start, home)
            counts = load_plain(w, 32, address, together, space=space)
            total = [w.value(f"add i32 {a}, {b}") for a, b in zip(total, counts, strict=True)]
        results += total
    return ctx.replicate(op.result, results)


def _clear(ctx: LoweringContext, op: Operation, start: int, bins: int) -> None:
    """Clear the counters, one per thread at a time."""
    w = ctx.writer
    threads = ctx.hardware.target.threads_per_warp * lookup_num_warps(op)
    thread = ctx.threads.thread
    awake = w.value(f"icmp ult i32 {thread}, {bins}") if bins < threads else ""
    with w.where(awake, "clear"):
        for first in range(0, bins, threads):
            address = ctx.shared_address("i32", thread, start + 4 * first)
            w.line(f"store i32 0, ptr addrspace(3) {address}, align 4")


def _count(ctx: LoweringContext, op: tt.HistogramOp, start: int, bins: int) -> None:
    w, type_ = ctx.writer, llvm_type(op.src.type)
    owner = ctx.owner_predicate_in_cta(op.src.type)
    firsts = representative_parts(op.src.type)
    for register, value in enumerate(ctx[op.src]):
        if firsts[register] != register:
            continue
        is_bin = w.value(f"icmp {_bound(type_, bins)}".format(value))
        if op.mask is not None:
            is_bin = and_predicates(ctx, is_bin, ctx[op.mask][register])
        address = ctx.shared_address("i32", _index(ctx, type_, value), start)
        ctx.hardware.memory.increment_shared(w, address, and_predicates(ctx, owner, is_bin))


def _bound(type_: str, bins: int) -> str:
    """Format a comparison that is true for bins, and false for negative numbers."""
    if bins >= 1 << (int(type_[1:]) - 1):
        return f"sge {type_} {{}}, 0"
    return f"ult {type_} {{}}, {bins}"


def _index(ctx: LoweringContext, type_: str, value: str) -> str:
    """Convert a bin's number to i32."""
    bits = int(type_[1:])
    if bits == 32:
        return value
    return ctx.writer.value(f"{'zext' if bits < 32 else 'trunc'} {type_} {value} to i32")


@scratch(tt.HistogramOp)
def _bytes(op: tt.HistogramOp, target: Target) -> int:
    """Count one counter per bin."""
    result = op.results[0].type
    return types.shape(result)[0] * storage_bytes(result)
