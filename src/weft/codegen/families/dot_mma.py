"""Dots on NVIDIA's tensor cores by mma.sync: a warp multiplies registers of its lanes.

    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32  {d0,d1,d2,d3}, {a0,a1,a2,a3}, {b0,b1}, {c0…}

A lane holds, of the operand A, two words of 32 bits in each of two rows, eight apart; of B two
words of one column; of the result two neighbours in each of the two rows. For f64 a word is one
element, and an instruction takes one.
Source: PTX ISA 9.0, warp-level matrix instructions.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, Operation, SSAValue

from weft.codegen.fragments import accumulators, chunks, operand_rows
from weft.codegen.hardware.protocol import Access
from weft.codegen.hardware.words import join
from weft.codegen.llvm_types import llvm_type
from weft.codegen.lowering import Lowering
from weft.errors import CodegenError
from weft.ir import types
from weft.ir.enums import InputPrecision
from weft.layouts import NvidiaMmaEncoding

__all__ = ["KINDS", "dot_mma", "words_of"]

_ROWS, _COLUMNS = 16, 8
_DEPTH_BITS = 256  # along k, of one instruction
# element type → its name in PTX
KINDS: dict[Attribute, str] = {
    types.f16: "f16",
    types.bf16: "bf16",
    types.f32: "tf32",
    types.i8: "s8",
    types.f8E4M3FN: "e4m3",
    types.f8E5M2: "e5m2",
}
_RESULTS = {"float": ("f32", "f"), "i32": ("s32", "r"), "half": ("f16", "r")}


def dot_mma(low: Lowering, op: Operation) -> None:
    """Lower a dot whose result lies as mma.sync leaves it.

    Raises: CodegenError: types or a version that mma.sync does not take.
    """
    c, (result,) = op.operands[2], op.results
    encoding = types.encoding(result.type)
    assert isinstance(encoding, NvidiaMmaEncoding)
    name = _instruction(op, encoding)
    rows, columns = words_of(low, op.operands[0], 0), words_of(low, op.operands[1], 1)
    held = list(low[c])
    for (*batch, m, n), elements in accumulators(result.type, (_ROWS, _COLUMNS)).items():
        registers = [register for _, register in sorted(elements)]
        upper, lower = rows[(*batch, m)], rows[(*batch, m + _ROWS // 2)]
        right = columns[(*batch, n)]
        total = [held[register] for register in registers]
        for top, bottom, other in zip(
            chunks(upper, 2), chunks(lower, 2), chunks(right, 2), strict=True
        ):
            left = [top[0], bottom[0], top[1], bottom[1]]
            total = _multiply(low, name, llvm_type(c.type), left, other, total)
        for register, value in zip(registers, total, strict=True):
            held[register] = value
    low.define(result, low.repeated(result, held))


def _instruction(op: Operation, encoding: NvidiaMmaEncoding) -> str:
    """Return the instruction's name in PTX."""
    a, b = (types.element(operand.type) for operand in op.operands[:2])
    result = llvm_type(op.results[0].type)
    if encoding.version_major != 2 or not {a, b} <= KINDS.keys() or result not in _RESULTS:
        raise CodegenError(
            f"mma.sync does not multiply {a} and {b} into {types.element(op.results[0].type)}",
            found=encoding,
            accepted=[str(kind) for kind in KINDS],
        )
    if a == types.f32 and InputPrecision.of(op.properties["inputPrecision"]).keyword != "tf32":
        raise CodegenError("tensor cores read f32 operands as tf32", accepted=["tf32"])
    depth = _DEPTH_BITS // types.bit_width(a)
    kind, _ = _RESULTS[result]
    return f"mma.sync.aligned.m16n8k{depth}.row.col.{kind}.{KINDS[a]}.{KINDS[b]}.{kind}"


def words_of(low: Lowering, operand: SSAValue, side: int) -> dict[tuple[int, ...], list[str]]:
    """Return the words of 32 bits of each row or column of an operand, in the order of k."""
    type_, bits = llvm_type(operand.type), types.bit_width(operand.type)
    each = 32 // bits
    values = low[operand]
    found: dict[tuple[int, ...], list[str]] = {}
    for place, registers in operand_rows(operand.type, side).items():
        access = Access(type_, len(registers), bits, "")
        found[place] = join(low.writer, access, [values[n] for n in registers], 32)
        assert len(found[place]) == len(registers) // each
    return found


def _multiply(
    low: Lowering,
    name: str,
    type_: str,
    a: Sequence[str],
    b: Sequence[str],
    c: Sequence[str],
) -> list[str]:
    """Write one instruction, and return the result's registers."""
    w, (_, letter) = low.writer, _RESULTS[type_]
    packed = type_ == "half"  # two elements of the result share a register
    held = join(w, Access("half", 4, 16, ""), c, 32) if packed else list(c)
    word = "i32" if packed else type_
    count = len(held)

    def numbered(start: int, size: int) -> str:
        return "{" + ", ".join(f"${n}" for n in range(start, start + size)) + "}"

    text = (
        f"{name} {numbered(0, count)}, {numbered(count, 4)}, {numbered(count + 4, 2)}, "
        f"{numbered(0, count)};"
    )
    constraints = [f"={letter}"] * count + ["r"] * 6 + [str(n) for n in range(count)]
    given = [f"i32 {value}" for value in (*a, *b)] + [f"{word} {value}" for value in held]
    kind = f"{{ {', '.join([word] * count)} }}"
    called = f'asm "{text}", "{",".join(constraints)}"({", ".join(given)})'
    done = w.value(f"call {kind} {called} convergent")
    found = [w.value(f"extractvalue {kind} {done}, {n}") for n in range(count)]
    if not packed:
        return found
    halves = [w.value(f"bitcast i32 {value} to <2 x half>") for value in found]
    return [
        w.value(f"extractelement <2 x half> {pair}, i32 {n}") for pair in halves for n in range(2)
    ]
