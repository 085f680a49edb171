"""Reductions: within a thread, then across the lanes of a warp, then across warps.

A 4x64 tile over 2 warps of 32 lanes with one register bit, reduced along dimension 1:

    register bit 0 → column 1     the thread adds its two columns
    lane bits 0–4  → column 2–32  five butterfly shuffles leave the sum in every lane
    warp bit 0     → row 2        other rows: nothing to do

Where warps hold different columns of a row, one lane per warp and row writes its part to shared
memory, and after a barrier every thread reads the parts of its rows: `parts` next to each other,
so that they come in as few accesses as there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.ir import Block, Operation

from weft.codegen.exchange import exchange
from weft.codegen.indices import combine, register_offsets, spread
from weft.codegen.llvm_types import llvm_type, storage_bytes
from weft.codegen.lowering import Lowering, layout_of, number
from weft.codegen.registry import lowers
from weft.codegen.scratch import scratch
from weft.ir import tt, types
from weft.layouts import LinearLayout
from weft.targets import Target

Values = tuple[str, ...]  # one per operand of the reduction


@lowers("tt.reduce.return", "tt.scan.return", "tt.map_elementwise.return")
def _ends(low: Lowering, op: Operation) -> None:
    """Write nothing: whoever inlines the region reads its end."""


def inline(low: Lowering, block: Block, arguments: Sequence[str]) -> Values:
    """Write a combining region for some scalars, and return what it gives."""
    for argument, value in zip(block.args, arguments, strict=True):
        low.define(argument, [value])
    low.ops(block)
    assert block.last_op is not None
    return tuple(low.scalar(value) for value in block.last_op.operands)


def tree(low: Lowering, block: Block, items: Sequence[Values]) -> Values:
    """Combine in pairs of neighbours, so that few wait for one another."""
    while len(items) > 1:
        paired = [
            inline(low, block, (*items[n], *items[n + 1])) for n in range(0, len(items) - 1, 2)
        ]
        items = [*paired, *items[len(paired) * 2 :]]
    return items[0]


@lowers("tt.reduce")
def _reduce(low: Lowering, op: Operation) -> None:
    assert isinstance(op, tt.ReduceOp)
    axis = number(op, "axis")
    layout = layout_of(op.operands[0].type)
    rows = _within_thread(low, op, layout, axis)
    for bit, image in enumerate(layout.images("lane")):
        if layout.unpack(image)[axis]:
            rows = {row: _butterfly(low, op, values, bit) for row, values in rows.items()}
    if bits := _warp_bits(layout, axis):
        rows = _across_warps(low, op, layout, axis, rows, bits)
    _define(low, op, rows)


def _warp_bits(layout: LinearLayout, axis: int) -> int:
    """Return how many bits of the warp step along an axis."""
    return sum(bool(layout.unpack(image)[axis]) for image in layout.images("warp"))


@scratch("tt.reduce")
def _bytes(op: Operation, target: Target) -> int:
    """Count a part per row and warp along the axis, for each operand."""
    axis, shape = number(op, "axis"), types.shape(op.operands[0].type)
    bits = _warp_bits(layout_of(op.operands[0].type), axis)
    parts = prod(shape[:axis] + shape[axis + 1 :]) << bits
    return sum(parts * storage_bytes(operand.type) for operand in op.operands) if bits else 0


def _within_thread(
    low: Lowering, op: Operation, layout: LinearLayout, axis: int
) -> dict[tuple[int, ...], Values]:
    """Combine each thread's registers of one row; a row is named by its other coordinates."""
    offsets = [register_offsets(layout, dim) for dim in range(len(layout.out_dims))]
    rows: dict[tuple[int, ...], dict[int, Values]] = {}
    registers = [low[operand] for operand in op.operands]
    for register, coordinates in enumerate(zip(*offsets, strict=True)):
        row = coordinates[:axis] + coordinates[axis + 1 :]
        values = tuple(each[register] for each in registers)
        rows.setdefault(row, {}).setdefault(coordinates[axis], values)
    block = op.regions[0].block
    return {
        row: tree(low, block, [items[place] for place in sorted(items)])
        for row, items in rows.items()
    }


def _butterfly(low: Lowering, op: Operation, values: Values, bit: int) -> Values:
    """Combine with the lane whose number differs in one bit."""
    others = []
    for operand, value in zip(op.operands, values, strict=True):
        move = lambda word: low.hardware.shuffle_xor(low.writer, word, 1 << bit)  # noqa: E731
        others.append(exchange(low.writer, llvm_type(operand.type), value, move))
    return inline(low, op.regions[0].block, (*values, *others))


def _across_warps(
    low: Lowering,
    op: Operation,
    layout: LinearLayout,
    axis: int,
    rows: dict[tuple[int, ...], Values],
    bits: int,
) -> dict[tuple[int, ...], Values]:
    """Exchange the warps' parts through shared memory, and combine them in every thread."""
    parts = 1 << bits
    writes, part = _place(low, layout, axis)
    base_row = _row_origin(low, layout, axis)
    shape = types.shape(op.operands[0].type)
    sizes = shape[:axis] + shape[axis + 1 :]
    stride = prod(sizes)
    regions = []
    start = low.scratch(op)
    for operand in op.operands:
        regions.append(start)
        start += stride * parts * storage_bytes(operand.type)
    indices = {row: _row_index(low, base_row, row, sizes) for row in rows}
    skip = low.writer.label("partial"), low.writer.label("partials")
    if writes:
        low.writer.branch(writes, *skip)
        low.writer.start(skip[0])
    for row, values in rows.items():
        at = low.writer.value(f"mul nuw nsw i32 {indices[row]}, {parts}")
        at = low.writer.value(f"add nuw nsw i32 {at}, {part}")
        for operand, value, region in zip(op.operands, values, regions, strict=True):
            type_ = llvm_type(operand.type)
            address = low.shared_address(type_, at, region)
            low.writer.line(f"store {type_} {value}, ptr addrspace(3) {address}")
    if writes:
        low.writer.jump(skip[1])
        low.writer.start(skip[1])
    low.hardware.barrier(low.writer)
    found = {}
    for row, index in indices.items():
        at = low.writer.value(f"mul nuw nsw i32 {index}, {parts}")
        columns = [
            _read(
                low,
                llvm_type(operand.type),
                low.shared_address(llvm_type(operand.type), at, region),
                parts,
            )
            for operand, region in zip(op.operands, regions, strict=True)
        ]
        found[row] = tree(low, op.regions[0].block, list(zip(*columns, strict=True)))
    return found


def _read(low: Lowering, type_: str, address: str, count: int) -> list[str]:
    """Return neighbouring elements of shared memory."""
    vector = f"<{count} x {type_}>"
    whole = low.writer.value(f"load {vector}, ptr addrspace(3) {address}")
    return [low.writer.value(f"extractelement {vector} {whole}, i32 {n}") for n in range(count)]


def _place(low: Lowering, layout: LinearLayout, axis: int) -> tuple[str, str]:
    """Return whether the thread writes its part, "" for always, and the part's number."""
    lanes = layout.images("lane")
    along = sum(1 << bit for bit, image in enumerate(lanes) if layout.unpack(image)[axis])
    free = layout.free_variable_masks()
    masks = {"lane": along | free.get("lane", 0), "warp": free.get("warp", 0)}
    images, number = [], 0
    for image in layout.images("warp"):
        on_axis = bool(layout.unpack(image)[axis])
        images.append(1 << number if on_axis else 0)
        number += on_axis
    source, size = low.threads.ids["warp"]
    return low.threads.are_zero(masks), spread(low.writer, source, size, images)[0]


def _row_origin(low: Lowering, layout: LinearLayout, axis: int) -> list[tuple[str, int]]:
    """Return the coordinates of register 0 along the other dimensions."""
    origin = low.threads.origin(layout)
    return [*origin[:axis], *origin[axis + 1 :]]


def _row_index(
    low: Lowering,
    origin: Sequence[tuple[str, int]],
    row: tuple[int, ...],
    sizes: Sequence[int],
) -> str:
    """Return a row's number among all rows, as an i32."""
    parts: list[tuple[str, int]] = []
    stride = 1
    for (start, mask), offset, size in reversed(list(zip(origin, row, sizes, strict=True))):
        value, bits = combine(low.writer, [(start, mask), (str(offset), offset)])
        if stride > 1 and value != "0":
            value = low.writer.value(f"mul nuw nsw i32 {value}, {stride}")
        parts.append((value, bits * stride))
        stride *= size
    return combine(low.writer, parts)[0]


def _define(low: Lowering, op: Operation, rows: dict[tuple[int, ...], Values]) -> None:
    """Give each register of the results the row that it stands for."""
    for n, result in enumerate(op.results):
        if not types.is_tensor(result.type):
            ((values,)) = rows.values()
            low.define(result, [values[n]])
            continue
        layout = layout_of(result.type)
        offsets = [register_offsets(layout, dim) for dim in range(len(layout.out_dims))]
        low.define(result, [rows[row][n] for row in zip(*offsets, strict=True)])
