"""Tensor memory: allocation, views, tcgen05.ld and tcgen05.st.

An address is row << 16 | column, in columns of 32 bits; 16-bit elements are packed in pairs. A warp
accesses the 32 rows that its index selects, so each thread adds (warp % 4) << 21.

    %m = ttng.tmem_alloc                           base + offset of the allocation
    ttng.tmem_store %x, %m, %true                  tcgen05.st.sync.aligned.32x32b.x64.b32 [m], {…};
                                                   tcgen05.wait::st.sync.aligned;
    %y = ttng.tmem_load %m                         tcgen05.ld … ; tcgen05.wait::ld.sync.aligned;

Both are asynchronous until the wait, which follows at once. Loaded registers pass through the wait,
so that nothing reads them earlier. `weft.layouts` plans the instructions.
Source: PTX ISA 9.0, tcgen05.ld, tcgen05.st and tcgen05.wait.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, SSAValue

from weft.analysis.tensor_memory import cta_shape, is_folded
from weft.codegen.hardware.nvidia.inline_ptx import ptx
from weft.codegen.llvm.types import llvm_type
from weft.codegen.llvm.word_packing import as_integer, pack_words, unpack_words
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.properties import integer_property
from weft.codegen.lowering.common.registers import layout_of
from weft.codegen.lowering.nvidia.tcgen05.addresses import (
    ROW_BIT,
    WORD,
    element_offset,
    tensor_memory_type,
    view_address,
)
from weft.codegen.lowering.registry import lowers
from weft.errors import CodegenError
from weft.ir import ttng, types
from weft.ir.ttg import MemDescType
from weft.layouts import LinearEncoding, LinearLayout
from weft.layouts.cga import cta_tile_layout, cta_tile_shape
from weft.layouts.plans.tensor_memory import (
    TensorMemoryInstruction,
    TensorMemoryPlan,
    plan_tensor_memory_access,
)

_WARP_ROWS = (32 << ROW_BIT, 64 << ROW_BIT)


@lowers(ttng.TMEMAllocOp)
def _allocate(ctx: LoweringContext, op: ttng.TMEMAllocOp) -> None:
    place = ctx.tensor_memory.ranges[op.results[0]].address
    base = ctx.tensor_base
    ctx.define(op.results[0], [ctx.writer.value(f"add i32 {base}, {place}") if place else base])
    if op.token is not None:
        ctx.define(op.token, [])
    if op.src is not None:
        _write(ctx, op.src, op.results[0], "true")


@lowers(ttng.TMEMSubSliceOp)
def _subslice(ctx: LoweringContext, op: ttng.TMEMSubSliceOp) -> None:
    whole = op.src.type
    assert isinstance(whole, MemDescType)
    if cta_shape(whole)[1] != whole.shape[-1] or is_folded(whole):
        raise CodegenError(
            "columns that blocks of a cluster share out cannot be viewed", found=whole
        )
    first = element_offset(tensor_memory_type(op.src), 0, integer_property(op, "N"))
    ctx.define(op.result, [view_address(ctx, op.src, first)])


@lowers(ttng.TMEMStoreOp)
def _store(ctx: LoweringContext, op: ttng.TMEMStoreOp) -> None:
    _write(ctx, op.src, op.dst, ctx.scalar(op.pred))
    if op.token is not None:
        ctx.define(op.token, [])


@lowers(ttng.TMEMLoadOp)
def _load(ctx: LoweringContext, op: ttng.TMEMLoadOp) -> None:
    if op.redOp is not None:
        raise CodegenError("a load that reduces rows cannot be lowered", found="redOp")
    moves = _moves(op.result.type, op.src)
    starts = _starts(ctx, op.src, moves)
    words = _read(ctx, moves, starts)
    type_, bits = llvm_type(op.result.type), types.bit_width(op.result.type)
    results = [""] * ctx.num_registers(op.result)
    for move, loaded in zip(moves.instructions, words, strict=True):
        for registers, word in zip(move.words, loaded, strict=True):
            elements = unpack_words(ctx.writer, type_, bits, [word], WORD)
            for register, value in zip(registers, elements, strict=True):
                if register is not None:
                    results[register] = value
    ctx.define(op.result, ctx.replicate(op.result, results))
    if op.token is not None:
        ctx.define(op.token, [])


def _moves(tensor: Attribute, view: SSAValue) -> TensorMemoryPlan:
    """Plan the loads or stores between registers and tensor memory."""
    buffer = tensor_memory_type(view)
    element_offset(buffer, 0, 0)
    encoding, shape = types.encoding(tensor), types.shape(tensor)
    assert buffer.encoding is not None
    if encoding is None:
        raise CodegenError(f"{tensor} has no layout")
    layout = layout_of(tensor)
    if layout.in_size("block") > 1:
        own = cta_tile_shape(layout)
        if own != cta_shape(buffer):
            raise CodegenError(
                "each block of a cluster moves what its own tensor memory holds",
                found=f"{list(own)} of {tensor}",
                accepted=[list(cta_shape(buffer))],
            )
        if not is_folded(buffer):
            shape, encoding = own, _within_block(layout)
    return plan_tensor_memory_access(encoding, buffer.encoding, shape, types.bit_width(tensor))


def _within_block(layout: LinearLayout) -> LinearEncoding:
    """Return the layout of what a block holds, as an encoding."""
    own = cta_tile_layout(layout)
    places = {
        name: tuple(map(tuple, map(own.unpack, own.images(name))))
        for name in ("register", "lane", "warp")
    }
    return LinearEncoding(**places, block=())


def _starts(ctx: LoweringContext, view: SSAValue, moves: TensorMemoryPlan) -> list[str]:
    """Return the address of each move, for this thread's warp."""
    steps = [*_WARP_ROWS, *(row << ROW_BIT | column for row, column in moves.warps)]
    bits = ctx.threads.ids["warp"][1]
    (start,) = ctx[view]
    warp = ctx.threads.apply_bases("warp", steps[:bits])
    w = ctx.writer
    first = start if warp == "0" else w.value(f"add i32 {start}, {warp}")
    places = [move.row << ROW_BIT | move.column for move in moves.instructions]
    return [w.value(f"add i32 {first}, {place}") if place else first for place in places]


def _write(ctx: LoweringContext, tensor: SSAValue, view: SSAValue, predicate: str) -> None:
    """Write a tensor to a view, where a predicate holds."""
    moves = _moves(tensor.type, view)
    for move, start in zip(moves.instructions, _starts(ctx, view, moves), strict=True):
        words = _joined(ctx, tensor, move)
        guard = "" if predicate == "true" else f"@${len(words) + 1} "
        kind = ".unpack::16b" if moves.packs_columns else ""
        half = f", {moves.half_offset}" if moves.shape.endswith("x2") else ""
        operands = ", ".join(f"${n + 1}" for n in range(len(words)))
        text = (
            f"{guard}tcgen05.st.sync.aligned.{moves.shape}.x{moves.repeats}{kind}.b32 "
            f"[$0]{half}, {{{operands}}};"
        )
        condition = [("b", "i1", predicate)] if guard else []
        ptx(ctx.writer, text, ("r", "i32", start), *(("r", "i32", v) for v in words), *condition)
    ptx(ctx.writer, "tcgen05.wait::st.sync.aligned;")


def _joined(ctx: LoweringContext, tensor: SSAValue, move: TensorMemoryInstruction) -> list[str]:
    """Return the words of a move, made of a tensor's registers."""
    type_, bits = llvm_type(tensor.type), types.bit_width(tensor.type)
    values, w = ctx[tensor], ctx.writer
    words = []
    for registers in move.words:
        elements = [
            "0" if register is None else as_integer(w, type_, bits, values[register])
            for register in registers
        ]
        words += pack_words(w, f"i{bits}", bits, elements, WORD)
    return words


def _read(ctx: LoweringContext, moves: TensorMemoryPlan, starts: Sequence[str]) -> list[list[str]]:
    """Write the loads and the wait for them; return the words of each move."""
    wait = "tcgen05.wait::ld.sync.aligned;"
    kind = ".pack::16b" if moves.packs_columns else ""
    half = f", {moves.half_offset}" if moves.shape.endswith("x2") else ""
    loaded = []
    for move, start in zip(moves.instructions, starts, strict=True):
        count = len(move.words)
        outs = ", ".join(f"${n}" for n in range(count))
        text = (
            f"tcgen05.ld.sync.aligned.{moves.shape}.x{moves.repeats}{kind}.b32 "
            f"{{{outs}}}, [${count}]{half};"
        )
        if len(starts) == 1:
            text += f" {wait}"
        loaded.append(_words(ctx, text, count, [("r", f"i32 {start}")]))
    if len(starts) == 1:
        return loaded
    every = [word for words in loaded for word in words]
    tied = [(str(n), f"i32 {word}") for n, word in enumerate(every)]
    outputs = iter(_words(ctx, wait, len(every), tied))
    return [[next(outputs) for _ in words] for words in loaded]


def _words(
    ctx: LoweringContext, text: str, count: int, given: Sequence[tuple[str, str]]
) -> list[str]:
    """Write assembly that gives words; return them."""
    w = ctx.writer
    constraints = ",".join(["=r"] * count + [letter for letter, _ in given] + ["~{memory}"])
    kind = f"{{ {', '.join(['i32'] * count)} }}" if count > 1 else "i32"
    operands = ", ".join(operand for _, operand in given)
    result = w.value(f'call {kind} asm sideeffect "{text}", "{constraints}"({operands}) convergent')
    if count == 1:
        return [result]
    return [w.value(f"extractvalue {kind} {result}, {n}") for n in range(count)]
