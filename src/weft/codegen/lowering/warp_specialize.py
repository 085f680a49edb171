"""ttg.warp_specialize: partitions that groups of warps run concurrently (see `warp_groups`).

    ttg.warp_specialize(%x)
    default { … }                    by the kernel's warps, in place
    partition0(%a) num_warps(4) { … }   by warps 4 to 7, as separate blocks: %a is %x

A captured value of the kernel's entry block dominates all partitions; others are passed through
shared memory, the largest first.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace
from xdsl.ir import Operation

from weft.analysis.shared_memory_effects import Agent, shared_memory_effects
from weft.codegen.hardware import Hardware
from weft.codegen.llvm.writer import Writer
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.indices import ThreadIndices
from weft.codegen.lowering.common.scratch import scratch
from weft.codegen.lowering.common.warp_groups import (
    CLUSTER_BARRIER,
    EXIT,
    MAX_REGISTERS,
    STATE_BYTES,
    Partitions,
    capture_bytes,
    capture_types,
    only_block,
    size_of,
)
from weft.codegen.lowering.control_flow import terminator_operands
from weft.codegen.lowering.registry import lowers
from weft.errors import CodegenError
from weft.ir import tt, ttg
from weft.ir.attributes import array_values
from weft.ir.builtin import Block
from weft.ir.rewriting import walk
from weft.targets import Target

_FIRST_PARTITION = 2  # barrier number; 0 is the kernel's, 1 that of all warps
# Prefixes of values that dominate all blocks: entry block, arguments, globals.
_DOMINATING = ("%t", "%arg", "%scratch", "@")
WORKERS = "workers.all"  # label of the worker warps' loop


def take_registers(groups: Partitions, writer: Writer, count: int, before: int) -> None:
    """Change the number of registers per thread by setmaxnreg."""
    if groups.registers and count != before:
        verb = "inc" if count > before else "dec"
        text = f"setmaxnreg.{verb}.sync.aligned.u32 {count};"
        writer.line(f'call void asm sideeffect "{text}", ""() convergent')


def stop_workers(ctx: LoweringContext) -> None:
    """Let the worker warps return, before the kernel does."""
    if ctx.groups is not None:
        ctx.groups.publish_state(ctx.threads, ctx.writer, EXIT)
        ctx.hardware.synchronization.all_warps_barrier(ctx.writer)


@lowers(ttg.WarpYieldOp, ttg.WarpReturnOp)
def _ends(ctx: LoweringContext, op: Operation) -> None:
    """Write nothing: the parent operation reads the terminator's operands."""


@scratch(tt.FuncOp)
def _count_state_bytes(op: tt.FuncOp, target: Target) -> int:
    is_specialized = any(isinstance(inner, ttg.WarpSpecializeOp) for inner in walk(op))
    return STATE_BYTES if is_specialized else 0


@scratch(ttg.WarpSpecializeOp)
def _count_capture_bytes(op: ttg.WarpSpecializeOp, target: Target) -> int:
    return capture_bytes(op)


@lowers(ttg.WarpSpecializeOp)
def _specialize(ctx: LoweringContext, op: ttg.WarpSpecializeOp) -> None:
    groups, w = ctx.groups, ctx.writer
    if groups is None:
        raise CodegenError(
            "ttg.warp_specialize is supported in kernels, not in functions they call"
        )
    captured = _publish_captures(ctx, op)
    if _tma_overwrites_captures(ctx, op):
        ctx.hardware.synchronization.fence_async_proxy(w)
    number, groups.in_region = groups.number(op), True
    for n, region in enumerate(op.partitions):
        _partition(groups, ctx, op, n, _block(op, region), captured)
    groups.publish_state(ctx.threads, w, number)
    ctx.hardware.synchronization.all_warps_barrier(w)
    own = _registers(groups, op, 0, groups.own)
    take_registers(groups, w, own, groups.own)
    ctx.hardware.synchronization.all_warps_barrier(w)
    block = _block(op, op.defaultRegion)
    ctx.lower_block(block)
    for result, value in zip(op.results, terminator_operands(block), strict=True):
        ctx.define(result, ctx[value])
    ctx.hardware.synchronization.all_warps_barrier(w)
    take_registers(groups, w, groups.own, own)
    groups.in_region = False


def _block(op: Operation, region: object) -> Block:
    block = only_block(op, region)
    assert isinstance(block, Block)
    return block


def _registers(groups: Partitions, op: ttg.WarpSpecializeOp, region: int, before: int) -> int:
    """Get the registers per thread of a region; 0 is the default region, 1 the first partition."""
    if op.actualRegisters is None:
        return before
    return min(array_values(op.actualRegisters)[region], MAX_REGISTERS)


def _publish_captures(
    ctx: LoweringContext, op: ttg.WarpSpecializeOp
) -> list[list[tuple[str, str]]]:
    """Store the captured values that partitions do not know to shared memory.

    Returns:
        The parts of each captured value: (type, name), or (type, "at 128") if it is in shared
        memory at this offset.
    """
    values = op.holder.operands
    results = [
        list(zip(capture_types(value.type, len(ctx[value])), ctx[value], strict=True))
        for value in values
    ]
    stored = [
        (value, part)
        for value, parts in enumerate(results)
        for part, (_, name) in enumerate(parts)
        if name.startswith("%") and not name.startswith(_DOMINATING)
    ]
    if not stored:
        return results
    place, w = ctx.allocation.scratch[op], ctx.writer
    offset = place.start
    for value, part in sorted(stored, key=lambda each: -size_of(results[each[0]][each[1]][0])):
        type_, name = results[value][part]
        stored_type = "i8" if type_ == "i1" else type_
        stored_value = w.value(f"zext i1 {name} to i8") if type_ == "i1" else name
        address, size = ctx.threads.constant_address(offset), size_of(type_)
        w.line(f"store {stored_type} {stored_value}, ptr addrspace(3) {address}, align {size}")
        results[value][part] = (type_, f"at {offset}")
        offset += size
    assert offset <= place.end, "captures need more shared memory than counted"
    return results


def _tma_overwrites_captures(ctx: LoweringContext, op: ttg.WarpSpecializeOp) -> bool:
    """Check whether TMA copies of a region write the bytes of the captures."""
    captures = ctx.allocation.scratch.get(op)
    effects = [shared_memory_effects(inner) for inner in walk(op) if inner is not op]
    return captures is not None and any(
        written.overlaps(captures)
        for each in effects
        if each.agent is Agent.TMA
        for written in ctx.allocation.bytes_of(each.writes)
    )


def _partition(
    groups: Partitions,
    ctx: LoweringContext,
    op: ttg.WarpSpecializeOp,
    n: int,
    block: Block,
    captured: Sequence[Sequence[tuple[str, str]]],
) -> None:
    """Lower a partition to separate blocks for its warps."""
    mark = f"p{groups.number(op)}.{n}"
    head, body = (_writer(ctx.writer, label, mark) for label in ("head", "partition"))
    warps, start = op.num_warps[n], groups.starts[op][n]
    lanes = ctx.hardware.target.threads_per_warp
    inside = replace(
        ctx,
        hardware=ctx.hardware.for_partition(_FIRST_PARTITION + n, warps * lanes),
        writer=body,
        threads=_threads(head, ctx, start, warps),
        values={},
        labels={},
        merges={},
        arrivals={},
        select_phis={},
    )
    for argument, parts in zip(block.args, captured, strict=True):
        inside.define(argument, [_captured_part(inside, *part) for part in parts])
    ctx.hardware.synchronization.all_warps_barrier(body)
    registers = _registers(groups, op, n + 1, groups.idle)
    take_registers(groups, body, registers, groups.idle)
    inside.lower_block(block)
    ctx.hardware.synchronization.all_warps_barrier(body)
    take_registers(groups, body, groups.idle, registers)
    body.jump(WORKERS)
    head.jump(f"partition.{mark}")
    groups.texts += [head, body]


def _writer(other: Writer, label: str, mark: str) -> Writer:
    """Create a writer for the same module, with names that are unique in the function."""
    whole = f"{label}.{mark}"
    return Writer(
        block=whole,
        prefix=f"%{whole}.",
        mark=f".{mark}",
        first=whole,
        declarations=other.declarations,
        globals=other.globals,
        libraries=other.libraries,
    )


def _captured_part(ctx: LoweringContext, type_: str, name: str) -> str:
    """Get a captured part, from shared memory if it is there."""
    kind, _, offset = name.partition(" ")
    if kind != "at":
        return name
    w, stored_type = ctx.writer, "i8" if type_ == "i1" else type_
    place = ctx.threads.constant_address(int(offset))
    value = w.value(f"load {stored_type}, ptr addrspace(3) {place}, align {size_of(type_)}")
    return w.value(f"trunc i8 {value} to i1") if type_ == "i1" else value


def _threads(head: Writer, ctx: LoweringContext, start: int, warps: int) -> ThreadIndices:
    """Compute a thread's coordinates in a partition whose first warp is `start`."""
    _, lanes = ctx.threads.ids["lane"]
    thread = ctx.hardware.program.thread_id(head)
    lane = head.value(f"and i32 {thread}, {(1 << lanes) - 1}")
    bits = warps.bit_length() - 1
    warp, own = "0", lane
    if bits:
        own = head.value(f"sub i32 {thread}, {start << lanes}")
        warp = ctx.hardware.program.uniform(head, head.value(f"lshr i32 {own}, {lanes}"))
    ids = {"lane": (lane, lanes), "warp": (warp, bits), "block": ctx.threads.ids["block"]}
    return ThreadIndices(head, ids, own, ctx.threads.shared)


def dispatch_warps(groups: Partitions, hardware: Hardware, entry: Writer) -> list[Writer]:
    """Terminate the entry block: branch to the kernel's body, or to the worker warps' loop.

    Returns:
        The blocks of the worker warps.
    """
    lanes = hardware.target.threads_per_warp.bit_length() - 1
    number = entry.value(f"lshr i32 {hardware.program.thread_id(entry)}, {lanes}")
    warp = hardware.lanes.shuffle_index(entry, number, "0")  # uniform in the warp
    own = entry.value(f"icmp ult i32 {warp}, {groups.warps}")
    entry.branch(own, "own", "behind")
    fair = groups.registers
    for label, registers, following in (
        ("own", groups.own, "body"),
        ("behind", groups.idle, WORKERS),
    ):
        entry.start(label)
        take_registers(groups, entry, registers, fair)
        entry.jump(following)
    return [_workers(groups, hardware, entry, warp), *groups.texts]


def _workers(groups: Partitions, hardware: Hardware, entry: Writer, warp: str) -> Writer:
    """Write the loop of the worker warps: wait, and branch to their partition.

    Args:
        groups: The partitions.
        hardware: The chip.
        entry: Writer of the entry block.
        warp: Number of the warp in the CTA.
    """
    w = _writer(entry, "workers", "all")
    hardware.synchronization.all_warps_barrier(w)
    base = hardware.module_format.shared_memory
    address = w.value(f"getelementptr i8, ptr addrspace(3) {base}, i32 {groups.state}")
    state = w.value(f"load i32, ptr addrspace(3) {address}, align 4")
    rest = w.label("search")
    w.branch(w.value(f"icmp eq i32 {state}, {EXIT}"), "leave", rest)
    if groups.uses_cluster_barrier:
        w.start(rest)
        rest, meet = w.label("search"), w.label("meet")
        w.branch(w.value(f"icmp eq i32 {state}, {CLUSTER_BARRIER}"), meet, rest)
        w.start(meet)
        hardware.synchronization.cluster_barrier(w)
        w.jump(WORKERS)
    for op, starts in groups.starts.items():
        assert isinstance(op, ttg.WarpSpecializeOp)
        number = groups.number(op)
        for n, (start, count) in enumerate(zip(starts, op.num_warps, strict=True)):
            w.start(rest)
            rest = w.label("search")
            runs = w.value(f"icmp eq i32 {state}, {number}")
            distance = w.value(f"sub i32 {warp}, {start}")
            mine = w.value(f"icmp ult i32 {distance}, {count}")
            w.branch(w.value(f"and i1 {runs}, {mine}"), f"head.p{number}.{n}", rest)
    w.start(rest)
    # No partition for this warp: take part in the two barriers of the region only.
    hardware.synchronization.all_warps_barrier(w)
    hardware.synchronization.all_warps_barrier(w)
    w.jump(WORKERS)
    w.start("leave")
    w.line("ret void")
    return w
