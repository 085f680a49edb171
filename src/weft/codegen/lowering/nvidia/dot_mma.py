"""Dots on NVIDIA's tensor cores by mma.sync: a warp multiplies registers of its lanes.

    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32  {d0,d1,d2,d3}, {a0,a1,a2,a3}, {b0,b1}, {c0…}

A lane holds 32-bit words of A in two rows that are eight apart, words of B in one column, and two
neighbouring accumulators in each of the two rows. A step along k takes the next words of each:

    words of the upper row of A    u0 u1 | u2 u3      a = u0 l0 u1 l1, then u2 l2 u3 l3
    words of the lower row of A    l0 l1 | l2 l3
    words of the column of B       b0 b1 | b2 b3      b = b0 b1, then b2 b3

For f64 a word is one element. Chips differ in how many an instruction takes, and some have only
instructions of eight rows, so that upper and lower row are an instruction each.
Source: PTX ISA 9.0, warp-level matrix instructions.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from xdsl.ir import Attribute, Operation, SSAValue

from weft.codegen.llvm.types import llvm_type
from weft.codegen.llvm.word_packing import pack_words, unpack_words
from weft.codegen.lowering.common.context import LoweringContext
from weft.errors import CodegenError
from weft.ir import types
from weft.ir.enums import InputPrecision
from weft.lowering_plans.fragments import accumulator_registers, operand_registers
from weft.targets.tensor_cores import MmaFamily, tensor_cores

__all__ = [
    "PTX_TYPES",
    "Accumulator",
    "mma_instructions",
    "dot_mma",
    "pack_accumulators",
    "check_input_precision",
    "accumulator_of",
    "unpack_accumulators",
    "operand_words",
]

_ROWS, _COLUMNS = 16, 8
_WORD = 32
_VERSION = 2
# element type → its name in PTX
PTX_TYPES: dict[Attribute, str] = {
    types.f16: "f16",
    types.bf16: "bf16",
    types.f32: "tf32",
    types.f64: "f64",
    types.i8: "s8",
    types.f8E4M3FN: "e4m3",
    types.f8E5M2: "e5m2",
}


class Accumulator(Struct, frozen=True):
    """A type of accumulators.

    Attributes:
        name: Name in PTX.
        word: LLVM type of a register.
        letter: Constraint of a register in inline assembly.
        each: Elements of a register.
        operands: Types of the operands whose products it accumulates, by their names in PTX.
    """

    name: str
    word: str
    letter: str
    each: int
    operands: tuple[str, ...]


_TOTALS: dict[Attribute, Accumulator] = {
    types.f32: Accumulator("f32", "float", "f", 1, ("f16", "bf16", "tf32", "e4m3", "e5m2")),
    types.f16: Accumulator("f16", "i32", "r", 2, ("f16", "e4m3", "e5m2")),
    types.i32: Accumulator("s32", "i32", "r", 1, ("s8",)),
    types.f64: Accumulator("f64", "double", "d", 1, ("f64",)),
}


class _Instruction(Struct, frozen=True):
    """An mma.sync instruction.

    Attributes:
        name: Name in PTX.
        total: Type of the accumulators.
        rows: Rows of the result.
        words: Words along k of a row of A or a column of B.
        letter: Constraint of a word in inline assembly.
        word: LLVM type of a word.
    """

    name: str
    total: Accumulator
    rows: int
    words: int
    letter: str
    word: str


def mma_instructions(ctx: LoweringContext, version: int) -> MmaFamily:
    """Get the chip's MMA instructions of a version."""
    return tensor_cores(str(ctx.hardware.target)).version(version)


def accumulator_of(family: MmaFamily, a: Attribute, b: Attribute, total: Attribute) -> Accumulator:
    """Find the accumulator type for two operand types.

    Raises:
        CodegenError: The instructions do not multiply these types.
    """
    accumulator, ptx_names = (
        _TOTALS.get(total),
        {str(kind): name for kind, name in PTX_TYPES.items()},
    )
    operand_types = [name for name in family.operands if name not in family.widened]
    fits = accumulator is not None and all(
        str(each) in operand_types and ptx_names[str(each)] in accumulator.operands
        for each in (a, b)
    )
    same = a == b or {a, b} <= {types.f8E4M3FN, types.f8E5M2}
    if accumulator is None or not fits or not same:
        raise CodegenError(
            f"{family.instruction} does not multiply {a} and {b} into {total}",
            found=f"{a}, {b}",
            accepted=operand_types,
        )
    return accumulator


def dot_mma(ctx: LoweringContext, op: Operation) -> None:
    """Lower a dot whose result has the layout of mma.sync.

    Raises:
        CodegenError: mma.sync does not support the types.
    """
    c, (result,) = op.operands[2], op.results
    rows, columns = operand_words(ctx, op.operands[0], 0), operand_words(ctx, op.operands[1], 1)
    instruction = _instruction(ctx, op, len(next(iter(columns.values()))))
    accumulators = list(ctx[c])
    for (*batch, m, n), elements in accumulator_registers(result.type, (_ROWS, _COLUMNS)).items():
        registers = [register for _, register in sorted(elements)]
        halves = [rows[(*batch, m + half)] for half in (0, _ROWS // 2)]
        total = [accumulators[register] for register in registers]
        # An instruction of eight rows has half of the fragment: upper and lower row in turn.
        count = instruction.rows * len(total) // _ROWS
        for part, first in enumerate(range(0, len(total), count)):
            upper = halves if instruction.rows == _ROWS else halves[part : part + 1]
            selection = slice(first, first + count)
            total[selection] = _sum(ctx, instruction, upper, columns[(*batch, n)], total[selection])
        for register, value in zip(registers, total, strict=True):
            accumulators[register] = value
    ctx.define(result, ctx.replicate(result, accumulators))


def _sum(
    ctx: LoweringContext,
    what: _Instruction,
    rows: Sequence[Sequence[str]],
    column: Sequence[str],
    total: Sequence[str],
) -> list[str]:
    """Accumulate all products along k; return the new accumulators.

    Args:
        ctx: State of the function.
        what: The instruction.
        rows: Words of one row of A, or of two rows that are eight apart.
        column: Words of the column of B.
        total: Accumulators.
    """
    part = pack_accumulators(ctx, what.total, total)
    for start in range(0, len(column), what.words):
        selection = slice(start, start + what.words)
        # Words of the upper and the lower row alternate.
        left = [
            word for pair in zip(*(row[selection] for row in rows), strict=True) for word in pair
        ]
        part = _multiply(ctx, what, left, column[selection], part)
    return unpack_accumulators(ctx, what.total, part)


def _instruction(ctx: LoweringContext, op: Operation, depth: int) -> _Instruction:
    """Choose the instruction of a dot in which a lane holds `depth` words of a column."""
    family = mma_instructions(ctx, _VERSION)
    a, b = (types.element(operand.type) for operand in op.operands[:2])
    total = accumulator_of(family, a, b, types.element(op.results[0].type))
    check_input_precision(a, op)
    rows, k = _ROWS, 8 * family.k_bytes // types.bit_width(a)
    words, letter, word = 2, "r", f"i{_WORD}"
    if a == types.f64:
        rows, letter, word = family.m_of_f64, "d", "double"
        k = next(k for k in family.k_of_f64 if depth % (k // 4) == 0)
        words = k // 4
    kinds = f"{total.name}.{PTX_TYPES[a]}.{PTX_TYPES[b]}.{total.name}"
    saturates = "satfinite." if total.name == "s32" else ""
    name = f"mma.sync.aligned.m{rows}n{_COLUMNS}k{k}.row.col.{saturates}{kinds}"
    return _Instruction(name, total, rows, words, letter, word)


def check_input_precision(element: Attribute, op: Operation) -> None:
    """Check that f32 operands may be rounded to tf32.

    Raises:
        CodegenError: The operands are f32, and the input precision is not tf32.
    """
    precision = InputPrecision.of(op.properties["inputPrecision"])
    if element == types.f32 and precision is not InputPrecision.TF32:
        raise CodegenError(
            "tensor cores support f32 operands only with input precision tf32",
            found=precision.keyword,
            accepted=["tf32"],
        )


def operand_words(
    ctx: LoweringContext, operand: SSAValue, side: int
) -> dict[tuple[int, ...], list[str]]:
    """List the words of each row or column of an operand, in the order of k.

    Words have 32 bits; an element of f64 is one word.
    """
    type_, bits = llvm_type(operand.type), types.bit_width(operand.type)
    values = ctx[operand]
    words: dict[tuple[int, ...], list[str]] = {}
    fragment = (_ROWS, _COLUMNS)[side]
    for row, registers in operand_registers(operand.type, side, fragment).items():
        elements = [values[n] for n in registers]
        words[row] = elements
        if bits <= _WORD:
            words[row] = pack_words(ctx.writer, type_, bits, elements, _WORD)
    return words


def pack_accumulators(ctx: LoweringContext, total: Accumulator, values: Sequence[str]) -> list[str]:
    """Pack accumulators into registers of the instruction: two of f16 share one."""
    if total.each == 1:
        return list(values)
    return pack_words(ctx.writer, "half", 16, values, _WORD)


def unpack_accumulators(
    ctx: LoweringContext, total: Accumulator, words: Sequence[str]
) -> list[str]:
    """Unpack the accumulators of an instruction's registers."""
    if total.each == 1:
        return list(words)
    return unpack_words(ctx.writer, "half", 16, words, _WORD)


def _multiply(
    ctx: LoweringContext, what: _Instruction, a: Sequence[str], b: Sequence[str], c: Sequence[str]
) -> list[str]:
    """Write one instruction; return the registers of its result."""
    w, count = ctx.writer, len(c)

    def numbered(start: int, size: int) -> str:
        return "{" + ", ".join(f"${n}" for n in range(start, start + size)) + "}"

    left, right = numbered(count, len(a)), numbered(count + len(a), len(b))
    text = f"{what.name} {numbered(0, count)}, {left}, {right}, {numbered(0, count)};"
    constraints = [f"={what.total.letter}"] * count
    constraints += [what.letter] * (len(a) + len(b)) + [str(n) for n in range(count)]
    operands = [f"{what.word} {value}" for value in (*a, *b)]
    operands += [f"{what.total.word} {value}" for value in c]
    kind = f"{{ {', '.join([what.total.word] * count)} }}"
    assembly = f'asm "{text}", "{",".join(constraints)}"({", ".join(operands)})'
    result = w.value(f"call {kind} {assembly} convergent")
    return [w.value(f"extractvalue {kind} {result}, {n}") for n in range(count)]
