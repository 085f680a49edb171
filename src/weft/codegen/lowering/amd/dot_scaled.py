"""Scaled dots on AMD's matrix cores: small floats, and a scale for every 32 of them along k.

    mfma.scale.f32.32x32x64.f8f6f4 (a, b, c, format of a, of b, part, scales of a, part, of b)

Scales are bytes, powers of two, four per register; "part" selects among them:

    mfma     a byte of the register: lane l provides row l % m with its scale of block l / m
    wmma     a half of the wave: its lane l provides row l % 16 with the scales of four blocks

Here the order of k matters: a lane holds 16 contiguous bytes, the next lanes the following ones.

    32x32x64 of 8 bits     register r of lane l holds k = 32 · (r / 16) + 16 · (l / 32) + r % 16
    … of 4 bits            byte r of lane l holds those from k = 2 · (16 · (l / 32) + r)

Source: AMDGCN that Triton 3.7.1 emits for tt.dot_scaled.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field
from xdsl.ir import SSAValue

from weft.codegen.lowering.amd.dot import DotOperand
from weft.codegen.lowering.amd.dot_priority import write_priority_of_dot
from weft.codegen.lowering.amd.matrix_instructions import MatrixInstructionCall, select_instruction
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.registers import layout_of
from weft.errors import CodegenError
from weft.ir import tt, types
from weft.ir.enums import ScaleDotElemType
from weft.layouts import AmdMfmaEncoding, AmdWmmaEncoding
from weft.lowering_plans.fragments import (
    accumulator_registers,
    chunks,
    operand_registers_by_k,
)
from weft.targets.matrix_intrinsics import SmallFloat
from weft.targets.matrix_units import matrix_units

__all__ = ["dot_amd_scaled"]

_RUN = 16  # contiguous bytes of a row per lane
_BLOCK = 32  # elements along k with one scale
_BYTES = 4  # scales in a register
_SPLIT = "pingpong_2step"  # attribute: a barrier separates the halves along k
_ONE = "2139062143"  # four scales of one: exponent byte 127


def dot_amd_scaled(ctx: LoweringContext, op: tt.DotScaledOp) -> None:
    """Lower a scaled dot whose result has an MFMA or WMMA layout.

    Raises:
        CodegenError: The chip has no such instruction, or operands or scales have another layout
            than
            it takes.
    """
    encoding = types.encoding(op.d.type)
    assert isinstance(encoding, AmdMfmaEncoding | AmdWmmaEncoding)
    names = [("f8f6f4", "f8f6f4")]
    unit = select_instruction(ctx.hardware.target, encoding, names, op.d.type)
    formats = [_format(ctx, op, name) for name in ("a_elem_type", "b_elem_type")]
    sides = [
        _ScaledSide(ctx, value, number, unit, kind, scale)
        for number, (value, kind, scale) in enumerate(
            zip((op.a, op.b), formats, (op.a_scale, op.b_scale), strict=True)
        )
    ]
    first, second = unit.ordered(sides)
    has_scales = op.a_scale is not None or op.b_scale is not None
    accumulators = list(ctx[op.c])
    tiles = accumulator_registers(op.d.type, (unit.row.m, unit.row.n))
    count = len(first.runs(next(iter(first.rows))))
    steps = [range(step, step + 1) for step in range(count)]
    is_split = _SPLIT in op.attributes
    is_first = True
    for part, selected in enumerate(steps if is_split else [range(count)]):
        for position, ((*batch, m, n), elements) in enumerate(tiles.items()):
            # Half of the instructions, counted over all steps, are before the barrier.
            if is_split and 2 * (part * len(tiles) + position) == count * len(tiles):
                _separate_clusters(ctx)
            registers = [register for _, register in elements]
            total = unit.gather(ctx.writer, [accumulators[register] for register in registers])
            row, column = unit.ordered([(*batch, m), (*batch, n)])
            rows, columns = first.runs(row), second.runs(column)
            for step in selected:
                filled = {
                    **first.filled("a", row, step, has_scales=has_scales),
                    **second.filled("b", column, step, has_scales=has_scales),
                }
                operands = [first.vector(rows[step]), second.vector(columns[step])]
                total = unit.multiply(ctx.writer, operands, total, filled)
                if is_first:
                    write_priority_of_dot(ctx.writer, op)
                    is_first = False
            for number, register in enumerate(registers):
                accumulators[register] = unit.part(ctx.writer, total, number)
    ctx.define(op.d, ctx.replicate(op.d, accumulators))


def _separate_clusters(ctx: LoweringContext) -> None:
    """Write the barrier between two dot clusters of ping-pong scheduling."""
    for name, arguments in (
        ("sched.barrier", (("i32", "0"),)),
        ("s.barrier", ()),
        ("sched.barrier", (("i32", "0"),)),
    ):
        ctx.writer.call("void", f"llvm.amdgcn.{name}", *arguments)


def _format(ctx: LoweringContext, op: tt.DotScaledOp, name: str) -> SmallFloat:
    """Get the format of an operand's elements.

    Raises:
        CodegenError: The instruction does not take the format, or elements are not packed along k.
    """
    kind = ScaleDotElemType.of(op.properties[name]).keyword
    formats = matrix_units(str(ctx.hardware.target.arch)).formats
    result = next((row for row in formats if row.name == kind and row.bits != 6), None)
    if result is None:
        raise CodegenError(
            f"{ctx.hardware.target} has no scaled matrix instruction for {kind}",
            found=kind,
            accepted=[row.name for row in formats if row.bits != 6],
        )
    packed = op.lhs_k_pack if name == "a_elem_type" else op.rhs_k_pack
    if result.bits < 8 and not packed:
        raise CodegenError("a scaled dot supports only operands packed along k", found=kind)
    return result


class _ScaledSide(DotOperand):
    """An operand with its scales."""

    def __init__(
        self,
        ctx: LoweringContext,
        value: SSAValue,
        number: int,
        unit: MatrixInstructionCall,
        kind: SmallFloat,
        scale: SSAValue | None,
    ) -> None:
        self.format = kind
        self.size = unit.row.elements * kind.bits // 8  # bytes of one instruction in a lane
        super().__init__(ctx, value, number, unit, f"<{self.size // 4} x i32>")
        self.scales = None if scale is None else _Scales.of(ctx, scale, unit, number)
        self._check()

    def runs(self, place: tuple[int, ...]) -> list[Sequence[int]]:
        """List the registers of each instruction along k."""
        return chunks(list(self.rows[place].values()), self.size)

    def filled(
        self, name: str, place: tuple[int, ...], step: int, *, has_scales: bool
    ) -> dict[str, str]:
        """Get the format and scale arguments of this operand.

        Args:
            name: "a" or "b", the operand of the instruction.
            place: Row or column of the tile.
            step: Index along k.
            has_scales: Whether the dot has any scales.
        """
        part, scale = "0", _ONE if has_scales or self.unit.row.name.startswith("wmma") else "0"
        if self.scales is not None:
            part, scale = self.scales.of_step(place, step)
        return {
            f"{name}_format": str(self.format.number),
            f"{name}_part": part,
            f"{name}_scale": scale,
        }

    def _check(self) -> None:
        """Check that lanes hold the k that the instruction expects.

        Raises:
            CodegenError: They hold others.
        """
        groups = 1 << len(self.lanes_along)
        expected_ks = [
            run * _RUN * groups + k for run in range(self.size // _RUN) for k in range(_RUN)
        ]
        for row in self.rows.values():
            ks = list(row)[: self.size]
            lanes = [_RUN << bit for bit in range(len(self.lanes_along))]
            is_known = all(
                image in (0, lane) for image, lane in zip(self.lanes_along, lanes, strict=True)
            )
            if ks != expected_ks[: len(ks)] or not is_known:
                raise CodegenError(
                    "the operand layout of a scaled dot does not match its matrix instruction",
                    found=types.encoding(self.value.type),
                    hint="set kWidth = 16",
                )


class _Scales(Struct):
    """The scales of an operand.

    Attributes:
        ctx: State of the function.
        value: The scales.
        blocks: Scales along k of one instruction.
        half: Difference of the rows of the wave's halves, if they have different scales.
        by_byte: Whether a scale is a byte of the lane's register.
        places: Register of each scale, by row and k.
        made: Words that are already packed.
    """

    ctx: LoweringContext
    value: SSAValue
    blocks: int
    half: int
    by_byte: bool
    places: dict[tuple[int, ...], dict[int, int]]
    words: dict[tuple[int, ...], str] = field(default_factory=dict)

    @classmethod
    def of(
        cls, ctx: LoweringContext, value: SSAValue, unit: MatrixInstructionCall, number: int
    ) -> _Scales:
        """Create the scales of an operand.

        Raises:
            CodegenError: Their layout is not the one that the instruction takes.
        """
        side = (unit.row.m, unit.row.n)[number].bit_length() - 1
        blocks = unit.row.k // _BLOCK
        by_byte = unit.row.name.startswith("mfma")
        lanes = [tuple(image[-2:]) for image in layout_of(value.type).bases["lane"]]
        rows = [(1 << bit, 0) for bit in range(side)]
        others = [(0, 1 << bit) for bit in range(len(lanes) - side)]
        rest = lanes[side:]
        is_supported = (
            all(image in (other, (0, 0)) for image, other in zip(rest, others, strict=True))
            if by_byte
            else all(along == 0 for _, along in rest)
        )
        if lanes[:side] != rows or not is_supported:
            raise CodegenError(
                "the layout of a dot's scales does not match its matrix instruction",
                found=types.encoding(value.type),
            )
        half = 0 if by_byte else rest[0][0]
        return cls(ctx, value, blocks, half, by_byte, operand_registers_by_k(value.type, 0))

    def of_step(self, place: tuple[int, ...], step: int) -> tuple[str, str]:
        """Get the part and the register of scales of one instruction.

        Args:
            place: Row of the tile.
            step: Index along k.
        """
        *batch, row = place
        start = step * self.blocks
        if self.by_byte:
            register = self.places[place][start]
            first = register - register % _BYTES
            count = len(self.ctx[self.value])
            word = range(first, min(first + _BYTES, count))
            return str(register - first), self._word(tuple(word))
        for half, moved in enumerate((row, row ^ self.half)):
            registers = self.places.get((*batch, moved))
            if registers is not None and start in registers:
                word = [registers[k] for k in range(start, start + self.blocks) if k in registers]
                return str(half), self._word(tuple(word))
        raise CodegenError(
            "no lane holds the scales of a row", found=types.encoding(self.value.type)
        )

    def _word(self, registers: tuple[int, ...]) -> str:
        """Pack up to four scales into a register; missing ones are one."""
        if registers not in self.words:
            w, whole = self.ctx.writer, "poison"
            operands = [self.ctx[self.value][register] for register in registers]
            for n, scale in enumerate([*operands, *["127"] * (_BYTES - len(operands))]):
                whole = w.value(f"insertelement <4 x i8> {whole}, i8 {scale}, i32 {n}")
            self.words[registers] = w.value(f"bitcast <4 x i8> {whole} to i32")
        return self.words[registers]
