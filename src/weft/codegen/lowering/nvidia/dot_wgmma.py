"""Dots on Hopper by wgmma: a warp group multiplies tiles in shared memory.

By hand, for a dot of f16 with A of 128x64, B of 64x128 and four warps, so that the result's layout
has instrShape [16, 128, 16]:

    instruction       wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16
    tiles of D        (0, 0) and (64, 0): one warp group computes both, one after the other
    steps along k     0, 16, 32, 48: each adds to the same accumulators
    operands          descriptors of A at (m, k) and of B at (k, 0), or four words of A in registers

    fence             orders register writes before wgmma reads them
    8 instructions    each with 64 accumulators per thread, inputs tied to outputs
    commit_group
    wait_group 0      unless the dot is asynchronous

Tensor cores accumulate fp8 products with fewer bits than f32. If the kernel bounds that with
maxNumImpreciseAcc, partial sums of that depth are added by the threads.
Source: PTX ISA 9.0, asynchronous warpgroup level matrix instructions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace
from xdsl.ir import Attribute, SSAValue

from weft.codegen.llvm.types import llvm_type, storage_bytes
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.linear_maps import apply_bases
from weft.codegen.lowering.common.registers import layout_of
from weft.codegen.lowering.nvidia.dot_mma import (
    PTX_TYPES,
    Accumulator,
    accumulator_of,
    check_input_precision,
    mma_instructions,
    operand_words,
    pack_accumulators,
    unpack_accumulators,
)
from weft.codegen.lowering.nvidia.matrix_descriptors import MatrixOperand, matrix_operand
from weft.codegen.lowering.nvidia.wgmma_groups import commit, fence, wait
from weft.codegen.lowering.registry import lowers
from weft.errors import CodegenError
from weft.ir import ttng, types
from weft.ir.ttg import MemDescType
from weft.layouts import LinearLayout, NvidiaMmaEncoding
from weft.lowering_plans.fragments import accumulator_registers, chunks
from weft.lowering_plans.memdesc import memdesc_of, memory_layout
from weft.lowering_plans.properties import integer_property

_WARPS = 4
_VERSION = 3


class _Steps(Struct):
    """The wgmma instructions along k that compute one tile of the result.

    Attributes:
        ctx: State of the function.
        name: Name of the instruction.
        total: Type of the accumulators.
        type_: LLVM type of an element of the result.
        depth: Elements along k of one instruction.
        max_depth: Elements along k that the tensor core may accumulate before the threads add the
            partial sum; 0 for no bound.
    """

    ctx: LoweringContext
    name: str
    total: Accumulator
    type_: str
    depth: int
    max_depth: int

    def run(self, accumulators: list[str], use_c: str, operands: Iterable[_Operands]) -> list[str]:
        """Write all steps; return the new accumulators.

        Args:
            accumulators: The accumulators before the first step.
            use_c: An i1, whether the first step adds to them.
            operands: Operands of each step.
        """
        zero = all(_is_zero(value) for value in accumulators)
        if self.max_depth:
            return self._sum_in_threads(accumulators, zero, use_c, list(operands))
        words = pack_accumulators(self.ctx, self.total, accumulators)
        for step, step_operands in enumerate(operands):
            # scale-d = 0 starts from zero, so that zeros need no registers.
            scale_d = "true" if step else ("false" if zero and use_c == "true" else use_c)
            words = self._step(words, scale_d, step_operands)
        return unpack_accumulators(self.ctx, self.total, words)

    def _sum_in_threads(
        self, accumulators: list[str], zero: bool, use_c: str, operands: Sequence[_Operands]
    ) -> list[str]:
        """Accumulate at most `max_depth` along k in the tensor core, and add those sums in f32."""
        total = accumulators
        if use_c != "true" and not zero:
            w, none = self.ctx.writer, "0.0"
            total = [
                none if use_c == "false" else w.value(f"select i1 {use_c}, float {v}, float {none}")
                for v in accumulators
            ]
        for group in chunks(operands, max(1, self.max_depth // self.depth)):
            part = ["poison"] * len(accumulators)
            for step, step_operands in enumerate(group):
                part = self._step(part, "true" if step else "false", step_operands)
            # The threads read the partial sum, so the instructions must have completed.
            commit(self.ctx)
            part = wait(self.ctx, 0, [(self.type_, value) for value in part])
            total = [
                self.ctx.writer.value(f"fadd{self.ctx.contract_flag} float {a}, {b}")
                for a, b in zip(total, part, strict=True)
            ]
            fence(self.ctx)
        return total

    def _step(self, words: list[str], scale_d: str, operands: _Operands) -> list[str]:
        if scale_d == "false":
            words = ["poison"] * len(words)  # the instruction does not read them
        return _multiply(self.ctx, self.name, self.total, operands, words, scale_d)


class _Operands(Struct, frozen=True):
    """The operands of one instruction.

    Attributes:
        a: Four words, or a matrix descriptor.
        b: A matrix descriptor.
        transposed: For each operand, whether the dimension that is not k is contiguous.
    """

    a: Sequence[str]
    b: str
    transposed: tuple[bool, bool]


@lowers(ttng.WarpGroupDotOp)
def _dot(ctx: LoweringContext, op: ttng.WarpGroupDotOp) -> None:
    encoding = types.encoding(op.d.type)
    assert isinstance(encoding, NvidiaMmaEncoding)
    if len(encoding.instr_shape) != 3:
        raise CodegenError(
            "wgmma needs a layout whose instrShape has M, N and K", found=str(encoding)
        )
    rows, columns, depth = encoding.instr_shape
    result = layout_of(op.d.type)
    b = _operand(ctx, op.b, 1, result)
    in_registers = types.is_tensor(op.a.type)
    a = None if in_registers else _operand(ctx, op.a, 0, result)
    words = operand_words(ctx, op.a, 0) if in_registers else {}
    k = (types.shape(op.a.type) if in_registers else memdesc_of(op.a).shape)[-1]
    steps = _steps(ctx, op, columns, depth, k)
    use_c = "true" if op.useC is None else ctx.scalar(op.useC)
    accumulators = list(ctx[op.c])

    def operands_at(m: int, n: int, step: int) -> _Operands:
        right = b.at(ctx, step, n)
        if a is not None:
            return _Operands([a.at(ctx, m, step)], right, (a.transposed, b.transposed))
        # A fragment has words of two rows that are eight apart, in turn.
        if not {(m,), (m + 8,)} <= words.keys():
            raise CodegenError(
                "the warps that hold rows of A must hold the same rows of the result",
                found=str(types.encoding(op.a.type)),
                accepted=[f"an operand of {encoding}"],
            )
        top, bottom = (chunks(words[(m + half,)], 2)[step // depth] for half in (0, 8))
        return _Operands([top[0], bottom[0], top[1], bottom[1]], right, (False, b.transposed))

    # The threads may have written accumulators or words of A just before.
    fence(ctx)
    for (m, n), elements in accumulator_registers(op.d.type, (rows, columns)).items():
        registers = [register for _, register in elements]
        operands = [operands_at(m, n, step) for step in range(0, k, depth)]
        total = steps.run([accumulators[register] for register in registers], use_c, operands)
        for register, value in zip(registers, total, strict=True):
            accumulators[register] = value
    commit(ctx)
    if not integer_property(op, "isAsync", 0):
        accumulators = wait(ctx, 0, [(llvm_type(op.d.type), value) for value in accumulators])
    ctx.define(op.d, ctx.replicate(op.d, accumulators))


def _steps(
    ctx: LoweringContext, op: ttng.WarpGroupDotOp, columns: int, depth: int, k: int
) -> _Steps:
    """Choose the instruction of a dot, and how much of k the tensor core may accumulate.

    Raises:
        CodegenError: wgmma does not support the types or the input precision.
    """
    a, b = (_element(operand) for operand in (op.a, op.b))
    check_input_precision(a, op)
    total = accumulator_of(mma_instructions(ctx, _VERSION), a, b, types.element(op.d.type))
    kinds = f"{total.name}.{PTX_TYPES[a]}.{PTX_TYPES[b]}"
    name = f"wgmma.mma_async.sync.aligned.m64n{columns}k{depth}.{kinds}"
    max_depth = integer_property(op, "maxNumImpreciseAcc", 0)
    # Only fp8 products are accumulated with fewer bits than f32.
    is_fp8 = types.bit_width(a) == 8 and a != types.i8
    bounded = is_fp8 and total.word == "float" and max_depth <= k
    max_depth = max(1, max_depth) if bounded else 0
    return _Steps(ctx, name, total, llvm_type(op.d.type), depth, max_depth)


def _element(operand: SSAValue) -> Attribute:
    type_ = operand.type
    return type_.element_type if isinstance(type_, MemDescType) else types.element(type_)


def _operand(
    ctx: LoweringContext, view: SSAValue, side: int, result: LinearLayout
) -> MatrixOperand:
    """Describe an operand in shared memory for this thread's warp group.

    Raises:
        CodegenError: A CTA does not hold the part of the operand that its part of the result needs.
    """
    type_ = memdesc_of(view)
    memory = memory_layout(type_)
    _check_ctas(type_, side, memory, result)
    inverse, size = memory.pseudoinvert(), storage_bytes(type_.element_type)
    warp_offsets = []
    for coordinates in map(result.unpack, result.images("warp")):
        row, column = (coordinates[0], 0) if side == 0 else (0, coordinates[1])
        warp_offsets.append(int(inverse.apply({"dim0": row, "dim1": column})["offset"]) * size)
    # The four warps of a warp group issue one instruction, and so have the same descriptor.
    bits_of_group = min(_WARPS.bit_length() - 1, len(warp_offsets))
    warp_offsets[:bits_of_group] = [0] * bits_of_group
    part, _ = apply_bases(ctx.writer, *ctx.threads.ids["warp"], warp_offsets)
    operand = matrix_operand(ctx, view, side, part=part)
    # LLVM knows the alignment of the buffer and would turn `first + step` into `first | step`, for
    # which ptxas needs two instructions; it adds 64 bits in one.
    first = ctx.writer.value(f'call i64 asm "", "=l,0"(i64 {operand.first})')
    return replace(operand, first=first)


def _check_ctas(type_: MemDescType, side: int, memory: LinearLayout, result: LinearLayout) -> None:
    result_ctas = []
    for coordinates in map(result.unpack, result.images("block")):
        result_ctas.append((coordinates[0], 0) if side == 0 else (0, coordinates[1]))
    operand_ctas = [tuple(memory.unpack(image)) for image in memory.images("block")]
    if operand_ctas != result_ctas:
        raise CodegenError(
            "each CTA of a cluster must hold the operands of its part of the result",
            found=type_,
            accepted=[f"CTAs that step by {result_ctas}"],
        )


def _multiply(
    ctx: LoweringContext,
    name: str,
    total: Accumulator,
    operands: _Operands,
    c: Sequence[str],
    scale_d: str,
) -> list[str]:
    """Write one instruction; return the new accumulators.

    Args:
        ctx: State of the function.
        name: Name of the instruction.
        total: Type of the accumulators.
        operands: The operands.
        c: Accumulators.
        scale_d: An i1, whether the instruction adds to them.
    """
    w, count, a = ctx.writer, len(c), operands.a
    outs = ", ".join(f"${n}" for n in range(count))
    in_registers = len(a) > 1
    words = ", ".join(f"${count + n}" for n in range(len(a)))
    first = f"{{{words}}}" if in_registers else words
    flags = "" if name.endswith("s8") else ", 1, 1"  # imm-scale-a, imm-scale-b
    if name.endswith("f16"):  # f16 and bf16; others are contiguous along k
        transposed = operands.transposed[1:] if in_registers else operands.transposed
        flags += "".join(f", {int(each)}" for each in transposed)
    index_of_b = count + len(a)
    is_constant = scale_d in ("true", "false")
    adds = str(int(scale_d == "true")) if is_constant else f"${index_of_b + 1}"
    text = f"{name} {{{outs}}}, {first}, ${index_of_b}, {adds}{flags};"
    # Each accumulator input is tied to its output: wgmma updates registers in place.
    constraints = [
        *[f"={total.letter}"] * count,
        *["r" if in_registers else "l"] * len(a),
        "l",
        *([] if is_constant else ["b"]),
        *map(str, range(count)),
    ]
    word = "i32" if in_registers else "i64"
    arguments = [
        *(f"{word} {value}" for value in a),
        f"i64 {operands.b}",
        *([] if is_constant else [f"i1 {scale_d}"]),
        *(f"{total.word} {value}" for value in c),
    ]
    kind = f"{{ {', '.join([total.word] * count)} }}"
    assembly = f'asm sideeffect "{text}", "{",".join(constraints)}"({", ".join(arguments)})'
    result = w.value(f"call {kind} {assembly} convergent")
    return [w.value(f"extractvalue {kind} {result}, {n}") for n in range(count)]


def _is_zero(value: str) -> bool:
    return value in ("0", "0.0") or (value.startswith("0x") and not value[2:].strip("0HR"))
