"""The MFMA or WMMA instruction of a dot, and the operands of its intrinsic.

    mfma.f32.16x16x32.bf8.fp8   (i64 a, i64 b, <4 x float> c, i32 0, i32 0, i32 0)

If the layout is transposed, a lane's part of the result is in a row, and the operands are swapped:
(B^T A^T)^T = A B. Then the instruction's a is the dot's B, with B's type.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from msgspec import Struct
from xdsl.ir import Attribute

from weft.codegen.llvm.types import llvm_type
from weft.codegen.llvm.writer import Writer
from weft.errors import CodegenError
from weft.layouts import AmdMfmaEncoding, AmdWmmaEncoding
from weft.lowering_plans.dot import element_names, find_matrix_instruction
from weft.targets import Target
from weft.targets.matrix_intrinsics import OPERANDS, MatrixCall
from weft.targets.matrix_units import MatrixInstruction, MatrixUnits, matrix_units

__all__ = ["MatrixInstructionCall", "select_instruction"]

T = TypeVar("T")

_MANGLED = {"float": "f32", "half": "f16", "bfloat": "bf16", "double": "f64"}
_PLAIN = {"spread": "0", "block": "0"}


class MatrixInstructionCall(Struct, frozen=True):
    """A matrix instruction, and how a dot's operands and result are passed to it.

    Attributes:
        row: The instruction.
        call: Arguments of its intrinsic.
        swapped: Whether the instruction's a is the dot's B.
        element: LLVM type of an element of the result.
        stored: Type of that element in the intrinsic.
        count: Elements of the result per lane.
        step: Distance of these elements in the vector.
    """

    row: MatrixInstruction
    call: MatrixCall
    swapped: bool
    element: str
    stored: str
    count: int
    step: int

    @property
    def total(self) -> str:
        """The LLVM type of c and of the result."""
        return f"<{self.count * self.step} x {self.stored}>"

    def ordered(self, operands: Sequence[T]) -> Sequence[T]:
        """Order what belongs to the dot's A and B as the instruction's operands."""
        return operands[::-1] if self.swapped else operands

    def gather(self, writer: Writer, values: Sequence[str]) -> str:
        """Build the vector of a lane's accumulators."""
        whole = "poison"
        for n, value in enumerate(values):
            if self.stored != self.element:
                value = writer.value(f"bitcast {self.element} {value} to {self.stored}")
            operand = f"{self.stored} {value}, i32 {n * self.step}"
            whole = writer.value(f"insertelement {self.total} {whole}, {operand}")
        return whole

    def part(self, writer: Writer, total: str, number: int) -> str:
        """Extract one of a lane's elements of the result."""
        element = writer.value(f"extractelement {self.total} {total}, i32 {number * self.step}")
        if self.stored != self.element:
            element = writer.value(f"bitcast {self.stored} {element} to {self.element}")
        return element

    def multiply(
        self,
        writer: Writer,
        operands: Sequence[tuple[str, str]],
        total: str,
        filled: Mapping[str, str] = _PLAIN,
    ) -> str:
        """Write the instruction; return the vector of its result.

        Args:
            writer: Where to write.
            operands: (LLVM type, value) of a and b.
            total: The accumulators.
            filled: Values of the intrinsic's named arguments.
        """
        values: dict[str, tuple[str, str]] = dict(
            zip(OPERANDS, (*operands, (self.total, total)), strict=True)
        )
        arguments = []
        for text in self.call.arguments:
            if text in values:
                arguments.append(values[text])
                continue
            type_, argument = text.split()
            arguments.append((type_, filled[argument[1:]] if argument[0] == "$" else argument))
        ends = [_mangled(values[name][0]) for name in self.call.overloaded]
        name = ".".join(("llvm.amdgcn", self.row.name, *ends))
        return writer.call(self.total, name, *arguments)


def select_instruction(
    target: Target,
    encoding: AmdMfmaEncoding | AmdWmmaEncoding,
    operands: Sequence[Sequence[str]],
    result: Attribute,
) -> MatrixInstructionCall:
    """Find the instruction of a dot.

    Args:
        target: The chip.
        encoding: Layout of the result.
        operands: Names of the element types of A and B, preferred ones first.
        result: Type of the result.

    Raises:
        CodegenError: The chip has no instruction of the layout's shape for these types.
    """
    units = matrix_units(str(target.arch))
    shape, d = encoding.instr_shape[:3], element_names(result, result)[0]
    is_swapped = encoding.is_transposed or shape[0] > shape[1]
    for names in operands:
        row = find_matrix_instruction(target, encoding, (names[0], names[1]), d)
        if row is not None:
            _check(row, encoding)
            return _unit(units, row, is_swapped, llvm_type(result))
    raise CodegenError(
        f"{target} has no {'x'.join(map(str, shape))} of {operands[0][0]}, {operands[0][1]} to {d}",
        found=encoding,
        accepted=[f"{row.shape} of {row.a}, {row.b}" for row in units.matrix],
    )


def _unit(
    units: MatrixUnits, row: MatrixInstruction, swapped: bool, element: str
) -> MatrixInstructionCall:
    count = row.m * row.n // units.lanes
    # On chips whose lanes replicate operands, a 16-bit result takes half of a register.
    step = row.copies if row.d in ("f16", "bf16") else 1
    # Intrinsics with bf16 operands as integers return integers.
    register_type = "i16" if element == "bfloat" and row.operand.endswith("x i16>") else element
    return MatrixInstructionCall(
        row, units.calls[row.call], swapped, element, register_type, count, step
    )


def _check(row: MatrixInstruction, encoding: AmdMfmaEncoding | AmdWmmaEncoding) -> None:
    if row.blocks > 1 and row.m < row.n and encoding.is_transposed:
        raise CodegenError("MFMA with 4 rows does not support a transposed result", found=encoding)


def _mangled(type_: str) -> str:
    """Mangle a vector type as in the name of an overloaded intrinsic."""
    count, _, element = type_[1:-1].partition(" x ")
    return f"v{count}{_MANGLED.get(element, element)}"
