"""TMA: copies of tiles between global and shared memory, box by box.

    ttng.async_tma_copy_global_to_local %d[%i, %j] %b, %m, %p
    →   cp.async.bulk.tensor.2d.shared::cta.global.mbarrier… [b], [d, {j, i}], [m];

By hand, for a tile of 128x128 f16 that is swizzled by 128 bytes and copied by four warps:

    box 0   64 columns from (0, 0)     shared bytes 0 to 16383        elected thread of warp 0
    box 1   64 columns from (0, 64)    shared bytes 16384 to 32767    elected thread of warp 1

Shared address and coordinates of a box are linear in the warp's index, so both boxes are one
instruction, which two threads execute. Coordinates are listed from the fastest dimension. A copy
to shared memory completes on an mbarrier. Copies to global memory are counted in bulk groups of the
thread that issued them, which waits for them.

The CTAs of a cluster copy the parts of a tile that they hold. With `multicast`, the first CTA among
those that hold the same part copies it to all of them, and completes on the mbarrier of each:

    CGALayout = [[0, 0]]    cp.async.bulk.tensor….multicast::cluster … [b], [d, {j, i}], [m], 3;

Source: PTX ISA 9.0, cp.async.bulk.tensor and cp.reduce.async.bulk.tensor.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from xdsl.ir import SSAValue

from weft.codegen.hardware.nvidia.inline_ptx import SHARED, elected, guard, ptx
from weft.codegen.llvm.types import storage_bytes
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.cta_masks import cta_tile_start, multicast_mask, replica_cta_bits
from weft.codegen.lowering.common.indices import register_offsets
from weft.codegen.lowering.common.memdesc import memdesc_of, shape_per_cta
from weft.codegen.lowering.common.properties import integer_property
from weft.codegen.lowering.common.registers import layout_of
from weft.codegen.lowering.nvidia.mbarrier import barrier_address
from weft.codegen.lowering.nvidia.tma_boxes import box_shape, row_offset, tma_boxes
from weft.codegen.lowering.registry import lowers
from weft.errors import CodegenError
from weft.ir import ttng
from weft.ir.enums import CacheModifier, DescriptorReduceKind, EvictionPolicy
from weft.layouts import LinearLayout
from weft.targets import Target
from weft.targets.tensor_cores import tensor_cores

_OWN_MEMORY_SINCE = (8, 6)  # release of PTX
_ROWS = 4  # that one gather or scatter moves
_REDUCTIONS = {
    DescriptorReduceKind.ADD: "add",
    DescriptorReduceKind.MIN: "min",
    DescriptorReduceKind.MAX: "max",
    DescriptorReduceKind.INC: "inc",
    DescriptorReduceKind.DEC: "dec",
    DescriptorReduceKind.AND: "and",
    DescriptorReduceKind.OR: "or",
    DescriptorReduceKind.XOR: "xor",
}


def _address(ctx: LoweringContext, view: SSAValue, offset: int, warp: str) -> str:
    """Compute the shared memory address of a box.

    Args:
        ctx: State of the function.
        view: A memory descriptor.
        offset: In elements from the view's start.
        warp: Bytes that the warp adds, an i32.
    """
    w, size = ctx.writer, storage_bytes(memdesc_of(view).element_type)
    address, moved = ctx[view]
    if moved != "0":
        place = w.value(f"xor i32 {moved}, {offset}") if offset else moved
        address = w.value(f"getelementptr i{8 * size}, {SHARED} {address}, i32 {place}")
    elif offset:
        address = w.value(f"getelementptr i8, {SHARED} {address}, i32 {offset * size}")
    if warp == "0":
        return address
    return w.value(f"getelementptr i8, {SHARED} {address}, i32 {warp}")


def _moves(
    ctx: LoweringContext, view: SSAValue, indices: Sequence[SSAValue], condition: str = ""
) -> Iterator[tuple[str, str, list[str]]]:
    """Yield who starts a box, where it lies in shared memory, and its coordinates, for each box.

    The warps take one box each, as long as there are any.
    """
    w, threads, type_ = ctx.writer, ctx.threads, memdesc_of(view)
    boxes, size = tma_boxes(type_), storage_bytes(type_.element_type)
    bits = min(threads.ids["warp"][1], len(boxes).bit_length() - 1)
    several = 1 << bits
    firsts = [boxes[1 << bit] for bit in range(bits)]
    spare = [0] * (threads.ids["warp"][1] - bits)
    warp = threads.apply_bases("warp", [box.offset * size for box in firsts] + spare)
    lead = len(indices) - len(type_.shape)
    steps = [
        threads.apply_bases("warp", [box.start[dim] for box in firsts] + spare)
        for dim in range(len(type_.shape))
    ]
    who = guard(w, threads.is_in_first_warps(several), condition, elected(w))
    shares = cta_tile_start(ctx, view)
    for first in range(0, len(boxes), several):
        box = boxes[first]
        coordinates = [ctx.scalar(index) for index in indices]
        for dim, start in enumerate(box.start):
            for part in (steps[dim], shares[dim], str(start)):
                if part != "0":
                    at = coordinates[lead + dim]
                    coordinates[lead + dim] = w.value(f"add i32 {at}, {part}")
        yield who, _address(ctx, view, box.offset, warp), coordinates


def _fetch(
    ctx: LoweringContext,
    name: str,
    moves: Iterator[tuple[str, str, list[str]]],
    descriptor: SSAValue,
    barrier: SSAValue,
    blocks: str = "",
) -> None:
    """Start copies into shared memory.

    Args:
        ctx: State of the function.
        name: Of the instruction, up to where the tiles come from.
        moves: The boxes: predicate, shared address, coordinates.
        descriptor: The tensor descriptor.
        barrier: The mbarrier.
        blocks: Those that get the tiles, a bit for each, an i16; "" for the block itself.

    Raises:
        CodegenError: As of `_told`.
    """
    space, mbarrier, group = _told(ctx, barrier)
    source = ctx.scalar(descriptor)
    for who, address, coordinates in moves:
        places, last = _places(len(coordinates), 3)
        also = [("h", "i16", blocks)] if blocks else []
        ptx(
            ctx.writer,
            f"@$0 {name}.global.mbarrier::complete_tx::bytes{'.multicast::cluster' * len(also)}"
            f"{group} [$1], [$2, {places}], [${last}]{f', ${last + 1}' * len(also)};",
            ("b", "i1", who),
            ("r", SHARED, address),
            ("l", "ptr", source),
            *(("r", "i32", at) for at in coordinates),
            ("r", space, mbarrier),
            *also,
        )


def _told(ctx: LoweringContext, barrier: SSAValue) -> tuple[str, str, str]:
    """Return a barrier that copies tell as an operand, type and value, and what it needs.

    Raises:
        CodegenError: It is neither the block's own nor that of a pair of blocks, to which alone a
            copy may tell that it arrived in the other.
    """
    own, shared = barrier_address(ctx, barrier), replica_cta_bits(barrier)
    if not shared:
        return SHARED, own, ""
    cores = tensor_cores(str(ctx.hardware.target)).families
    pairs = any(family.memory_columns for family in cores)  # they multiply for two blocks at once
    if shared != 1 or not pairs:
        raise CodegenError(
            "a TMA copy arrives on an mbarrier of its destination CTA",
            found=memdesc_of(barrier),
            accepted=["a barrier for each block"]
            + ["one for each pair of blocks, 0 and 1, 2 and 3 …"] * pairs,
        )
    first = ctx.threads.with_bits("block", shared, 0)
    address = ctx.hardware.memory.remote_address(ctx.writer, own, first)
    return f"ptr addrspace({ctx.hardware.memory.remote_space})", address, ".cta_group::2"


def _send(
    ctx: LoweringContext,
    name: str,
    operation: str,
    moves: Iterator[tuple[str, str, list[str]]],
    descriptor: SSAValue,
) -> None:
    """Start copies out of shared memory, as a group.

    Args:
        ctx: State of the function.
        name: Of the instruction, up to the direction.
        operation: ".add" and such, for copies that combine.
        moves: The boxes: predicate, shared address, coordinates.
        descriptor: The tensor descriptor.
    """
    target = ctx.scalar(descriptor)
    for who, address, coordinates in moves:
        places, last = _places(len(coordinates), 2)
        ptx(
            ctx.writer,
            f"@$0 {name}.global.shared::cta{operation}.bulk_group [$1, {places}], [${last}];",
            ("b", "i1", who),
            ("l", "ptr", target),
            *(("r", "i32", at) for at in coordinates),
            ("r", SHARED, address),
        )
    ptx(ctx.writer, "cp.async.bulk.commit_group;")


def _places(count: int, first: int) -> tuple[str, int]:
    """Return the operands that are coordinates as text, and the number of the one behind them."""
    return f"{{{', '.join(f'${first + n}' for n in range(count))}}}", first + count


def _tiles(
    ctx: LoweringContext, view: SSAValue, indices: Sequence[SSAValue], condition: str = ""
) -> Iterator[tuple[str, str, list[str]]]:
    """Yield moves of boxes, their coordinates in the order in which PTX has them."""
    for who, address, coordinates in _moves(ctx, view, indices, condition):
        yield who, address, coordinates[::-1]


@lowers(ttng.AsyncTMACopyGlobalToLocalOp)
def _load(ctx: LoweringContext, op: ttng.AsyncTMACopyGlobalToLocalOp) -> None:
    """Start a copy in.

    Raises:
        CodegenError: A copy of patches of an image, or one that tells caches something; Triton
            3.7.1 refuses it, too.
    """
    cache, evict = (
        CacheModifier.of(op.properties["cache"]),
        EvictionPolicy.of(op.properties["evict"]),
    )
    if cache is not CacheModifier.NONE or evict is not EvictionPolicy.NORMAL:
        raise CodegenError(
            "TMA copies support no cache modifier or eviction policy",
            found=f"cacheModifier {cache.keyword}, evictionPolicy {evict.keyword}",
        )
    if len(op.offsets):
        raise CodegenError("tiles are copied in tiled mode", found="offsets")
    same = replica_cta_bits(op.result) if op.multicast is not None else 0
    condition = guard(ctx.writer, ctx.scalar(op.pred), ctx.threads.bits_are_zero({"block": same}))
    moves = _tiles(ctx, op.result, op.coord, condition)
    own = not same and not replica_cta_bits(op.barrier)
    memory = _own_memory(ctx.hardware.target) if own else "shared::cluster"
    name = f"cp.async.bulk.tensor.{len(op.coord)}d.{memory}"
    blocks = multicast_mask(ctx, [same]) if same else ""
    _fetch(ctx, name, moves, op.desc, op.barrier, blocks)


def _own_memory(target: Target) -> str:
    """Get the state space of copies to this CTA's shared memory.

    Older releases know that of a cluster alone; then a chip without clusters asks at run time
    whose the memory is, and calls a function where it is another's.
    Source: PTX ISA, cp.async.bulk.tensor: .shared::cta as destination since PTX 8.6.
    """
    return "shared::cta" if target.ptx_release >= _OWN_MEMORY_SINCE else "shared::cluster"


def _first_holder(ctx: LoweringContext, view: SSAValue) -> str:
    """Return an i1: whether this is the first of the blocks that hold the same; "" if all are."""
    return ctx.threads.bits_are_zero({"block": replica_cta_bits(view)})


@lowers(ttng.AsyncTMACopyLocalToGlobalOp)
def _store(ctx: LoweringContext, op: ttng.AsyncTMACopyLocalToGlobalOp) -> None:
    name = f"cp.async.bulk.tensor.{len(op.coord)}d"
    _send(ctx, name, "", _tiles(ctx, op.src, op.coord, _first_holder(ctx, op.src)), op.desc)


@lowers(ttng.AsyncTMAReduceOp)
def _reduce(ctx: LoweringContext, op: ttng.AsyncTMAReduceOp) -> None:
    kind = DescriptorReduceKind.of(op.properties["kind"])
    if kind is DescriptorReduceKind.NONE:
        raise CodegenError("a reduction combines by something", accepted=_REDUCTIONS.values())
    name = f"cp.reduce.async.bulk.tensor.{len(op.coord)}d"
    moves = _tiles(ctx, op.src, op.coord, _first_holder(ctx, op.src))
    _send(ctx, name, f".{_REDUCTIONS[kind]}", moves, op.desc)


@lowers(ttng.TMAStoreWaitOp)
def _wait(ctx: LoweringContext, op: ttng.TMAStoreWaitOp) -> None:
    ptx(ctx.writer, f"cp.async.bulk.wait_group.read {integer_property(op, 'pendings')};")


# ------------------------------------------------------------------------------ rows by number
def _rows(
    ctx: LoweringContext,
    rows: SSAValue,
    column: SSAValue,
    view: SSAValue,
    verb: str,
    condition: str = "",
) -> Iterator[tuple[str, str, list[str]]]:
    """Yield moves of four rows each: their column, and their numbers.

    Args:
        ctx: State of the function.
        rows: Row indices, a tensor.
        column: First column, an i32.
        view: A memory descriptor.
        verb: "gather" or "scatter". A warp takes the rows whose numbers it holds; where several
            hold the same, the first of them.
        condition: An i1; "" for true.

    Raises:
        CodegenError: The chip moves no rows by number, or they are not held four by four.
    """
    w, threads, type_ = ctx.writer, ctx.threads, memdesc_of(view)
    if verb not in ctx.hardware.target.tensor_rows:
        raise CodegenError(
            f"TMA of {ctx.hardware.target} does not support {verb}",
            accepted=ctx.hardware.target.tensor_rows,
            hint="move them through pointers",
        )
    if shape_per_cta(type_) != type_.shape:
        raise CodegenError(f"unsupported {verb} of a tile that is split over CTAs", found=type_)
    layout = layout_of(rows.type)
    groups = _groups_of_four(layout)
    size, width = storage_bytes(type_.element_type), box_shape(type_)[-1]
    tma_boxes(type_)
    warp = threads.apply_bases(
        "warp", [row_offset(type_, (image[0], 0)) * size for image in layout.bases["warp"]]
    )
    spare = layout.free_variable_masks()["warp"]
    only = threads.bits_are_zero({"warp": spare})
    who = guard(w, only, condition, elected(w))
    for registers in groups:
        row = register_offsets(layout, 0)[registers[0]]
        numbers = [ctx[rows][register] for register in registers]
        for start in range(0, type_.shape[1], width):
            at = ctx.scalar(column)
            if start:
                at = w.value(f"add i32 {at}, {start}")
            address = _address(ctx, view, row_offset(type_, (row, start)), warp)
            yield who, address, [at, *numbers]


@lru_cache(maxsize=1024)
def _groups_of_four(layout: LinearLayout) -> tuple[tuple[int, ...], ...]:
    """Return the registers of each run of four rows.

    Raises:
        CodegenError: Lanes hold rows of their own, or a thread no four that follow each other.
    """
    offsets = register_offsets(layout, 0)
    firsts = {offset: register for register, offset in reversed(list(enumerate(offsets)))}
    groups = tuple(
        tuple(firsts.get(row + n, -1) for n in range(_ROWS))
        for row in sorted(firsts)
        if not row % 4
    )
    alone = any(image[0] for image in layout.bases["lane"])
    if alone or any(-1 in group for group in groups):
        raise CodegenError(
            "each thread of a warp must hold the numbers of four rows that follow each other",
            found=layout,
            hint="a layout with sizePerThread 4 along the rows, and all lanes along the columns",
        )
    return groups


@lowers(ttng.AsyncTMAGatherOp)
def _gather(ctx: LoweringContext, op: ttng.AsyncTMAGatherOp) -> None:
    moves = _rows(ctx, op.x_offsets, op.y_offset, op.result, "gather", ctx.scalar(op.pred))
    _fetch(ctx, "cp.async.bulk.tensor.2d.tile::gather4.shared::cta", moves, op.desc, op.barrier)


@lowers(ttng.AsyncTMAScatterOp)
def _scatter(ctx: LoweringContext, op: ttng.AsyncTMAScatterOp) -> None:
    moves = _rows(ctx, op.x_offsets, op.y_offset, op.src, "scatter")
    _send(ctx, "cp.async.bulk.tensor.2d.tile::scatter4", "", moves, op.desc)
