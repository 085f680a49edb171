"""Integer division and remainder; 64-bit division is done in 32 bits where the operands fit.

    %p = arith.extsi %program : i32 to i64
    %r = arith.remsi %p, %rows : i64             →    %3 = trunc i64 %1 to i32
                                                      %4 = trunc i64 %2 to i32
                                                      %5 = srem i32 %3, %4
                                                      %6 = sext i32 %5 to i64

No chip divides 64 bits in hardware: the expansion has about four times the instructions of 32 bits,
or a branch on the operands' size. Row offsets are computed in 64 bits, but are mostly small.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.ir import Operation

from weft.codegen.llvm.types import llvm_type
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.registry import lowers
from weft.ir import arith, types

if TYPE_CHECKING:
    from weft.analysis.integer_ranges import IntegerRange

_VERBS = {
    arith.DivSIOp: "sdiv",
    arith.DivUIOp: "udiv",
    arith.RemSIOp: "srem",
    arith.RemUIOp: "urem",
}
_WIDE, _NARROW = 64, 32
_LARGEST = (1 << _NARROW) - 1
_LEAST_SIGNED, _LARGEST_SIGNED = -(1 << _NARROW - 1), (1 << _NARROW - 1) - 1


@lowers(*_VERBS)
def _divide(ctx: LoweringContext, op: Operation) -> None:
    a, b = (ctx[operand] for operand in op.operands)
    type_, value, verb = llvm_type(op.results[0].type), ctx.writer.value, _VERBS[type(op)]
    narrow = _narrower(ctx, op)
    if narrow is None:
        ctx.define_each(op.results[0], lambda n: value(f"{verb} {type_} {a[n]}, {b[n]}"))
        return

    def make(n: int) -> str:
        x, y = (value(f"trunc {type_} {each} to i{_NARROW}") for each in (a[n], b[n]))
        short = value(f"{narrow}{verb[1:]} i{_NARROW} {x}, {y}")
        extend = "zext" if narrow == "u" else "sext"
        return value(f"{extend} i{_NARROW} {short} to {type_}")

    ctx.define_each(op.results[0], make)


def _narrower(ctx: LoweringContext, op: Operation) -> str | None:
    """Choose the 32-bit division that replaces one of 64 bits: "u", "s", or None."""
    if types.bit_width(op.results[0].type) != _WIDE:
        return None
    ranges = ctx.integer_ranges()
    a, b = (ranges.of(operand) for operand in op.operands)
    if a is None or b is None:
        return None
    signed = _VERBS[type(op)].startswith("s")
    if max(a.umax, b.umax) <= _LARGEST:
        return "u"  # both are non-negative
    if signed and _fits(a) and _fits(b) and (a.smin > _LEAST_SIGNED or not b.smin <= -1 <= b.smax):
        return "s"
    return None


def _fits(numbers: IntegerRange) -> bool:
    return _LEAST_SIGNED <= numbers.smin and numbers.smax <= _LARGEST_SIGNED


@lowers(arith.CeilDivSIOp, arith.CeilDivUIOp, arith.FloorDivSIOp)
def _rounded_division(ctx: LoweringContext, op: Operation) -> None:
    """Divide towards zero, and correct the quotient by the remainder's sign."""
    a, b = ctx[op.operands[0]], ctx[op.operands[1]]
    type_, value = llvm_type(op.results[0].type), ctx.writer.value
    unsigned, up = isinstance(op, arith.CeilDivUIOp), not isinstance(op, arith.FloorDivSIOp)

    def make(n: int) -> str:
        verb = "u" if unsigned else "s"
        quotient = value(f"{verb}div {type_} {a[n]}, {b[n]}")
        rest = value(f"{verb}rem {type_} {a[n]}, {b[n]}")
        steps = value(f"icmp ne {type_} {rest}, 0")
        if not unsigned:
            signs = value(f"xor {type_} {a[n]}, {b[n]}")
            apart = value(f"icmp {'sge' if up else 'slt'} {type_} {signs}, 0")
            steps = value(f"and i1 {steps}, {apart}")
        step = steps if type_ == "i1" else value(f"zext i1 {steps} to {type_}")
        return value(f"{'add' if up else 'sub'} {type_} {quotient}, {step}")

    ctx.define_each(op.results[0], make)
