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

from xdsl.ir import SSAValue

from weft.analysis.buffer_size import shape_per_cta
from weft.codegen.hardware.nvidia.inline_ptx import SHARED, elected, guard, ptx
from weft.codegen.llvm.types import storage_bytes
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.cta_masks import cta_tile_start, multicast_mask, replica_cta_bits
from weft.codegen.lowering.common.indices import register_offsets
from weft.codegen.lowering.common.registers import layout_of
from weft.codegen.lowering.nvidia.mbarrier import barrier_address
from weft.codegen.lowering.registry import lowers
from weft.errors import CodegenError
from weft.ir import ttng
from weft.ir.enums import CacheModifier, DescriptorReduceKind, EvictionPolicy
from weft.lowering_plans.memdesc import memdesc_of
from weft.lowering_plans.properties import integer_property
from weft.lowering_plans.tile_copies import tma_row_groups
from weft.lowering_plans.tma_boxes import box_shape, row_offset, tma_boxes
from weft.targets import Target
from weft.targets.tensor_cores import tensor_cores

_SHARED_CTA_SINCE = (8, 6)  # PTX release
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
        offset: Offset from the view's start, in elements.
        warp: Offset of the warp's box in bytes, an i32.
    """
    w, size = ctx.writer, storage_bytes(memdesc_of(view).element_type)
    address, view_offset = ctx.view(view)
    if view_offset != "0":
        # The offset of a view is within the swizzle, so offsets are combined by xor.
        element = w.value(f"xor i32 {view_offset}, {offset}") if offset else view_offset
        address = w.value(f"getelementptr i{8 * size}, {SHARED} {address}, i32 {element}")
    elif offset:
        address = w.value(f"getelementptr i8, {SHARED} {address}, i32 {offset * size}")
    if warp == "0":
        return address
    return w.value(f"getelementptr i8, {SHARED} {address}, i32 {warp}")


def _box_copies(
    ctx: LoweringContext, view: SSAValue, indices: Sequence[SSAValue], condition: str = ""
) -> Iterator[tuple[str, str, list[str]]]:
    """Yield (predicate, shared address, coordinates) of each copy of boxes.

    The warps copy one box each, so one instruction copies as many boxes as there are warps.
    """
    w, threads, type_ = ctx.writer, ctx.threads, memdesc_of(view)
    boxes, size = tma_boxes(type_), storage_bytes(type_.element_type)
    bits = min(threads.ids["warp"][1], len(boxes).bit_length() - 1)
    boxes_per_copy = 1 << bits
    # Offsets are linear in the number of the box: those of boxes 1, 2, 4 … are a basis.
    basis = [boxes[1 << bit] for bit in range(bits)]
    idle_warps = [0] * (threads.ids["warp"][1] - bits)
    warp = threads.apply_bases("warp", [box.offset * size for box in basis] + idle_warps)
    leading_dims = len(indices) - len(type_.shape)
    steps = [
        threads.apply_bases("warp", [box.start[dim] for box in basis] + idle_warps)
        for dim in range(len(type_.shape))
    ]
    predicate = guard(w, threads.is_in_first_warps(boxes_per_copy), condition, elected(w))
    cta_starts = cta_tile_start(ctx, view)
    for first in range(0, len(boxes), boxes_per_copy):
        box = boxes[first]
        coordinates = [ctx.scalar(index) for index in indices]
        for dim, start in enumerate(box.start):
            for part in (steps[dim], cta_starts[dim], str(start)):
                if part != "0":
                    coordinate = coordinates[leading_dims + dim]
                    coordinates[leading_dims + dim] = w.value(f"add i32 {coordinate}, {part}")
        yield predicate, _address(ctx, view, box.offset, warp), coordinates


def _copy_to_shared(
    ctx: LoweringContext,
    name: str,
    copies: Iterator[tuple[str, str, list[str]]],
    descriptor: SSAValue,
    barrier: SSAValue,
    cta_mask: str = "",
) -> None:
    """Write copies from global to shared memory.

    Args:
        ctx: State of the function.
        name: Name of the instruction up to the destination's state space.
        copies: (predicate, shared address, coordinates) each.
        descriptor: The tensor descriptor.
        barrier: The mbarrier.
        cta_mask: CTAs that receive the tile, an i16; "" for this CTA.

    Raises:
        CodegenError: The copies cannot complete on the mbarrier.
    """
    space, mbarrier, group = _completion_barrier(ctx, barrier)
    source = ctx.scalar(descriptor)
    for predicate, address, coordinates in copies:
        operands, last = _coordinate_operands(len(coordinates), 3)
        multicast = [("h", "i16", cta_mask)] if cta_mask else []
        ptx(
            ctx.writer,
            "@$0 "
            f"{name}.global.mbarrier::complete_tx::bytes{'.multicast::cluster' * len(multicast)}"
            f"{group} [$1], [$2, {operands}], [${last}]{f', ${last + 1}' * len(multicast)};",
            ("b", "i1", predicate),
            ("r", SHARED, address),
            ("l", "ptr", source),
            *(("r", "i32", coordinate) for coordinate in coordinates),
            ("r", space, mbarrier),
            *multicast,
        )


def _completion_barrier(ctx: LoweringContext, barrier: SSAValue) -> tuple[str, str, str]:
    """Get the mbarrier on which copies complete: pointer type, address, and `.cta_group` modifier.

    Raises:
        CodegenError: The mbarrier is neither of this CTA nor of the CTA pair. A copy can complete
            on the mbarrier of another CTA only within a pair.
    """
    own, shared = barrier_address(ctx, barrier), replica_cta_bits(barrier)
    if not shared:
        return SHARED, own, ""
    cores = tensor_cores(str(ctx.hardware.target)).families
    pairs = any(family.memory_columns for family in cores)  # chips with tcgen05 have CTA pairs
    if shared != 1 or not pairs:
        raise CodegenError(
            "a TMA copy arrives on an mbarrier of its destination CTA",
            found=memdesc_of(barrier),
            accepted=["an mbarrier for each CTA"]
            + ["one for each pair of CTAs, 0 and 1, 2 and 3 …"] * pairs,
        )
    first = ctx.threads.with_bits("block", shared, 0)
    address = ctx.hardware.memory.remote_address(ctx.writer, own, first)
    return f"ptr addrspace({ctx.hardware.memory.remote_space})", address, ".cta_group::2"


def _copy_to_global(
    ctx: LoweringContext,
    name: str,
    reduction: str,
    copies: Iterator[tuple[str, str, list[str]]],
    descriptor: SSAValue,
) -> None:
    """Write copies from shared to global memory, as a bulk group.

    Args:
        ctx: State of the function.
        name: Name of the instruction up to the state spaces.
        reduction: ".add" and so on; "" for a plain copy.
        copies: (predicate, shared address, coordinates) each.
        descriptor: The tensor descriptor.
    """
    target = ctx.scalar(descriptor)
    for predicate, address, coordinates in copies:
        operands, last = _coordinate_operands(len(coordinates), 2)
        ptx(
            ctx.writer,
            f"@$0 {name}.global.shared::cta{reduction}.bulk_group [$1, {operands}], [${last}];",
            ("b", "i1", predicate),
            ("l", "ptr", target),
            *(("r", "i32", coordinate) for coordinate in coordinates),
            ("r", SHARED, address),
        )
    ptx(ctx.writer, "cp.async.bulk.commit_group;")


def _coordinate_operands(count: int, first: int) -> tuple[str, int]:
    """Format the coordinates' operands, numbered from `first`; return the next number as well."""
    return f"{{{', '.join(f'${first + n}' for n in range(count))}}}", first + count


def _tiles(
    ctx: LoweringContext, view: SSAValue, indices: Sequence[SSAValue], condition: str = ""
) -> Iterator[tuple[str, str, list[str]]]:
    """Yield the copies of boxes with coordinates in PTX's order, the fastest dimension first."""
    for predicate, address, coordinates in _box_copies(ctx, view, indices, condition):
        yield predicate, address, coordinates[::-1]


@lowers(ttng.AsyncTMACopyGlobalToLocalOp)
def _load(ctx: LoweringContext, op: ttng.AsyncTMACopyGlobalToLocalOp) -> None:
    """Lower a copy from global to shared memory.

    Raises:
        CodegenError: A copy in im2col mode, or with a cache modifier or eviction policy. Triton
            3.7.1 refuses them, too.
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
        raise CodegenError("TMA copies support only the tiled mode", found="offsets")
    same = replica_cta_bits(op.result) if op.multicast is not None else 0
    condition = guard(ctx.writer, ctx.scalar(op.pred), ctx.threads.bits_are_zero({"block": same}))
    copies = _tiles(ctx, op.result, op.coord, condition)
    own = not same and not replica_cta_bits(op.barrier)
    memory = _shared_space(ctx.hardware.target) if own else "shared::cluster"
    name = f"cp.async.bulk.tensor.{len(op.coord)}d.{memory}"
    mask = multicast_mask(ctx, [same]) if same else ""
    _copy_to_shared(ctx, name, copies, op.desc, op.barrier, mask)


def _shared_space(target: Target) -> str:
    """Get the state space of copies to this CTA's shared memory.

    Older releases of PTX have only .shared::cluster, for which ptxas adds a test at run time
    whether the address is of another CTA.
    Source: PTX ISA, cp.async.bulk.tensor: .shared::cta as destination since PTX 8.6.
    """
    return "shared::cta" if target.ptx_release >= _SHARED_CTA_SINCE else "shared::cluster"


def _is_first_replica(ctx: LoweringContext, view: SSAValue) -> str:
    """Compute whether this is the first CTA that holds its part of a buffer; "" if all are."""
    return ctx.threads.bits_are_zero({"block": replica_cta_bits(view)})


@lowers(ttng.AsyncTMACopyLocalToGlobalOp)
def _store(ctx: LoweringContext, op: ttng.AsyncTMACopyLocalToGlobalOp) -> None:
    name = f"cp.async.bulk.tensor.{len(op.coord)}d"
    _copy_to_global(
        ctx, name, "", _tiles(ctx, op.src, op.coord, _is_first_replica(ctx, op.src)), op.desc
    )


@lowers(ttng.AsyncTMAReduceOp)
def _reduce(ctx: LoweringContext, op: ttng.AsyncTMAReduceOp) -> None:
    kind = DescriptorReduceKind.of(op.properties["kind"])
    name = f"cp.reduce.async.bulk.tensor.{len(op.coord)}d"
    copies = _tiles(ctx, op.src, op.coord, _is_first_replica(ctx, op.src))
    _copy_to_global(ctx, name, f".{_REDUCTIONS[kind]}", copies, op.desc)


@lowers(ttng.TMAStoreWaitOp)
def _wait(ctx: LoweringContext, op: ttng.TMAStoreWaitOp) -> None:
    ptx(ctx.writer, f"cp.async.bulk.wait_group.read {integer_property(op, 'pendings')};")


def _row_copies(
    ctx: LoweringContext,
    rows: SSAValue,
    column: SSAValue,
    view: SSAValue,
    verb: str,
    condition: str = "",
) -> Iterator[tuple[str, str, list[str]]]:
    """Yield the copies of four rows each; their coordinates are the column and four row indices.

    Each warp copies the rows whose indices it holds. If several warps hold the same indices, the
    first of them copies.

    Args:
        ctx: State of the function.
        rows: Row indices, a tensor.
        column: First column, an i32.
        view: A memory descriptor.
        verb: "gather" or "scatter".
        condition: An i1; "" for true.

    Raises:
        CodegenError: The chip does not support the operation, or a thread does not hold four
            consecutive row indices.
    """
    w, threads, type_ = ctx.writer, ctx.threads, memdesc_of(view)
    if verb not in ctx.hardware.target.tensor_rows:
        raise CodegenError(
            f"TMA of {ctx.hardware.target} does not support {verb}",
            accepted=ctx.hardware.target.tensor_rows,
            hint="use loads or stores of pointers",
        )
    if shape_per_cta(type_) != type_.shape:
        raise CodegenError(f"unsupported {verb} of a tile that is split over CTAs", found=type_)
    layout = layout_of(rows.type)
    groups = tma_row_groups(layout)
    size, width = storage_bytes(type_.element_type), box_shape(type_)[-1]
    tma_boxes(type_)
    warp = threads.apply_bases(
        "warp", [row_offset(type_, (image[0], 0)) * size for image in layout.bases["warp"]]
    )
    replica_bits = layout.free_variable_masks()["warp"]
    is_owner = threads.bits_are_zero({"warp": replica_bits})
    predicate = guard(w, is_owner, condition, elected(w))
    for registers in groups:
        row = register_offsets(layout, 0)[registers[0]]
        indices = [ctx[rows][register] for register in registers]
        for start in range(0, type_.shape[1], width):
            coordinate = ctx.scalar(column)
            if start:
                coordinate = w.value(f"add i32 {coordinate}, {start}")
            address = _address(ctx, view, row_offset(type_, (row, start)), warp)
            yield predicate, address, [coordinate, *indices]


@lowers(ttng.AsyncTMAGatherOp)
def _gather(ctx: LoweringContext, op: ttng.AsyncTMAGatherOp) -> None:
    copies = _row_copies(ctx, op.x_offsets, op.y_offset, op.result, "gather", ctx.scalar(op.pred))
    name = "cp.async.bulk.tensor.2d.tile::gather4.shared::cta"
    _copy_to_shared(ctx, name, copies, op.desc, op.barrier)


@lowers(ttng.AsyncTMAScatterOp)
def _scatter(ctx: LoweringContext, op: ttng.AsyncTMAScatterOp) -> None:
    copies = _row_copies(ctx, op.x_offsets, op.y_offset, op.src, "scatter")
    _copy_to_global(ctx, "cp.async.bulk.tensor.2d.tile::scatter4", "", copies, op.desc)
