"""The rule for tt.dot without a matrix instruction: convert to types of the vector unit.

The vector unit has dot instructions for short vectors (two f16, four i8, on gfx950 two bf16) that
accumulate in f32 or i32, for K a multiple of the vector length. Otherwise it needs one type for all
operands and the result: f16, f32 or f64. Other dots are converted:

%d = tt.dot %a, %b, %c : bf16 x bf16 -> f32   →   %0 = tt.fp_to_fp %a : f32
                                                  %1 = tt.fp_to_fp %b : f32
                                                  %d = tt.dot %0, %1, %c
"""

from __future__ import annotations

from weft.errors import PassError
from weft.ir import arith, locations, tt, types
from weft.ir.builtin import Attribute, Operation, SSAValue
from weft.passes.amd.accelerate_matmul import report
from weft.passes.amd.accelerate_matmul.cast import cast_float, location_of
from weft.passes.amd.accelerate_matmul.context import Context, blocked_result
from weft.passes.rewrite.greedy import Pattern
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["rule"]

_PLAIN = (types.f16, types.f32, types.f64)
_MAX_BITS = 32  # of the types that dots are converted to


def rule(context: Context) -> Pattern:
    """Create the pattern for one chip."""

    def pattern(op: Operation, rewriter: Rewriter) -> bool:
        if blocked_result(op) is None or _is_legal(op, context):
            return False
        _legalize(op, rewriter, context)
        return True

    return pattern


def _is_legal(op: Operation, context: Context) -> bool:
    a, b, c = (types.element(value.type) for value in op.operands)
    d = types.element(op.results[0].type)
    depth = types.shape(op.operands[0].type)[-1]
    for row in context.units.vector:
        if (str(a), str(b), str(c), str(d)) == (row.a, row.a, row.d, row.d) and depth % row.k == 0:
            return True
    return a == b == c and a in _PLAIN


def _common_type(op: Operation) -> Attribute:
    """Return the type to which the operands and the result of a dot are converted.

    Raises: PassError: an operand of mixed types is wider than 32 bits.
    """
    element_types = [types.element(value.type) for value in (*op.operands, *op.results)]
    widest = max(types.bit_width(element_type) for element_type in element_types)
    if widest > _MAX_BITS:
        raise PassError(
            f"{op.name}: unsupported dot of mixed types with {widest}-bit elements",
            location=locations.position(op.location),
            found=" x ".join(str(element_type) for element_type in element_types[:2])
            + f" -> {element_types[-1]}",
            accepted=["f64 x f64 -> f64", "at most 32 bits"],
        )
    wide = widest > 16 or any(
        element_type == types.bf16
        or (types.is_integer(element_type) and types.bit_width(element_type) > 8)
        for element_type in element_types
    )
    return types.f32 if wide else types.f16


def _legalize(op: Operation, rewriter: Rewriter, context: Context) -> None:
    common = _common_type(op)
    operands = [_cast(value, common, op, rewriter) for value in op.operands]
    new_dot = rewriter.create(tt.DotOp, operands, (operands[2].type,), op.properties, before=op)
    output = _cast(new_dot.results[0], types.element(op.results[0].type), op, rewriter)
    for value in (*operands, new_dot.results[0], output):
        reason = f"no matrix instruction: computed in {common}, in the blocked layout"
        report.record_dependent_layout(context, value, reason, op.name)
    rewriter.replace(op, (output,))


def _cast(value: SSAValue, element: Attribute, op: Operation, rewriter: Rewriter) -> SSAValue:
    element_types = types.element(value.type)
    if element_types == element:
        return value
    if types.is_float(element_types) and types.is_float(element):
        return cast_float(value, element, op, rewriter)
    cls = arith.SIToFPOp if types.is_float(element) else arith.FPToSIOp
    type_ = types.with_element(value.type, element)
    new_dot = rewriter.create(cls, (value,), (type_,), before=op, location=location_of(value))
    return new_dot.results[0]
