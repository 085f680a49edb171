"""Floating-point multiplication, and multiplication by scales that may be NaN.

%y = arith.mulf %x, %s              in microscaling a scale applies to 32 elements, and its bits
%z = arith.select %none, nan, %y    say whether they are NaN

A product with NaN is NaN. So the select is applied to the scale, of which a thread has few, and not
to the products, which are packed in pairs that a select would take apart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from weft.analysis.exact_multiplication import is_exact_multiplication
from weft.codegen.llvm.types import arithmetic_type, llvm_type
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.registers import representative_parts
from weft.codegen.lowering.common.select_phis import if_with_phi_for
from weft.ir import types
from weft.ir.rewriting import constant_value

__all__ = ["nan_select_of", "define_multiplication", "define_multiplication_with_nan"]

_SMALL = 16  # bits; wider products may be fused with an addition instead


def nan_select_of(op: Operation) -> Operation | None:
    """Find the only user of a 16-bit product, if it selects between NaN and the product.

    Args:
        op: An arith.mulf.
    """
    (result,) = op.results
    use = result.first_use
    if use is None or not result.has_one_use() or types.bit_width(result.type) != _SMALL:
        return None
    choice = use.operation
    if choice.name != "arith.select" or use.index != 2 or choice.parent is not op.parent:
        return None
    nan = constant_value(choice.operands[1])
    if nan is None or not math.isnan(nan) or if_with_phi_for(choice) is not None:
        return None
    return choice


def define_multiplication(
    ctx: LoweringContext, result: SSAValue, op: Operation, a: Sequence[str], b: Sequence[str]
) -> None:
    """Define a result as the product of registers."""
    if not ctx.floats.rounds_halves and is_exact_multiplication(op):
        ctx.define(result, _unrounded(ctx, result, a, b))
        return
    head = f"fmul{ctx.contract_flag} {arithmetic_type(result.type)}"
    ctx.define_each(result, lambda n: ctx.writer.value(f"{head} {a[n]}, {b[n]}"))


def define_multiplication_with_nan(ctx: LoweringContext, choice: Operation) -> bool:
    """Define the result of an arith.select between NaN and a product; return whether it is one."""
    chosen, nan, op = choice.operands[0], ctx[choice.operands[1]], choice.operands[2].owner
    if not isinstance(op, Operation) or op.name != "arith.mulf" or nan_select_of(op) is not choice:
        return False
    scales, factors = sorted((ctx[operand] for operand in op.operands), key=lambda x: len(set(x)))
    type_, selections = llvm_type(choice.results[0].type), dict[tuple[str, str, str], str]()
    conditions = ctx[chosen] if types.is_tensor(chosen.type) else ctx[chosen] * len(scales)
    some: list[str] = []
    for key in zip(conditions, nan, scales, strict=True):
        if key not in selections:
            condition, none, scale = key
            text = f"select i1 {condition}, {type_} {none}, {type_} {scale}"
            selections[key] = ctx.writer.value(text)
        some.append(selections[key])
    define_multiplication(ctx, choice.results[0], op, factors, some)
    return True


def _unrounded(
    ctx: LoweringContext, result: SSAValue, a: Sequence[str], b: Sequence[str]
) -> list[str]:
    """Compute exact bf16 products without rounding, which takes LLVM six instructions."""
    firsts = representative_parts(result.type)
    floats, distinct = ctx.floats, sorted(set(firsts))
    wide = [floats.convert([side[n] for n in distinct], types.bf16, types.f32) for side in (a, b)]
    products = [ctx.writer.value(f"fmul float {x}, {y}") for x, y in zip(*wide, strict=True)]
    product_of = dict(zip(distinct, floats.shortened(products, types.bf16), strict=True))
    return [product_of[first] for first in firsts]
