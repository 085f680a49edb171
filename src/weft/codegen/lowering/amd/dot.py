"""Dots on AMD's matrix cores: MFMA on waves of 64 lanes, WMMA on waves of 32.

    llvm.amdgcn.mfma.f32.32x32x8f16(<4 x half> a, <4 x half> b, <16 x float> c, 0, 0, 0)

A lane holds a run of k of one row of A and of one column of B, and a part of the accumulator tile.
Which k that is does not matter, as long as both operands have the same.

An MFMA of 4 rows computes 16 blocks at once, each of which can have its own rows. Here all have the
same: block j of A's lanes, which holds the k of step j, is broadcast to all blocks (cbsz, abid).

    4x64x64, f16     lane l of A: row l % 4, k from 4 · (l / 4)     lane l of B: column l, all k
                     step j: A's block j, broadcast to 16 · B's k from 4 j

If the operands have fewer k than an instruction, lanes hold replicas, which are replaced by zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xdsl.ir import Operation, SSAValue

from weft.codegen.llvm.types import llvm_type
from weft.codegen.llvm.word_packing import as_integer
from weft.codegen.lowering.amd.dot_priority import write_priority_of_dot
from weft.codegen.lowering.amd.matrix_instructions import (
    MatrixInstructionCall,
    select_instruction,
)
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.registers import layout_of
from weft.errors import CodegenError
from weft.ir import types
from weft.ir.enums import InputPrecision
from weft.layouts import AmdMfmaEncoding, AmdWmmaEncoding
from weft.lowering_plans.dot import element_names
from weft.lowering_plans.fragments import (
    accumulator_registers,
    chunks,
    operand_registers_by_k,
)

__all__ = ["DotOperand", "dot_amd"]

Step = tuple[Sequence[int], Sequence[int], Mapping[str, str]]


def dot_amd(ctx: LoweringContext, op: Operation) -> None:
    """Lower a dot whose result has an MFMA or WMMA layout."""
    (result,) = op.results
    encoding = types.encoding(result.type)
    assert isinstance(encoding, AmdMfmaEncoding | AmdWmmaEncoding)
    names = [element_names(*(operand.type for operand in op.operands[:2]))]
    if names == [("f32", "f32")] and InputPrecision.of(op.properties["inputPrecision"]).keyword == (
        "tf32"
    ):
        names.insert(0, ("xf32", "xf32"))
    unit = select_instruction(ctx.hardware.target, encoding, names, result.type)
    sides = [DotOperand(ctx, op.operands[n], n, unit, unit.row.operand) for n in range(2)]
    accumulators = list(ctx[op.operands[2]])
    is_first = True
    for (*batch, m, n), elements in accumulator_registers(
        result.type, (unit.row.m, unit.row.n)
    ).items():
        registers = [register for _, register in elements]
        total = unit.gather(ctx.writer, [accumulators[register] for register in registers])
        # A transposed result exchanges the operands: the instruction computes the transpose.
        places = unit.ordered([(*batch, m), (*batch, n)])
        first, second = unit.ordered(sides)
        for one, other, filled in _steps(unit, first, second, places):
            operands = [first.vector(one), second.vector(other)]
            total = unit.multiply(ctx.writer, operands, total, filled)
            if is_first:
                write_priority_of_dot(ctx.writer, op)
                is_first = False
        for position, register in enumerate(registers):
            accumulators[register] = unit.part(ctx.writer, total, position)
    ctx.define(result, ctx.replicate(result, accumulators))


def _steps(
    unit: MatrixInstructionCall,
    first: DotOperand,
    second: DotOperand,
    places: Sequence[tuple[int, ...]],
) -> Iterator[Step]:
    """Yield the registers of each instruction's operands, and the arguments for broadcast blocks.

    Raises:
        CodegenError: The operands hold different k.
    """
    rows, columns = (side.rows[place] for side, place in zip((first, second), places, strict=True))
    for run in chunks(list(rows), unit.row.elements):
        for number, offset in first.blocks():
            column_registers = [columns.get(k ^ offset, -1) for k in run]
            if -1 in column_registers:
                raise CodegenError("the operand layouts of a dot order k differently")
            filled = {"spread": "4" if unit.row.blocks > 1 else "0", "block": str(number)}
            yield [rows[k] for k in run], column_registers, filled


class DotOperand:
    """An operand of a dot: its registers by row and k, and the vectors of its instructions.

    Args:
        ctx: State of the function.
        value: The operand.
        number: 0 for A, 1 for B.
        unit: The instruction.
        type_: LLVM type of the instruction's operand.
    """

    def __init__(
        self,
        ctx: LoweringContext,
        value: SSAValue,
        number: int,
        unit: MatrixInstructionCall,
        type_: str,
    ) -> None:
        self.ctx, self.value, self.unit, self.type = ctx, value, unit, type_
        self.rows = operand_registers_by_k(value.type, number, (unit.row.m, unit.row.n)[number])
        self.bits = 8 * max(1, types.bit_width(value.type) // 8)
        layout = layout_of(value.type)
        rank = len(layout.out_dims)
        images = layout.bases["lane"]
        side = (unit.row.m, unit.row.n)[number].bit_length() - 1
        copy_bits = unit.row.copies.bit_length() - 1
        # Lane bits beyond the rows step along k, and the highest ones may be replicas.
        self.lanes_along = [image[rank - 1 - number] for image in images][
            side : len(images) - copy_bits
        ]
        idle = sum(1 << side + n for n, image in enumerate(self.lanes_along) if not image)
        # Idle lanes hold replicas along k, which would be added several times: they pass zeros.
        self.holds = "" if unit.row.blocks > 1 else ctx.threads.bits_are_zero({"lane": idle})
        self.vectors: dict[tuple[int, ...], str] = {}

    def blocks(self) -> Iterator[tuple[int, int]]:
        """Yield (block, difference of its k) of the lane blocks that are broadcast."""
        if self.unit.row.blocks == 1:
            yield 0, 0
            return
        visited: set[int] = set()
        for number in range(self.unit.row.blocks):
            offset = 0
            for bit, image in enumerate(self.lanes_along):
                offset ^= image if number >> bit & 1 else 0
            if offset not in visited:
                visited.add(offset)
                yield number, offset

    def vector(self, registers: Sequence[int]) -> tuple[str, str]:
        """Get the operand of an instruction: (type, value).

        Args:
            registers: Registers of contiguous k; missing ones are zero.
        """
        key = tuple(registers)
        if key not in self.vectors:
            self.vectors[key] = self._vector(key)
        return self.type, self.vectors[key]

    def _vector(self, registers: Sequence[int]) -> str:
        w, ctx = self.ctx.writer, self.ctx
        element = llvm_type(self.value.type)
        values = [ctx[self.value][register] for register in registers]
        count = max(len(values), self._register_count())
        if count == 1 and self.type == element:
            whole = values[0]
        else:
            whole = "poison" if len(values) == count else "zeroinitializer"
            vector = f"<{count} x i{self.bits}>"
            for n, value in enumerate(values):
                integer = as_integer(w, element, self.bits, value)
                whole = w.value(f"insertelement {vector} {whole}, i{self.bits} {integer}, i32 {n}")
            if vector != self.type:
                whole = w.value(f"bitcast {vector} {whole} to {self.type}")
        if self.holds:
            zero = "zeroinitializer" if self.type[0] == "<" else "0"
            if self.type in ("float", "double"):
                zero = "0.0"
            whole = w.value(f"select i1 {self.holds}, {self.type} {whole}, {self.type} {zero}")
        return whole

    def _register_count(self) -> int:
        """Count the registers that an operand of the instruction takes."""
        sizes = {"half": 16, "bfloat": 16, "float": 32, "double": 64}
        count, _, element = self.type.strip("<>").rpartition(" x ")
        bits = sizes.get(element) or int(element[1:])
        return int(count or 1) * bits // self.bits
