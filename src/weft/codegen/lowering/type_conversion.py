"""Casts between integers, floats, and bit patterns.

arith.truncf %x : f32 to bf16      fptrunc float %3 to bfloat       to nearest, ties to even
arith.extsi %b : i1 to i32         sext i1 %4 to i32
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from xdsl.ir import Operation

from weft.codegen.llvm.types import llvm_type
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.registry import lowers
from weft.errors import CodegenError
from weft.ir import arith, tt, types
from weft.ir.enums import ArithRoundingMode, RoundingMode

_VERBS = {
    arith.ExtSIOp: "sext",
    arith.ExtUIOp: "zext",
    arith.TruncIOp: "trunc",
    arith.SIToFPOp: "sitofp",
    arith.UIToFPOp: "uitofp",
    arith.FPToSIOp: "fptosi",
    arith.FPToUIOp: "fptoui",
    arith.BitcastOp: "bitcast",
    tt.IntToPtrOp: "inttoptr",
    tt.PtrToIntOp: "ptrtoint",
}
_WIDER = ("sext", "zext")


def _cast(ctx: LoweringContext, op: Operation, verb: str) -> None:
    (values,) = (ctx[operand] for operand in op.operands)
    source, target = llvm_type(op.operands[0].type), llvm_type(op.results[0].type)
    if source == target:
        ctx.define(op.results[0], values)
        return

    def cast(part: str) -> str:
        return ctx.writer.value(f"{verb} {source} {part} to {target}")

    write = _by_constants(ctx, cast, target) if verb in _WIDER else cast
    ctx.define_each(op.results[0], lambda n: write(values[n]))


def _by_constants(
    ctx: LoweringContext, widen: Callable[[str], str], target: str
) -> Callable[[str], str]:
    """Extend t and t | 4 to y and y + 4, so that later sums share y.

    Args:
        ctx: State of the function.
        widen: Any other register.
        target: The wide type.
    """
    threads, widen = ctx.threads, cache(widen)

    def write(part: str) -> str:
        if part not in threads.exact:
            return widen(part)
        base, constant = threads.sums[part]
        result = ctx.writer.value(f"add nuw nsw {target} {widen(base)}, {constant}")
        threads.sums[result] = widen(base), constant
        threads.exact.add(result)
        return result

    return write


@lowers(*_VERBS)
def _convert(ctx: LoweringContext, op: Operation) -> None:
    _cast(ctx, op, _VERBS[type(op)])


@lowers(tt.BitcastOp)
def _bitcast(ctx: LoweringContext, op: tt.BitcastOp) -> None:
    """Keep the bits; a pointer to another type is the same pointer."""
    _cast(ctx, op, "bitcast")


@lowers(arith.IndexCastOp)
def _index_cast(ctx: LoweringContext, op: arith.IndexCastOp) -> None:
    source, target = llvm_type(op.operands[0].type), llvm_type(op.results[0].type)
    _cast(ctx, op, "sext" if int(source[1:]) < int(target[1:]) else "trunc")


@lowers(arith.ExtFOp, arith.TruncFOp, tt.FpToFpOp)
def _float_to_float(ctx: LoweringContext, op: Operation) -> None:
    """Convert all registers at once, to fill instructions that take several.

    Raises:
        CodegenError: arith.truncf has a rounding mode other than to nearest even.
    """
    source, target = (types.element(value.type) for value in (op.operands[0], op.results[0]))
    rounding_mode = op.properties.get("roundingmode")
    if (
        rounding_mode is not None
        and ArithRoundingMode.of(rounding_mode) is not ArithRoundingMode.TO_NEAREST_EVEN
    ):
        raise CodegenError(
            "a truncation supports only rounding to nearest even",
            found=ArithRoundingMode.of(rounding_mode).keyword,
        )
    rounding = op.properties.get("rounding")
    towards_zero = rounding is not None and RoundingMode.of(rounding) is RoundingMode.RTZ
    ctx.define_together(
        op.results[0],
        op.operands[0],
        lambda values: ctx.floats.convert(values, source, target, towards_zero=towards_zero),
    )
