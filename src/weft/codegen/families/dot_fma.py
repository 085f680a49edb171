"""Dots by fused multiply-add: each thread holds all of k for its rows and columns."""

from __future__ import annotations

from xdsl.ir import Operation

from weft.codegen.fragments import accumulators, operand_rows
from weft.codegen.llvm_types import llvm_type, suffix
from weft.codegen.lowering import Lowering
from weft.ir import types

__all__ = ["dot_fma"]


def dot_fma(low: Lowering, op: Operation) -> None:
    """Lower a dot whose result is blocked."""
    a, b, c = op.operands[:3]
    result = op.results[0]
    type_ = llvm_type(result.type)
    rows, columns = operand_rows(a.type, 0), operand_rows(b.type, 1)
    made = [""] * low.count(result)
    widened: dict[tuple[int, int], str] = {}

    def read(side: int, register: int) -> str:
        """Return an element of an operand in the result's type."""
        if (side, register) not in widened:
            operand = op.operands[side]
            widened[side, register] = _widen(low, operand, low[operand][register], type_)
        return widened[side, register]

    for (*batch, m, n), ((_, register),) in accumulators(result.type, (1, 1)).items():
        total = low[c][register]
        for left, right in zip(rows[(*batch, m)], columns[(*batch, n)], strict=True):
            total = _multiply_add(low, type_, read(0, left), read(1, right), total)
        made[register] = total
    low.define(result, low.repeated(result, made))


def _widen(low: Lowering, operand: object, value: str, type_: str) -> str:
    source = llvm_type(operand.type)  # pyright: ignore
    if source == type_:
        return value
    verb = "fpext" if types.is_float(types.element(operand.type)) else "sext"  # pyright: ignore
    return low.writer.value(f"{verb} {source} {value} to {type_}")


def _multiply_add(low: Lowering, type_: str, a: str, b: str, c: str) -> str:
    w = low.writer
    if type_.startswith("i"):
        return w.value(f"add {type_} {w.value(f'mul {type_} {a}, {b}')}, {c}")
    return w.call(type_, f"llvm.fma.{suffix(type_)}", (type_, a), (type_, b), (type_, c))
