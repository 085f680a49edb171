"""The rule for tt.dot that no matrix instruction takes: legal types for the vector unit.

The vector unit has dot products of short vectors (two f16, four i8, on gfx950 two bf16) that add to
f32 or i32, if K is a multiple of their length; else every operand and the result have one type,
f16, f32 or f64. Other dots are converted:

%d = tt.dot %a, %b, %c : bf16 x bf16 -> f32   →   %0 = tt.fp_to_fp %a : f32
                                                  %1 = tt.fp_to_fp %b : f32
                                                  %d = tt.dot %0, %1, %c
"""

from __future__ import annotations

from weft.errors import PassError
from weft.ir import arith, locations, tt, types
from weft.ir.builtin import Attribute, Operation, SSAValue
from weft.passes.amd.accelerate_matmul import report
from weft.passes.amd.accelerate_matmul.asked import Asked, blocked_result
from weft.passes.amd.accelerate_matmul.cast import cast_float, location_of
from weft.passes.rewrite.greedy import Pattern
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["rule"]

_PLAIN = (types.f16, types.f32, types.f64)
_WIDEST = 32  # bits of the widest type that dots are converted to


def rule(asked: Asked) -> Pattern:
    """Return the pattern for one chip."""

    def pattern(op: Operation, rewriter: Rewriter) -> bool:
        if blocked_result(op) is None or _legal(op, asked):
            return False
        _legalize(op, rewriter, asked)
        return True

    return pattern


def _legal(op: Operation, asked: Asked) -> bool:
    a, b, c = (types.element(value.type) for value in op.operands)
    d = types.element(op.results[0].type)
    depth = types.shape(op.operands[0].type)[-1]
    for row in asked.units.vector:
        if (str(a), str(b), str(c), str(d)) == (row.a, row.a, row.d, row.d) and depth % row.k == 0:
            return True
    return a == b == c and a in _PLAIN


def _common(op: Operation) -> Attribute:
    """Return the type that all of a dot is converted to."""
    given = [types.element(value.type) for value in (*op.operands, *op.results)]
    widest = max(types.bit_width(one) for one in given)
    if widest > _WIDEST:
        raise PassError(
            f"{op.name}: the vector unit multiplies no elements of {widest} bits of mixed types",
            location=locations.position(op.location),
            found=" x ".join(str(one) for one in given[:2]) + f" -> {given[-1]}",
            accepted=["f64 x f64 -> f64", "at most 32 bits"],
        )
    wide = widest > 16 or any(
        one == types.bf16 or (types.is_integer(one) and types.bit_width(one) > 8) for one in given
    )
    return types.f32 if wide else types.f16


def _legalize(op: Operation, rewriter: Rewriter, asked: Asked) -> None:
    common = _common(op)
    operands = [_cast(value, common, op, rewriter) for value in op.operands]
    made = rewriter.create(tt.DotOp, operands, (operands[2].type,), op.properties, before=op)
    output = _cast(made.results[0], types.element(op.results[0].type), op, rewriter)
    for value in (*operands, made.results[0], output):
        why = f"no matrix instruction: multiplied in {common}, in the layout at hand"
        report.follows(asked, value, why, op.name)
    rewriter.replace(op, (output,))


def _cast(value: SSAValue, element: Attribute, op: Operation, rewriter: Rewriter) -> SSAValue:
    given = types.element(value.type)
    if given == element:
        return value
    if types.is_float(given) and types.is_float(element):
        return cast_float(value, element, op, rewriter)
    cls = arith.SIToFPOp if types.is_float(element) else arith.FPToSIOp
    type_ = types.with_element(value.type, element)
    made = rewriter.create(cls, (value,), (type_,), before=op, location=location_of(value))
    return made.results[0]
