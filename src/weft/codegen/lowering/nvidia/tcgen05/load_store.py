"""Tensor memory: allocation, views, tcgen05.ld and tcgen05.st.

An address is row << 16 | column, in columns of 32 bits; 16-bit elements are packed in pairs. A warp
accesses the 32 rows that its index selects, so each thread adds (warp % 4) << 21.

    %m = ttng.tmem_alloc                           base + offset of the allocation
    ttng.tmem_store %x, %m, %true                  tcgen05.st.sync.aligned.32x32b.x64.b32 [m], {…};
                                                   tcgen05.wait::st.sync.aligned;
    %y = ttng.tmem_load %m                         tcgen05.ld … ; tcgen05.wait::ld.sync.aligned;

    %y, %r = ttng.tmem_load %m {redOp = …}         tcgen05.ld.red ….min.f32 {…}, {r}, [m]; …

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
from weft.layouts.plans.tensor_memory import (
    TensorMemoryInstruction,
    TensorMemoryPlan,
)
from weft.lowering_plans.properties import integer_property
from weft.lowering_plans.tensor_memory import plan_tensor_memory

_WARP_ROWS = (32 << ROW_BIT, 64 << ROW_BIT)


@lowers(ttng.TMEMAllocOp)
def _allocate(ctx: LoweringContext, op: ttng.TMEMAllocOp) -> None:
    offset = ctx.tensor_memory.ranges[op.results[0]].address
    base = ctx.tensor_base
    ctx.define(op.results[0], [ctx.writer.value(f"add i32 {base}, {offset}") if offset else base])
    if op.token is not None:
        ctx.define(op.token, [])
    if op.src is not None:
        _write(ctx, op.src, op.results[0], "true")


@lowers(ttng.TMEMSubSliceOp)
def _subslice(ctx: LoweringContext, op: ttng.TMEMSubSliceOp) -> None:
    whole = op.src.type
    assert isinstance(whole, MemDescType)
    if cta_shape(whole)[1] != whole.shape[-1] or is_folded(whole):
        raise CodegenError("unsupported slice of columns that are split over CTAs", found=whole)
    first = element_offset(tensor_memory_type(op.src), 0, integer_property(op, "N"))
    ctx.define(op.result, [view_address(ctx, op.src, first)])


@lowers(ttng.TMEMStoreOp)
def _store(ctx: LoweringContext, op: ttng.TMEMStoreOp) -> None:
    _write(ctx, op.src, op.dst, ctx.scalar(op.pred))
    if op.token is not None:
        ctx.define(op.token, [])


@lowers(ttng.TMEMLoadOp)
def _load(ctx: LoweringContext, op: ttng.TMEMLoadOp) -> None:
    plan = _checked_plan(op.result.type, op.src)
    starts = _starts(ctx, op.src, plan)
    reduction = _reduction(ctx, op)
    words = _read(ctx, plan, starts, reduction)
    if op.red is not None:
        _define_extremes(ctx, op.red, [each.pop() for each in words], reduction)
    type_, bits = llvm_type(op.result.type), types.bit_width(op.result.type)
    results = [""] * ctx.num_registers(op.result)
    for instruction, loaded in zip(plan.instructions, words, strict=True):
        for registers, word in zip(instruction.words, loaded, strict=True):
            elements = unpack_words(ctx.writer, type_, bits, [word], WORD)
            for register, value in zip(registers, elements, strict=True):
                if register is not None:
                    results[register] = value
    ctx.define(op.result, ctx.replicate(op.result, results))
    if op.token is not None:
        ctx.define(op.token, [])


def _reduction(ctx: LoweringContext, op: ttng.TMEMLoadOp) -> str:
    """Write the modifiers of a load that reduces rows: ".min.abs.NaN"; "" for another load."""
    if op.redOp is None:
        return ""
    if not ctx.hardware.target.reduces_tensor_memory_loads:
        raise CodegenError(
            "loads from tensor memory do not reduce rows on this chip",
            found=str(ctx.hardware.target),
            accepted=["cuda:103"],
            hint="load, and reduce the tensor: gl.min(x, axis=1), gl.max(x, axis=1)",
        )
    flags = (("abs", op.abs), ("NaN", op.NaN))
    names = [op.redOp.keyword.data, *(name for name, flag in flags if flag and flag.value.data)]
    return "".join(f".{name}" for name in names)


def _define_extremes(
    ctx: LoweringContext, result: SSAValue, words: Sequence[str], reduction: str
) -> None:
    """Combine what the instructions found in a thread's row."""
    w = ctx.writer
    extremes = [w.value(f"bitcast i32 {word} to float") for word in words]
    name = f"{reduction[1:4]}imum" if reduction.endswith(".NaN") else f"{reduction[1:4]}num"
    extreme = extremes[0]
    for other in extremes[1:]:
        extreme = w.call("float", f"llvm.{name}.f32", ("float", extreme), ("float", other))
    ctx.define(result, [extreme] * ctx.num_registers(result))


def _checked_plan(tensor: Attribute, view: SSAValue) -> TensorMemoryPlan:
    """Plan the loads or stores between registers and tensor memory."""
    buffer = tensor_memory_type(view)
    element_offset(buffer, 0, 0)
    return plan_tensor_memory(tensor, buffer)


def _starts(ctx: LoweringContext, view: SSAValue, plan: TensorMemoryPlan) -> list[str]:
    """Compute the address of each instruction for this thread's warp."""
    # Warps 0 to 3 access 32 rows each; further warps access other rows or columns.
    steps = [*_WARP_ROWS, *(row << ROW_BIT | column for row, column in plan.warps)]
    bits = ctx.threads.ids["warp"][1]
    (start,) = ctx[view]
    warp = ctx.threads.apply_bases("warp", steps[:bits])
    w = ctx.writer
    first = start if warp == "0" else w.value(f"add i32 {start}, {warp}")
    offsets = [each.row << ROW_BIT | each.column for each in plan.instructions]
    return [w.value(f"add i32 {first}, {offset}") if offset else first for offset in offsets]


def _write(ctx: LoweringContext, tensor: SSAValue, view: SSAValue, predicate: str) -> None:
    """Store a tensor to a view if a predicate is true."""
    plan = _checked_plan(tensor.type, view)
    for instruction, start in zip(plan.instructions, _starts(ctx, view, plan), strict=True):
        words = _pack(ctx, tensor, instruction)
        guard = "" if predicate == "true" else f"@${len(words) + 1} "
        kind = ".unpack::16b" if plan.packs_columns else ""
        half = f", {plan.half_offset}" if plan.shape.endswith("x2") else ""
        operands = ", ".join(f"${n + 1}" for n in range(len(words)))
        text = (
            f"{guard}tcgen05.st.sync.aligned.{plan.shape}.x{plan.repeats}{kind}.b32 "
            f"[$0]{half}, {{{operands}}};"
        )
        condition = [("b", "i1", predicate)] if guard else []
        ptx(ctx.writer, text, ("r", "i32", start), *(("r", "i32", v) for v in words), *condition)
    ptx(ctx.writer, "tcgen05.wait::st.sync.aligned;")


def _pack(
    ctx: LoweringContext, tensor: SSAValue, instruction: TensorMemoryInstruction
) -> list[str]:
    """Pack a tensor's registers into the words of an instruction."""
    type_, bits = llvm_type(tensor.type), types.bit_width(tensor.type)
    values, w = ctx[tensor], ctx.writer
    words = []
    for registers in instruction.words:
        elements = [
            "0" if register is None else as_integer(w, type_, bits, values[register])
            for register in registers
        ]
        words += pack_words(w, f"i{bits}", bits, elements, WORD)
    return words


def _read(
    ctx: LoweringContext, plan: TensorMemoryPlan, starts: Sequence[str], reduction: str
) -> list[list[str]]:
    """Write the loads and the wait for them; return the words of each instruction.

    The last word of a load that reduces rows is the extreme of its columns.
    """
    wait = "tcgen05.wait::ld.sync.aligned;"
    kind = ".pack::16b" if plan.packs_columns else ""
    half = f", {plan.half_offset}" if plan.shape.endswith("x2") else ""
    loaded = []
    for instruction, start in zip(plan.instructions, starts, strict=True):
        count = len(instruction.words)
        outs = f"{{{', '.join(f'${n}' for n in range(count))}}}"
        name, type_ = "tcgen05.ld", "b32"
        if reduction:
            outs, count = f"{outs}, {{${count}}}", count + 1
            name, type_ = "tcgen05.ld.red", "f32"
        text = (
            f"{name}.sync.aligned.{plan.shape}.x{plan.repeats}{kind}{reduction}.{type_} "
            f"{outs}, [${count}]{half};"
        )
        if len(starts) == 1:
            text += f" {wait}"
        loaded.append(_words(ctx, text, count, [("r", f"i32 {start}")]))
    if len(starts) == 1:
        return loaded
    # One wait for all loads: their words pass through it, so that no use precedes it.
    every = [word for words in loaded for word in words]
    tied = [(str(n), f"i32 {word}") for n, word in enumerate(every)]
    outputs = iter(_words(ctx, wait, len(every), tied))
    return [[next(outputs) for _ in words] for words in loaded]


def _words(
    ctx: LoweringContext, text: str, count: int, inputs: Sequence[tuple[str, str]]
) -> list[str]:
    """Write inline assembly with words as results; inputs are (constraint, operand) each."""
    w = ctx.writer
    constraints = ",".join(["=r"] * count + [letter for letter, _ in inputs] + ["~{memory}"])
    kind = f"{{ {', '.join(['i32'] * count)} }}" if count > 1 else "i32"
    operands = ", ".join(operand for _, operand in inputs)
    result = w.value(f'call {kind} asm sideeffect "{text}", "{constraints}"({operands}) convergent')
    if count == 1:
        return [result]
    return [w.value(f"extractvalue {kind} {result}, {n}") for n in range(count)]
