"""Combine operations of tt into one.

Before:  %d = tt.dot %a, %b, dense<0.0>             After:  %e = tt.dot %a, %b, %c
         %e = arith.addf %d, %c
Before:  %q = tt.addptr %p, 4                       After:  %r = tt.addptr %p, 9
         %r = tt.addptr %q, 5
Before:  %m = tt.splat %c                           After:  %s = tt.load %p, %m, %y
         %x = tt.load %p, %m, …
         %s = arith.select %c, %x, %y
Before:  %m = arith.mulf (%a along axis 2), (%b along axis 0)
         %s = tt.reduce %m along axis 1, add        After:  %s = tt.dot %a, %b, dense<0.0>

Before:  %v = tt.reshape %t : 8x4 -> 32             After:  %v = tt.reshape %t allow_reorder
         (all users are tt.reduce or tt.histogram)
Before:  %t = tt.descriptor_load %d[…] : 1x8x4      After:  %v = tt.descriptor_load %d[…] : 8x4
         %v = tt.reshape %t : 1x8x4 -> 8x4

Preserves values, except for rounding where a dot sums in another order.
Source: measured on Triton 3.7.1 (`triton-combine`).
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir import arith, attributes, tt, types
from weft.ir.builtin import ModuleOp, Operation, SSAValue
from weft.ir.constants import (
    constant_attribute,
    constant_of_type,
    float_value,
    integer_value,
    integer_width,
)
from weft.ir.enums import InputPrecision
from weft.ir.folds import FOLDS
from weft.ir.locations import fuse
from weft.ir.rewriting import defining_op, set_type
from weft.passes.rewrite.greedy import PatternTable, RewriteRules, apply_greedily
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["Combine"]

_MIN_DOT_SIZE = 16
_ADDRESS_BITS = 64
# The attributes of an outer tt.addptr that hold for the sum of both offsets, too.
_POINTER_ATTRIBUTES = ("tt.divisibility", "tt.contiguity", "tt.constancy", "tt.pointee_type")


def _has_one_use(value: SSAValue) -> bool:
    first = value.first_use
    return first is not None and not value.has_more_than_one_use()


def _dot_with_zero_accumulator(value: SSAValue) -> Operation | None:
    """Match a dot whose accumulator is zero and whose result has one use."""
    dot = defining_op(value, tt.DotOp)
    if dot is None or not _has_one_use(value):
        return None
    accumulator = constant_attribute(dot.operands[2])
    is_float = types.is_float(types.element(value.type))
    if is_float:
        if float_value(accumulator) != 0.0 or integer_value(dot.properties["maxNumImpreciseAcc"]):
            return None
    elif integer_value(accumulator) != 0:
        return None
    return dot


def _add_of_dot(op: Operation, rewriter: Rewriter) -> bool:
    """`addf %c, (dot %a, %b, 0)  →  dot %a, %b, %c`; if both operands are dots, the right one."""
    lhs, rhs = op.operands
    for summand, other in ((rhs, lhs), (lhs, rhs)):
        dot = _dot_with_zero_accumulator(summand)
        if dot is not None:
            operands = (*dot.operands[:2], other)
            new_op = rewriter.create(
                tt.DotOp,
                operands,
                (op.results[0].type,),
                dot.properties,
                dot.attributes,
                before=op,
                location=dot.location,
            )
            rewriter.replace(op, new_op.results)
            return True
    return False


def _select_of_load(op: Operation, rewriter: Rewriter) -> bool:
    """`select %c, (load %p, splat %c), %y  →  load %p, splat %c, %y`."""
    condition, if_true, if_false = op.operands
    load = defining_op(if_true, tt.LoadOp)
    if load is None or len(load.operands) < 2:
        return False
    mask = load.operands[1]
    splat = defining_op(mask, tt.SplatOp)
    if splat is None or splat.operands[0] is not condition:
        return False
    operands = (load.operands[0], mask, if_false)
    new_op = rewriter.create(tt.LoadOp, operands, (op.results[0].type,), load.properties, before=op)
    rewriter.replace(op, new_op.results)
    return True


def _can_add_offsets(first: SSAValue, second: SSAValue) -> bool:
    """Check that the sum of two offsets does not overflow their type."""
    type_ = second.type
    if first.type != type_:
        return False
    if integer_width(type_) == _ADDRESS_BITS:
        return True
    a, b = (integer_value(constant_attribute(value)) for value in (first, second))
    limit = 1 << (integer_width(type_) - 1)
    return a is not None and b is not None and -limit <= a + b < limit


def _addptr_of_addptr(op: Operation, rewriter: Rewriter) -> bool:
    """`addptr (addptr %p, 4), 5  →  addptr %p, 9`; not only constants if offsets have 64 bits."""
    inner = defining_op(op.operands[0], tt.AddPtrOp)
    if inner is None or not _can_add_offsets(inner.operands[1], op.operands[1]):
        return False
    location = fuse(op.location, inner.location)
    offsets = (inner.operands[1], op.operands[1])
    total = rewriter.create(arith.AddIOp, offsets, (offsets[0].type,), before=op, location=location)
    new_op = rewriter.create(
        tt.AddPtrOp,
        (inner.operands[0], total.results[0]),
        (op.results[0].type,),
        op.properties,
        {key: value for key, value in op.attributes.items() if key in _POINTER_ATTRIBUTES},
        before=op,
        location=location,
    )
    rewriter.replace(op, new_op.results)
    return True


# ----------------------------------------------------------- broadcast, multiply, reduce as dot
def _is_sum_along_axis_1(op: Operation) -> bool:
    """Check whether a reduction adds the floats of one tensor along axis 1."""
    if len(op.operands) != 1 or integer_value(op.properties["axis"]) != 1:
        return False
    block = op.regions[0].block
    add = block.first_op
    return isinstance(add, arith.AddFOp) and add.next_op is block.last_op


def _broadcast_source(value: SSAValue, axis: int) -> SSAValue | None:
    """Match `broadcast (expand_dims %matrix)` along an axis; return the matrix."""
    broadcast = defining_op(value, tt.BroadcastOp)
    if broadcast is None:
        return None
    expand_dims = defining_op(broadcast.operands[0], tt.ExpandDimsOp)
    if expand_dims is None or integer_value(expand_dims.properties["axis"]) != axis:
        return None
    return expand_dims.operands[0]


def _reduce_of_multiply(op: Operation, rewriter: Rewriter) -> bool:
    """Replace Σ_k a[i, k] · b[k, j], computed on broadcast operands, by a dot."""
    if not _is_sum_along_axis_1(op):
        return False
    product = defining_op(op.operands[0], arith.MulFOp)
    if product is None:
        return False
    a = _broadcast_source(product.operands[0], 2)
    b = _broadcast_source(product.operands[1], 0)
    result = op.results[0].type
    if a is None or b is None or types.element(result) != types.f32:
        return False
    rows, columns = types.shape(result)
    if rows < _MIN_DOT_SIZE or columns < _MIN_DOT_SIZE:
        return False
    zero = rewriter.constant(
        constant_of_type(attributes.float_(0.0, types.f32), result), result, op
    )
    precision = {"inputPrecision": InputPrecision.TF32.attr()}
    new_op = rewriter.create(tt.DotOp, (a, b, zero), (result,), precision, before=op)
    rewriter.replace(op, new_op.results)
    return True


_ORDER_INDEPENDENT = (tt.ReduceOp, tt.HistogramOp)


def _allow_reorder(op: Operation, rewriter: Rewriter) -> bool:
    """Let a reshape reorder elements if no user depends on their order."""
    result = op.results[0]
    if "allow_reorder" in op.properties or len(types.shape(result.type)) != 1:
        return False
    if not all(isinstance(use.operation, _ORDER_INDEPENDENT) for use in result.uses):
        return False
    op.properties["allow_reorder"] = attributes.unit
    rewriter.modified(op)
    return True


def _load_of_lower_rank(op: Operation, rewriter: Rewriter) -> bool:
    """`reshape (descriptor_load %d) : 1x8x4 -> 8x4  →  descriptor_load %d : 8x4`."""
    source, result = op.operands[0], op.results[0]
    load = defining_op(source, tt.DescriptorLoadOp)
    if load is None or not _has_one_use(source):
        return False
    shape, lower_shape = types.shape(source.type), types.shape(result.type)
    dropped = len(shape) - len(lower_shape)
    if dropped <= 0 or shape != (1,) * dropped + lower_shape:
        return False
    set_type(source, result.type)
    rewriter.modified(load)
    rewriter.replace(op, (source,))
    return True


PATTERNS: PatternTable = {
    arith.AddIOp: (_add_of_dot,),
    arith.AddFOp: (_add_of_dot,),
    arith.SelectOp: (_select_of_load,),
    tt.AddPtrOp: (_addptr_of_addptr,),
    tt.ReduceOp: (_reduce_of_multiply,),
    tt.ReshapeOp: (_allow_reorder, _load_of_lower_rank),
}

RULES = RewriteRules(FOLDS, PATTERNS, top_down=False, merge_blocks=True)


class Combine(Struct, frozen=True):
    """Applies the patterns above."""

    name: ClassVar[str] = "triton-combine"

    def run(self, module: ModuleOp) -> None:
        """Combine operations in place."""
        apply_greedily(module, RULES)
