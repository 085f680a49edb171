"""Dots on AMD's matrix cores: MFMA on waves of 64 lanes, WMMA on waves of 32.

    llvm.amdgcn.mfma.f32.32x32x8f16(<4 x half> a, <4 x half> b, <16 x float> c, 0, 0, 0)

A lane holds a run of k of one row of A and of one column of B, and a part of the tile of the
result. Where the layout is transposed, so that a lane's part of the result is a row's, the operands
change places: (B^T A^T)^T = A B.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Attribute, Operation

from weft.codegen.fragments import accumulators, chunks, operand_rows
from weft.codegen.hardware.words import as_integer
from weft.codegen.llvm_types import llvm_type
from weft.codegen.lowering import Lowering
from weft.errors import CodegenError
from weft.ir import types
from weft.ir.enums import InputPrecision
from weft.layouts import AmdMfmaEncoding, AmdWmmaEncoding
from weft.targets.matrix import MatrixInstruction, matrix_units

__all__ = ["dot_amd"]

_NAMES: dict[Attribute, str] = {
    types.f16: "f16",
    types.bf16: "bf16",
    types.f32: "f32",
    types.f64: "f64",
    types.i8: "i8",
    types.i32: "i32",
    types.f8E4M3FN: "f8E4M3FN",
    types.f8E5M2: "f8E5M2",
    types.f8E4M3FNUZ: "f8E4M3FNUZ",
    types.f8E5M2FNUZ: "f8E5M2FNUZ",
}


# Intrinsics whose operands are bfloat in LLVM.
_BFLOAT = ("mfma.f32.32x32x16.bf16", "mfma.f32.16x16x32.bf16", "wmma.f32.16x16x32.bf16")


@dataclass(frozen=True, slots=True)
class _Unit:
    """An instruction as it is called: the types of its operands, and what surrounds them."""

    row: MatrixInstruction
    operand: str
    result: str
    count: int
    family: str
    version: int


def dot_amd(low: Lowering, op: Operation) -> None:
    """Lower a dot whose result lies as a matrix instruction leaves it."""
    a, b, c = op.operands[:3]
    (result,) = op.results
    encoding = types.encoding(result.type)
    assert isinstance(encoding, AmdMfmaEncoding | AmdWmmaEncoding)
    unit = _unit(low, op, encoding)
    rows, columns = operand_rows(a.type, 0), operand_rows(b.type, 1)
    held = list(low[c])
    packed: dict[tuple[int, tuple[int, ...]], str] = {}

    def vector(side: int, registers: Sequence[int]) -> str:
        key = side, tuple(registers)
        if key not in packed:
            packed[key] = _operand(low, unit, op.operands[side], registers)
        return packed[key]

    tile = (unit.row.m, unit.row.n)
    each = unit.row.elements
    for (*batch, m, n), elements in accumulators(result.type, tile).items():
        registers = [register for _, register in elements]
        total = _gather(low, unit, [held[register] for register in registers])
        left, right = rows[(*batch, m)], columns[(*batch, n)]
        for one, other in zip(chunks(left, each), chunks(right, each), strict=True):
            operands = [vector(0, one), vector(1, other)]
            if encoding.is_transposed:
                operands.reverse()
            total = _multiply(low, unit, operands, total)
        for position, register in enumerate(registers):
            held[register] = low.writer.value(
                f"extractelement {unit.result} {total}, i32 {position}"
            )
    low.define(result, low.repeated(result, held))


def _unit(low: Lowering, op: Operation, encoding: AmdMfmaEncoding | AmdWmmaEncoding) -> _Unit:
    """Return the instruction of a dot.

    Raises: CodegenError: the chip has none of the layout's shape for the operands' types.
    """
    a, b = (types.element(operand.type) for operand in op.operands[:2])
    names = [_NAMES.get(kind, str(kind)) for kind in (a, b)]
    if names == ["f32", "f32"]:
        precision = InputPrecision.of(op.properties["inputPrecision"]).keyword
        names = ["xf32", "xf32"] if precision == "tf32" else names
    units = matrix_units(str(low.hardware.target.arch))
    shape = encoding.instr_shape
    d = _NAMES.get(types.element(op.results[0].type), "")
    fitting = [
        row
        for row in units.matrix
        if (row.m, row.n, row.k, row.a, row.b, row.d) == (*shape[:3], *names, d)
        and row.blocks == 1
        and not row.scaled
    ]
    if not fitting:
        raise CodegenError(
            f"{low.hardware.target} has no {'x'.join(map(str, shape))} of {names[0]}, {names[1]}",
            found=encoding,
            accepted=[f"{row.shape} of {row.a}, {row.b}" for row in units.matrix],
        )
    row = fitting[0]
    count = row.m * row.n // low.hardware.target.threads_per_warp
    element = llvm_type(op.results[0].type)
    return _Unit(
        row,
        _operand_type(row, a),
        f"<{count} x {element}>",
        count,
        units.family,
        units.version,
    )


def _operand_type(row: MatrixInstruction, element: Attribute) -> str:
    """Return the LLVM type of an operand: bytes come packed in i32 or i64, bf16 as i16 at times."""
    bits = types.bit_width(element) * row.elements
    if types.bit_width(element) == 8:
        if row.name.startswith("mfma"):
            return {32: "i32", 64: "i64", 128: "<4 x i32>"}[bits]
        return f"<{bits // 32} x i32>"
    type_ = llvm_type(element)
    if type_ == "bfloat" and not row.name.startswith(_BFLOAT):
        type_ = "i16"  # the older intrinsics take the bits
    return type_ if row.elements == 1 else f"<{row.elements} x {type_}>"


def _operand(low: Lowering, unit: _Unit, operand: object, registers: Sequence[int]) -> str:
    """Return the run of an operand's elements that an instruction reads."""
    w, type_ = low.writer, llvm_type(operand.type)  # pyright: ignore
    values = [low[operand][register] for register in registers]  # pyright: ignore
    if len(values) == 1:
        return values[0]
    bits = types.bit_width(operand.type)  # pyright: ignore
    vector, whole = f"<{len(values)} x i{bits}>", "poison"
    integers = [as_integer(w, type_, bits, value) for value in values]
    for n, value in enumerate(integers):
        whole = w.value(f"insertelement {vector} {whole}, i{bits} {value}, i32 {n}")
    return (
        whole if vector == unit.operand else w.value(f"bitcast {vector} {whole} to {unit.operand}")
    )


def _gather(low: Lowering, unit: _Unit, values: Sequence[str]) -> str:
    element = unit.result.split(" x ")[1][:-1]
    whole = "poison"
    for n, value in enumerate(values):
        whole = low.writer.value(f"insertelement {unit.result} {whole}, {element} {value}, i32 {n}")
    return whole


def _multiply(low: Lowering, unit: _Unit, operands: Sequence[str], total: str) -> str:
    """Write one instruction."""
    one, other = ((unit.operand, value) for value in operands)
    held = (unit.result, total)
    if unit.family == "mfma":
        name = f"llvm.amdgcn.{unit.row.name}"
        return low.writer.call(unit.result, name, one, other, held, *[("i32", "0")] * 3)
    name = f"llvm.amdgcn.{unit.row.name}.{_mangled(unit.result)}.{_mangled(unit.operand)}"
    if unit.row.a == "i8":
        sign = ("i1", "true")
        arguments = [sign, one, sign, other, held, ("i1", "false")]
        return low.writer.call(unit.result, name, *arguments)
    return low.writer.call(unit.result, name, one, other, held)


def _mangled(type_: str) -> str:
    """Return how an overloaded intrinsic's name spells a vector type."""
    count, _, element = type_[1:-1].partition(" x ")
    spelled = {"float": "f32", "half": "f16", "bfloat": "bf16"}.get(element, element)
    return f"v{count}{spelled}"
