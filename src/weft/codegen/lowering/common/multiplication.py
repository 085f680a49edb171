"""Products of floats, and of floats with scales that may be no numbers.

%y = arith.mulf %x, %s              as microscaling has it: a scale stands for 32 elements, and
%z = arith.select %none, nan, %y    where its bits say that it is none, they are none either

A product with NaN is NaN. So what is chosen is the scale, of which a thread has few, and not each
of the products, which lie two to a register: choosing would take them apart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from weft.analysis.exact_multiplication import is_exact_multiplication
from weft.codegen.llvm.types import llvm_type
from weft.codegen.lowering.common.lowering import Lowering, first_parts
from weft.codegen.lowering.common.select_phis import branch_behind
from weft.ir import types
from weft.ir.rewriting import constant_value

__all__ = ["choice_of_nan", "define_product", "define_product_or_nan"]

_SMALL = 16  # bits; wider products may be fused with a sum, which the choice stands in the way of


def choice_of_nan(op: Operation) -> Operation | None:
    """Return the one user of a small product, where that chooses between NaN and the product.

    Args: op: an arith.mulf.
    """
    (result,) = op.results
    use = result.first_use
    if use is None or not result.has_one_use() or types.bit_width(result.type) != _SMALL:
        return None
    choice = use.operation
    if choice.name != "arith.select" or use.index != 2 or choice.parent is not op.parent:
        return None
    nan = constant_value(choice.operands[1])
    if nan is None or not math.isnan(nan) or branch_behind(choice) is not None:
        return None
    return choice


def define_product(
    low: Lowering, result: SSAValue, op: Operation, a: Sequence[str], b: Sequence[str]
) -> None:
    """Define a result as the product of registers, as an arith.mulf says."""
    if not low.floats.rounds_halves and is_exact_multiplication(op):
        low.define(result, _unrounded(low, result, a, b))
        return
    head = f"fmul{low.fusion} {llvm_type(result.type)}"
    low.each(result, lambda n: low.writer.value(f"{head} {a[n]}, {b[n]}"))


def define_product_or_nan(low: Lowering, choice: Operation) -> bool:
    """Define what an arith.select chooses as a product with scales or NaN; whether it is one."""
    chosen, nan, op = choice.operands[0], low[choice.operands[1]], choice.operands[2].owner
    if not isinstance(op, Operation) or op.name != "arith.mulf" or choice_of_nan(op) is not choice:
        return False
    scales, factors = sorted((low[operand] for operand in op.operands), key=lambda x: len(set(x)))
    type_, made = llvm_type(choice.results[0].type), dict[tuple[str, str, str], str]()
    conditions = low[chosen] if types.is_tensor(chosen.type) else low[chosen] * len(scales)
    some: list[str] = []
    for key in zip(conditions, nan, scales, strict=True):
        if key not in made:
            condition, none, scale = key
            text = f"select i1 {condition}, {type_} {none}, {type_} {scale}"
            made[key] = low.writer.value(text)
        some.append(made[key])
    define_product(low, choice.results[0], op, factors, some)
    return True


def _unrounded(low: Lowering, result: SSAValue, a: Sequence[str], b: Sequence[str]) -> list[str]:
    """Return products of bf16 that are exact: LLVM would round each of them by six instructions."""
    firsts = first_parts(result.type)
    floats, distinct = low.floats, sorted(set(firsts))
    wide = [floats.convert([side[n] for n in distinct], types.bf16, types.f32) for side in (a, b)]
    products = [low.writer.value(f"fmul float {x}, {y}") for x, y in zip(*wide, strict=True)]
    made = dict(zip(distinct, floats.shortened(products, types.bf16), strict=True))
    return [made[first] for first in firsts]
