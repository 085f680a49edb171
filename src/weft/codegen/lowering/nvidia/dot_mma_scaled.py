"""Scaled dots by mma.sync with block_scale.

    mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e4m3…
        {d0,d1,d2,d3}, {a0,a1,a2,a3}, {b0,b1}, {c0…}, scales of A, {byte, lane}, of B, {byte, lane}

Operands and result have the fragments of `dot_mma`. A scale applies to 32 or 16 elements along k of
one row of A or column of B. Of the four lanes that hold rows r and r + 8, the first provides the
scales of r and the second those of r + 8. Of those that hold a column, the first provides its
scales. A word holds four scales along k, so consecutive steps read other bytes of a word:

    step along k   0   1   2   3   4        for one scale per step
    word, byte     0,0 0,1 0,2 0,3 1,0

Source: PTX ISA 9.0, mma.sync with block scaling.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from xdsl.ir import Attribute, SSAValue

from weft.codegen.llvm.types import llvm_type
from weft.codegen.llvm.word_packing import as_integer, pack_words
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.registers import layout_of
from weft.codegen.lowering.nvidia.dot_mma import operand_words
from weft.errors import CodegenError
from weft.ir import tt, types
from weft.ir.enums import ScaleDotElemType
from weft.layouts import DotOperandEncoding
from weft.lowering_plans.fragments import accumulator_registers, operand_registers
from weft.targets.tensor_cores import ScaledFamily, tensor_cores

__all__ = ["dot_mma_scaled"]

_ROWS, _COLUMNS, _WORDS = 16, 8, 2
_ROW_BITS = 256  # of k, of one instruction
_VERSION = 2
_SCALES_OF_WORD = 4
_BYTES = 4  # of a word
# lanes 1, 2, 4, … of scales → (row or column, k)
_LANES = (
    [(8, 0), (0, 0), (1, 0), (2, 0), (4, 0)],
    [(0, 0), (0, 0), (1, 0), (2, 0), (4, 0)],
)


class _Instruction(Struct, frozen=True):
    """An instruction.

    Attributes:
        name: Name in PTX.
        scales: Scales along k that it reads of each row or column.
    """

    name: str
    scales: int


def dot_mma_scaled(ctx: LoweringContext, op: tt.DotScaledOp) -> None:
    """Lower a scaled dot whose result has the layout of mma.sync.

    Raises:
        CodegenError: The chip's instructions do not support the types or scales.
    """
    instruction = _instruction(ctx, op)
    rows, columns = operand_words(ctx, op.a, 0), operand_words(ctx, op.b, 1)
    scales = [_scales(ctx, value, side) for side, value in enumerate((op.a_scale, op.b_scale))]
    accumulators = list(ctx[op.c])
    for (m, n), elements in accumulator_registers(op.d.type, (_ROWS, _COLUMNS)).items():
        registers = [register for _, register in sorted(elements)]
        total = [accumulators[register] for register in registers]
        halves, column = [rows[(m + half,)] for half in (0, _ROWS // 2)], columns[(n,)]
        for step in range(len(column) // _WORDS):
            selection = slice(_WORDS * step, _WORDS * (step + 1))
            left = [
                word for pair in zip(*(h[selection] for h in halves), strict=True) for word in pair
            ]
            # A word has the scales of several steps: the instruction selects bytes of it.
            word, byte = divmod(step * instruction.scales, _SCALES_OF_WORD)
            scale_words = [scales[0][m][word], scales[1][n][word]]
            total = _multiply(
                ctx, instruction, [*left, *column[selection]], total, scale_words, byte
            )
        for register, value in zip(registers, total, strict=True):
            accumulators[register] = value
    ctx.define(op.d, ctx.replicate(op.d, accumulators))


def _family(ctx: LoweringContext) -> ScaledFamily:
    """Find the chip's scaled instructions on registers.

    Raises:
        CodegenError: It has none.
    """
    for family in tensor_cores(str(ctx.hardware.target)).scaled:
        if family.version == _VERSION:
            return family
    raise CodegenError(
        f"{ctx.hardware.target} does not multiply registers with scales",
        hint="widen the operands to bf16 or f16, and use tt.dot",
    )


def _instruction(ctx: LoweringContext, op: tt.DotScaledOp) -> _Instruction:
    family = _family(ctx)
    for operand in (op.a, op.b):
        encoding = types.encoding(operand.type)
        if not isinstance(encoding, DotOperandEncoding) or encoding.k_width != _BYTES:
            raise CodegenError(
                "a scaled dot takes operands of which a lane holds 4 contiguous bytes",
                found=encoding,
                accepted=["#ttg.dot_op with kWidth = 4"],
            )
    kinds = [ScaleDotElemType.of(kind).keyword for kind in (op.a_elem_type, op.b_elem_type)]
    small = [kind == ScaleDotElemType.E2M1.keyword for kind in kinds]
    along_k = op.lhs_k_pack.value.data and op.rhs_k_pack.value.data
    if any(k not in family.formats for k in kinds) or any(small) != all(small) or not along_k:
        raise CodegenError(
            f"{family.instruction} does not support these element types",
            found=f"{kinds[0]} and {kinds[1]}",
            accepted=["e4m3 and e5m2", "pairs along k of e2m1"],
        )
    scales = [_scale_type(scale) for scale in (op.a_scale, op.b_scale)]
    powers = scales == [types.i8, types.i8]
    if (not powers and scales != [types.f8E4M3FN, types.f8E4M3FN]) or not (powers or all(small)):
        raise CodegenError(
            "scales are i8 for both operands, or f8E4M3FN where those have 4 bits",
            found=", ".join(map(str, scales)),
        )
    spelled = "ue8m0" if powers else "ue4m3"
    count = (2 if powers else 4) if all(small) else 1
    kind = "mxf4nvf4" if all(small) else "mxf8f6f4"
    depth = _ROW_BITS // (4 if all(small) else 8)
    name = (
        f"mma.sync.aligned.m{_ROWS}n{_COLUMNS}k{depth}.row.col.kind::{kind}.block_scale."
        f"scale_vec::{count}X.f32.{kinds[0]}.{kinds[1]}.f32.{spelled}"
    )
    return _Instruction(name, count)


def _scale_type(scale: SSAValue | None) -> Attribute | None:
    return None if scale is None else types.element(scale.type)


def _scales(ctx: LoweringContext, scale: SSAValue | None, side: int) -> dict[int, list[str]]:
    """List the words of scales of each row or column that a lane provides, in the order of k.

    Raises:
        CodegenError: Other lanes hold the scales.
    """
    assert scale is not None
    layout = layout_of(scale.type)
    lanes = [tuple(layout.unpack(image)) for image in layout.images("lane")]
    if lanes != _LANES[side]:
        raise CodegenError(
            "scales are not in the lanes from which the instruction reads them", found=scale.type
        )
    type_, values, w = llvm_type(scale.type), ctx[scale], ctx.writer
    words: dict[int, list[str]] = {}
    for (row,), registers in operand_registers(scale.type, 0).items():
        elements = [as_integer(w, type_, 8, values[register]) for register in registers]
        elements += ["0"] * (-len(elements) % _SCALES_OF_WORD)
        words[row] = pack_words(w, "i8", 8, elements, 32)
    return words


def _multiply(
    ctx: LoweringContext,
    what: _Instruction,
    words: Sequence[str],
    total: Sequence[str],
    scales: Sequence[str],
    byte: int,
) -> list[str]:
    """Write one instruction; return the registers of its result.

    Args:
        ctx: State of the function.
        what: The instruction.
        words: Four words of A, two of B.
        total: Accumulators.
        scales: A word of A's scales, and one of B's.
        byte: First byte of the scales in these words.
    """
    w = ctx.writer
    text = (
        f"{what.name} {{$0, $1, $2, $3}}, {{$4, $5, $6, $7}}, {{$8, $9}}, {{$0, $1, $2, $3}}, "
        f"$10, {{{byte}, 0}}, $11, {{{byte}, 0}};"
    )
    constraints = ",".join(["=f"] * 4 + ["r"] * 8 + ["0", "1", "2", "3"])
    operand = [f"i32 {word}" for word in (*words, *scales)] + [f"float {value}" for value in total]
    kind = "{ float, float, float, float }"
    result = w.value(f'call {kind} asm "{text}", "{constraints}"({", ".join(operand)}) convergent')
    return [w.value(f"extractvalue {kind} {result}, {n}") for n in range(4)]
