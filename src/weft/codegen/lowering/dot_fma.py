"""Dots by fused multiply-add or by dot instructions of the vector ALU: each thread holds all of k.

    k = 0:  c00 += a00 b00    c01 += a00 b01    c10 += a10 b00    c11 += a10 b01
    k = 1:  c00 += a01 b10    …

AMD's dot instructions add the products of two or four k at once.

The outer loop is over k, so that operands are dead soon after they are loaded. A thread's operands
of a 64 x 64 tile are two thousand numbers; if each sum were completed before the next begins, all
of them would be live at once.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation

from weft.codegen.llvm.types import intrinsic_suffix, llvm_type
from weft.codegen.lowering.amd.vector_dot import add_products, pack_operand, select_vector_dot
from weft.codegen.lowering.common.context import LoweringContext
from weft.ir import types
from weft.lowering_plans.fragments import accumulator_registers, operand_registers
from weft.targets.matrix_units import VectorDot

__all__ = ["dot_fma"]

# A register of the result, and the registers of its row and column, in the order of k.
_Sum = tuple[int, Sequence[int], Sequence[int]]


def dot_fma(ctx: LoweringContext, op: Operation) -> None:
    """Lower a dot with a blocked result."""
    a, b, c = op.operands[:3]
    result = op.results[0]
    rows, columns = operand_registers(a.type, 0), operand_registers(b.type, 1)
    accumulators = [""] * ctx.num_registers(result)
    sums: list[_Sum] = []
    for (*batch, m, n), ((_, register),) in accumulator_registers(result.type, (1, 1)).items():
        accumulators[register] = ctx[c][register]
        sums.append((register, rows[(*batch, m)], columns[(*batch, n)]))
    row = select_vector_dot(ctx, op)
    if row is None:
        _add_by_fma(ctx, op, sums, accumulators)
    else:
        _add_by_vector_dot(ctx, op, row, sums, accumulators)
    ctx.define(result, ctx.replicate(result, accumulators))


def _add_by_fma(
    ctx: LoweringContext, op: Operation, sums: Sequence[_Sum], accumulators: list[str]
) -> None:
    """Add one product at a time to each accumulator."""
    type_ = llvm_type(op.results[0].type)
    widened: dict[tuple[int, int], str] = {}

    def read(side: int, register: int) -> str:
        """Get an element of an operand, extended to the result's type."""
        if (side, register) not in widened:
            operand = op.operands[side]
            widened[side, register] = _widen(ctx, operand, ctx[operand][register], type_)
        return widened[side, register]

    for k in range(len(sums[0][1])):
        for register, row, column in sums:
            left, right = read(0, row[k]), read(1, column[k])
            accumulators[register] = _multiply_add(ctx, type_, left, right, accumulators[register])


def _add_by_vector_dot(
    ctx: LoweringContext,
    op: Operation,
    row: VectorDot,
    sums: Sequence[_Sum],
    accumulators: list[str],
) -> None:
    """Add the products of a few k at a time to each accumulator."""
    type_ = llvm_type(op.results[0].type)
    packed: dict[tuple[int, Sequence[int]], tuple[str, str]] = {}

    def read(side: int, registers: Sequence[int]) -> tuple[str, str]:
        if (side, registers) not in packed:
            operand = op.operands[side]
            values = [ctx[operand][register] for register in registers]
            packed[side, registers] = pack_operand(ctx.writer, operand.type, values)
        return packed[side, registers]

    for k in range(0, len(sums[0][1]), row.k):
        for register, left, right in sums:
            a, b = read(0, tuple(left[k : k + row.k])), read(1, tuple(right[k : k + row.k]))
            total = add_products(ctx.writer, row, type_, a, b, accumulators[register])
            accumulators[register] = total


def _widen(ctx: LoweringContext, operand: object, value: str, type_: str) -> str:
    source = llvm_type(operand.type)  # pyright: ignore
    if source == type_:
        return value
    verb = "fpext" if types.is_float(types.element(operand.type)) else "sext"  # pyright: ignore
    return ctx.writer.value(f"{verb} {source} {value} to {type_}")


def _multiply_add(ctx: LoweringContext, type_: str, a: str, b: str, c: str) -> str:
    w = ctx.writer
    if type_.startswith("i"):
        return w.value(f"add {type_} {w.value(f'mul {type_} {a}, {b}')}, {c}")
    return w.call(type_, f"llvm.fma.{intrinsic_suffix(type_)}", (type_, a), (type_, b), (type_, c))
