"""Elementary functions: native instructions, expansions, and calls of the vendor's library.

math.exp2 %x : f32    →    one instruction          math.exp   →   exp2(x · log2 e)
math.sin %x : f32     →    an expansion             math.sin %x : f64   →   the library's function

16-bit floats are computed in f32. The square root of f64 is exact; other functions of f64 are the
library's.
"""

from __future__ import annotations

from collections.abc import Callable
from math import e, log2

from xdsl.ir import Operation

from weft.codegen.hardware import Hardware
from weft.codegen.llvm.types import arithmetic_type, float_literal, intrinsic_suffix, llvm_type
from weft.codegen.llvm.writer import Writer
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.float8_signs import float8_magnitude, is_float8
from weft.codegen.lowering.elementary.functions import FLOAT32_FUNCTIONS, Function
from weft.codegen.lowering.elementary.rounding import round_half_away
from weft.codegen.lowering.registry import lowers
from weft.ir import math, tt, types

_ROUNDING = {
    math.FloorOp: "floor",
    math.CeilOp: "ceil",
    math.RoundOp: "round",
    math.RoundEvenOp: "roundeven",
    math.TruncOp: "trunc",
}


def _native(name: str) -> Function:
    return lambda hardware, writer, x: hardware.arithmetic.approximate(writer, name, x)


def _exponential(hardware: Hardware, writer: Writer, x: str) -> str:
    """Compute e^x as exp2 of a product, whose error grows with x as Triton's does."""
    scaled = writer.value(f"fmul float {x}, {float_literal(log2(e), types.f32)}")
    return hardware.arithmetic.exp2(writer, scaled)


_SINGLE: dict[type[Operation], Function] = {
    math.Exp2Op: _native("exp2"),
    math.SqrtOp: _native("sqrt"),
    math.RsqrtOp: _native("rsqrt"),
    math.ExpOp: _exponential,
    math.LogOp: FLOAT32_FUNCTIONS["log"],
    math.Log2Op: FLOAT32_FUNCTIONS["log2"],
    math.SinOp: FLOAT32_FUNCTIONS["sin"],
    math.CosOp: FLOAT32_FUNCTIONS["cos"],
    math.ErfOp: FLOAT32_FUNCTIONS["erf"],
    math.TanhOp: FLOAT32_FUNCTIONS["tanh"],
}


@lowers(*_SINGLE)
def _elementary(ctx: LoweringContext, op: Operation) -> None:
    element = types.element(op.operands[0].type)
    if element == types.f64:
        _in_double(ctx, op)
        return
    function = _SINGLE[type(op)]

    def make(values: list[str]) -> list[str]:
        single = ctx.floats.convert(values, element, types.f32)
        results = [function(ctx.hardware, ctx.writer, one) for one in single]
        return ctx.floats.convert(results, types.f32, element)

    ctx.define_together(op.results[0], op.operands[0], make)


def _in_double(ctx: LoweringContext, op: Operation) -> None:
    if isinstance(op, math.SqrtOp):
        _by_intrinsic(ctx, op, "sqrt")
        return
    ctx.define_together(op.results[0], op.operands[0], _library_call(ctx, op, "double"))


@lowers(math.TanOp, math.Log10Op, math.Log1pOp, math.ExpM1Op)
def _by_library(ctx: LoweringContext, op: Operation) -> None:
    element = types.element(op.operands[0].type)
    if element == types.f64:
        _in_double(ctx, op)
        return
    call = _library_call(ctx, op, "float")

    def make(values: list[str]) -> list[str]:
        single = ctx.floats.convert(values, element, types.f32)
        return ctx.floats.convert(call(single), types.f32, element)

    ctx.define_together(op.results[0], op.operands[0], make)


def _library_call(
    ctx: LoweringContext, op: Operation, type_: str
) -> Callable[[list[str]], list[str]]:
    """Create the writer of calls to the vendor library's function."""
    symbol = ctx.hardware.arithmetic.library_symbol(op.name.removeprefix("math."), type_)
    ctx.require_library(symbol)
    return lambda values: [ctx.writer.call(type_, symbol, (type_, one)) for one in values]


@lowers(*_ROUNDING)
def _rounding(ctx: LoweringContext, op: Operation) -> None:
    element = types.element(op.results[0].type)
    if isinstance(op, math.RoundOp) and element in (types.f32, types.f64):
        (x,) = (ctx[operand] for operand in op.operands)
        ctx.define_each(op.results[0], lambda n: round_half_away(ctx.writer, x[n], element))
        return
    _by_intrinsic(ctx, op, _ROUNDING[type(op)])


@lowers(tt.PreciseSqrtOp)
def _root(ctx: LoweringContext, op: tt.PreciseSqrtOp) -> None:
    _by_intrinsic(ctx, op, "sqrt")


@lowers(math.AbsFOp)
def _float_magnitude(ctx: LoweringContext, op: math.AbsFOp) -> None:
    type_ = op.results[0].type
    if not is_float8(type_):
        _by_intrinsic(ctx, op, "fabs")
        return
    (x,) = (ctx[operand] for operand in op.operands)
    ctx.define_each(op.results[0], lambda n: float8_magnitude(ctx.writer, type_, x[n]))


def _by_intrinsic(ctx: LoweringContext, op: Operation, name: str) -> None:
    (x,) = (ctx[operand] for operand in op.operands)
    type_ = arithmetic_type(op.results[0].type)
    callee = f"llvm.{name}.{intrinsic_suffix(type_)}"
    ctx.define_each(op.results[0], lambda n: ctx.writer.call(type_, callee, (type_, x[n])))


@lowers(math.AbsIOp)
def _absolute(ctx: LoweringContext, op: math.AbsIOp) -> None:
    (x,) = (ctx[operand] for operand in op.operands)
    type_ = llvm_type(op.results[0].type)
    callee = f"llvm.abs.{type_}"
    ctx.define_each(
        op.results[0], lambda n: ctx.writer.call(type_, callee, (type_, x[n]), ("i1", "false"))
    )


@lowers(math.FmaOp)
def _fused(ctx: LoweringContext, op: math.FmaOp) -> None:
    a, b, c = (ctx[operand] for operand in op.operands)
    type_ = arithmetic_type(op.results[0].type)
    callee = f"llvm.fma.{intrinsic_suffix(type_)}"
    ctx.define_each(
        op.results[0],
        lambda n: ctx.writer.call(type_, callee, (type_, a[n]), (type_, b[n]), (type_, c[n])),
    )
