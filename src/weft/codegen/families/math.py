"""Elementary functions: what a chip computes natively, and exp and log by way of powers of two.

math.exp %x : f32    →    exp2(x · log2 e), whose exp2 is one instruction on every chip
"""

from __future__ import annotations

from math import e, log2

from xdsl.ir import Operation

from weft.codegen.llvm_types import float_literal, llvm_type, suffix
from weft.codegen.lowering import Lowering
from weft.codegen.registry import lowers
from weft.errors import CodegenError
from weft.ir import types

_NATIVE = {"math.exp2": "exp2", "math.sqrt": "sqrt", "math.rsqrt": "rsqrt"}
_ROUNDING = {
    "math.absf": "fabs",
    "math.floor": "floor",
    "math.ceil": "ceil",
    "math.round": "round",
    "math.roundeven": "roundeven",
    "math.trunc": "trunc",
    "tt.precise_sqrt": "sqrt",
}


def _in_single(low: Lowering, op: Operation) -> None:
    """Refuse what only 32-bit floats have an instruction for."""
    if types.element(op.operands[0].type) != types.f32:
        raise CodegenError(
            f"{op.name} is lowered for f32 alone", found=op.operands[0].type, accepted=["f32"]
        )


@lowers(*_NATIVE)
def _native(low: Lowering, op: Operation) -> None:
    _in_single(low, op)
    (x,) = (low[operand] for operand in op.operands)
    name = _NATIVE[op.name]
    low.each(op.results[0], lambda n: low.hardware.approximate(low.writer, name, x[n]))


@lowers("math.exp")
def _exponential(low: Lowering, op: Operation) -> None:
    _in_single(low, op)
    (x,) = (low[operand] for operand in op.operands)
    scale = float_literal(log2(e), types.f32)

    def make(n: int) -> str:
        scaled = low.writer.value(f"fmul float {x[n]}, {scale}")
        return low.hardware.exp2(low.writer, scaled)

    low.each(op.results[0], make)


@lowers("math.log", "math.log2")
def _logarithm(low: Lowering, op: Operation) -> None:
    _in_single(low, op)
    (x,) = (low[operand] for operand in op.operands)
    base_two = op.name == "math.log2"
    low.each(
        op.results[0],
        lambda n: low.hardware.logarithm(low.writer, x[n], base_two=base_two),
    )


@lowers(*_ROUNDING)
def _rounding(low: Lowering, op: Operation) -> None:
    (x,) = (low[operand] for operand in op.operands)
    type_ = llvm_type(op.results[0].type)
    callee = f"llvm.{_ROUNDING[op.name]}.{suffix(type_)}"
    low.each(op.results[0], lambda n: low.writer.call(type_, callee, (type_, x[n])))


@lowers("math.absi")
def _absolute(low: Lowering, op: Operation) -> None:
    (x,) = (low[operand] for operand in op.operands)
    type_ = llvm_type(op.results[0].type)
    callee = f"llvm.abs.{type_}"
    low.each(
        op.results[0], lambda n: low.writer.call(type_, callee, (type_, x[n]), ("i1", "false"))
    )


@lowers("math.fma")
def _fused(low: Lowering, op: Operation) -> None:
    a, b, c = (low[operand] for operand in op.operands)
    type_ = llvm_type(op.results[0].type)
    callee = f"llvm.fma.{suffix(type_)}"
    low.each(
        op.results[0],
        lambda n: low.writer.call(type_, callee, (type_, a[n]), (type_, b[n]), (type_, c[n])),
    )
