"""TDM gathers and scatters: rows of a tensor by their indices.

    %t = amdg.async_tdm_gather %d[%rows, %column] to %b     tensor_load_to_lds, 8 rows at a time
    %t = amdg.async_tdm_scatter %d[%rows, %column] from %b  (16 if indices have 16 bits)

The layout of the indices says which rows an instruction copies (weft.layouts.plans.gather_rows). It
takes the indices in scalar registers.

Waves that hold the same indices issue the instructions in turn; the other waves issue them with a
false predicate, so that all waves count the same instructions. A barrier expects an arrival per
instruction and wave, as kernels for Triton 3.7.1 do. The wave's first lane arrives at once for the
instructions whose predicate is false.

With Triton 3.7.1 each wave moves all rows, and takes the first lane's registers for every lane's.
Source: LLVM IR that Triton 3.7.1 emits; AMD's CDNA5 ISA, tensor data mover.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from weft.codegen.llvm.writer import Writer
from weft.codegen.lowering.amd.tdm.copy import (
    barrier_address_of,
    global_address,
    issue,
    lds_address,
    remaining_size,
    tensor_descriptor,
)
from weft.codegen.lowering.amd.tdm.descriptors import TdmCopy
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.linear_maps import apply_bases, xor_all
from weft.codegen.lowering.nvidia.mbarrier import barrier_address
from weft.codegen.lowering.registry import lowers
from weft.errors import CodegenError
from weft.ir import amdg, types
from weft.layouts import PaddedSharedEncoding
from weft.lowering_plans.memdesc import memdesc_of
from weft.lowering_plans.tile_copies import rows_of_instructions

_WORD = 32
_DIMENSIONS = 2


@lowers(amdg.AsyncTDMGatherOp)
def _gather(ctx: LoweringContext, op: amdg.AsyncTDMGatherOp) -> None:
    _move(ctx, (op.desc, op.src_row_indices, op.src_col_offset), op.dst, op.barrier, loads=True)
    ctx.define(op.token, [])


@lowers(amdg.AsyncTDMScatterOp)
def _scatter(ctx: LoweringContext, op: amdg.AsyncTDMScatterOp) -> None:
    _move(ctx, (op.desc, op.dst_row_indices, op.dst_col_offset), op.src, op.barrier, loads=False)
    ctx.define(op.token, [])


def _move(
    ctx: LoweringContext,
    operands: tuple[SSAValue, SSAValue, SSAValue],
    view: SSAValue,
    barrier: SSAValue | None,
    *,
    loads: bool,
) -> None:
    """Write the copies of rows.

    Args:
        ctx: State of the function.
        operands: A descriptor, row indices, and the first column.
        view: A memory descriptor.
        barrier: The mbarrier.
        loads: Whether data goes to LDS.

    Raises:
        CodegenError: The indices do not have 16 or 32 bits, or the tile is padded.
    """
    w, type_ = ctx.writer, memdesc_of(view)
    descriptor, indices, column = operands
    rows, bits = rows_of_instructions(indices.type), types.bit_width(indices.type)
    if isinstance(type_.encoding, PaddedSharedEncoding):
        raise CodegenError("TDM gather does not support padded shared memory", found=type_.encoding)
    tensor = tensor_descriptor(ctx, descriptor, _DIMENSIONS, alone="move rows by index")
    start = ctx.scalar(column)
    address = global_address(w, tensor, ["0", start])
    sizes = [remaining_size(w, tensor.shape[1], start), tensor.shape[0]]
    columns = type_.shape[-1]
    warp = _warp(ctx)
    own, mask = apply_bases(w, warp, ctx.threads.ids["warp"][1], rows.warps)
    barrier_pointer, turns = barrier_address_of(ctx, barrier), []
    for turn, (first, holders) in enumerate(zip(rows.starts, rows.holders, strict=True)):
        row, _ = xor_all(w, [(own, mask), (str(first), first)] if first else [(own, mask)])
        offset = _times(w, row, columns * tensor.size)
        turns.append(_in_turn(w, warp, rows.idle, turn))
        copy = TdmCopy(
            tensor.size,
            turns[-1],
            lds_address(ctx, view, offset),
            address,
            sizes,
            [columns, rows.together],
            tensor.strides[:1],
            None,
            barrier_pointer,
            _words(ctx, indices, holders, bits),
            bits,
        )
        issue(ctx, copy, loads=loads)
    if barrier is not None and rows.idle:
        _arrive_for_others(ctx, barrier_address(ctx, barrier), turns)


def _arrive_for_others(ctx: LoweringContext, barrier: str, turns: Sequence[str]) -> None:
    """Arrive at a barrier once for each instruction that another warp issued.

    Args:
        ctx: State of the function.
        barrier: The mbarrier.
        turns: For each instruction an i32, 1 if this warp issued it.
    """
    w, total = ctx.writer, str(len(turns))
    for turn in turns:
        total = w.value(f"sub i32 {total}, {turn}")
    count = w.value(f"zext i32 {total} to i64")
    _, bits = ctx.threads.ids["lane"]
    first = ctx.threads.bits_are_zero({"lane": (1 << bits) - 1})
    some = w.value(f"icmp ne i32 {total}, 0")
    name = "llvm.amdgcn.ds.atomic.barrier.arrive.rtn.b64"
    with w.where(w.value(f"and i1 {first}, {some}"), "arrive"):
        w.call("i64", name, ("ptr addrspace(3)", barrier), ("i64", count))


def _warp(ctx: LoweringContext) -> str:
    """Return the warp's number, in a scalar register."""
    value, bits = ctx.threads.ids["warp"]
    if not bits:
        return "0"
    return ctx.writer.call("i32", "llvm.amdgcn.readfirstlane.i32", ("i32", value))


def _times(w: Writer, value: str, factor: int) -> str:
    if value.isdigit():
        return str(int(value) * factor)
    return w.value(f"mul i32 {value}, {factor}")


def _in_turn(w: Writer, warp: str, idle: int, turn: int) -> str:
    """Return an i32: 1 for the warp whose turn it is among those that hold the same indices."""
    if not idle:
        return "1"
    turn_bits, number = 0, turn
    for bit in range(idle.bit_length()):
        if idle >> bit & 1:
            turn_bits |= (number & 1) << bit
            number >>= 1
    mine = w.value(f"icmp eq i32 {w.value(f'and i32 {warp}, {idle}')}, {turn_bits}")
    return w.value(f"zext i1 {mine} to i32")


def _words(
    ctx: LoweringContext, indices: SSAValue, holders: Sequence[tuple[int, int]], bits: int
) -> list[str]:
    """Return the indices of rows in scalar registers, as words.

    Args:
        ctx: State of the function.
        indices: Row indices, a tensor.
        holders: Register and lane that hold each.
        bits: Bits of an index.
    """
    w = ctx.writer
    results = [_from(ctx, ctx[indices][register], lane, bits) for register, lane in holders]
    if bits == _WORD:
        return results
    pairs = [*results, "0"] if len(results) % 2 else results
    return [
        w.value(f"or i32 {first}, {w.value(f'shl i32 {second}, {bits}')}")
        for first, second in zip(pairs[::2], pairs[1::2], strict=True)
    ]


def _from(ctx: LoweringContext, value: str, lane: int, bits: int) -> str:
    """Read a lane's value into a scalar register, an i32."""
    w = ctx.writer
    if bits < _WORD:
        value = w.value(f"zext i{bits} {value} to i32")
    if lane:
        return w.call("i32", "llvm.amdgcn.readlane.i32", ("i32", value), ("i32", str(lane)))
    return w.call("i32", "llvm.amdgcn.readfirstlane.i32", ("i32", value))
