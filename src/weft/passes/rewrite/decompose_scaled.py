"""Spell a block-scaled product out: convert the operands to 16 bits, scale them, multiply.

%d = tt.dot_scaled %a scale %s, %b, %c lhs = e4m3 rhs = bf16        (a: 64x128, s: 64x4)

→  %0 = tt.fp_to_fp %a : bf16                         (ttg.fp4_to_fp where two share a byte)
   %1 = arith.shli (arith.extui %s : i16), 7          the scale is the exponent of a bf16
   %2 = tt.bitcast %1 : bf16
   %3 = tt.reshape (tt.broadcast (tt.expand_dims %2)) 64x4 → 64x4x1 → 64x4x32 → 64x128
   %4 = arith.mulf %0, %3
   %5 = arith.select (%s is 0xFF, broadcast alike), NaN, %4      left out by fastMath
   %d = tt.dot %5, %b, %c

A scale stands for 32 elements along K (16, if scales are small floats). The scales of b come as
those of a do, one row per column of b, and are transposed first. f16 has no exponents for all
scales, so these go through f32. Operands whose bytes hold two elements along M or N are left: no
operation unpacks those. A pattern for `greedy.apply`; a back end that has instructions for
the first steps gives its own `Argument`.
Source: measured on Triton 3.7.1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from weft.ir import arith, attributes, tt, ttg, types
from weft.ir.attributes import SplatAttr
from weft.ir.builtin import Attribute, Operation, SSAValue
from weft.ir.enums import CmpFPredicate, CmpIPredicate, ScaleDotElemType
from weft.ir.hardware import warps_around
from weft.ir.layout_rules import hardware_of
from weft.layouts import (
    AmdMfmaEncoding,
    AmdWmmaEncoding,
    DotOperandEncoding,
    Encoding,
    NvidiaMmaEncoding,
    SliceEncoding,
    default_blocked,
)
from weft.layouts.fp4_packing import infer_unpack
from weft.layouts.inference import infer_reshape, infer_trans
from weft.passes.rewrite.rewriter import Rewriter

__all__ = [
    "Argument",
    "Scaled",
    "broadcast",
    "decompose",
    "decompose_scaled",
    "in_16_bits",
    "masked",
    "scale_factor",
    "scaled_argument",
    "to_16",
    "upright",
]

_NAN_SCALE = 0xFF
_EXPONENT_BEGINS = {types.bf16: 7, types.f32: 23}  # mantissa bits below it
_NOT_A_NUMBER = float("nan")


@dataclass(frozen=True, slots=True)
class Scaled:
    """One operand of a block-scaled product, on its way to 16 bits.

    index: 0 for a, 1 for b.  value, scale: as given.  form: of the value's elements.
    compute: the type to multiply in.  k_dim: the dimension of K, along which two small elements
    share a byte.
    """

    op: tt.DotScaledOp
    rewriter: Rewriter
    index: int
    value: SSAValue
    scale: SSAValue | None
    form: ScaleDotElemType
    compute: Attribute
    k_dim: int

    def make(
        self, cls: type[Operation], value: SSAValue, type_: Attribute, **properties: Attribute
    ) -> SSAValue:
        """Return what an operation of one operand makes, in front of the product."""
        return self.join(cls, (value,), type_, **properties)

    def join(
        self,
        cls: type[Operation],
        values: tuple[SSAValue, ...],
        type_: Attribute,
        **properties: Attribute,
    ) -> SSAValue:
        """Return what an operation of several operands makes, in front of the product."""
        made = self.rewriter.create(cls, values, (type_,), properties, before=self.op)
        return made.results[0]

    def laid_out(self, value: SSAValue, encoding: Encoding | None) -> SSAValue:
        """Return a value in another layout."""
        return self.make(ttg.ConvertLayoutOp, value, types.with_encoding(value.type, encoding))


Argument = Callable[[Scaled], SSAValue]


def decompose_scaled(op: Operation, rewriter: Rewriter) -> bool:
    """Spell a product out in operations that every chip has."""
    return decompose(op, rewriter, scaled_argument)


def decompose(op: Operation, rewriter: Rewriter, argument: Argument) -> bool:
    """Spell a product out, given how an operand becomes scaled 16-bit numbers.

    Returns: whether it was done: the result has a layout for no instruction yet, and no operand
    has two elements in a byte along M or N.
    """
    assert isinstance(op, tt.DotScaledOp)
    result = types.encoding(op.d.type)
    if result is None or isinstance(result, AmdMfmaEncoding | AmdWmmaEncoding | NvidiaMmaEncoding):
        return False
    packed = (op.properties["lhs_k_pack"], op.properties["rhs_k_pack"])
    if not all(attributes.number(one) for one in packed):
        return False
    forms = [ScaleDotElemType.of(op.properties[key]) for key in ("a_elem_type", "b_elem_type")]
    compute = types.f16 if ScaleDotElemType.FP16 in forms else types.bf16
    operands = []
    for index, (value, scale) in enumerate(((op.a, op.a_scale), (op.b, op.b_scale))):
        rank = len(types.shape(value.type))
        k_dim = rank - 1 if index == 0 else rank - 2
        one = Scaled(op, rewriter, index, value, scale, forms[index], compute, k_dim)
        operands.append(one.laid_out(argument(one), DotOperandEncoding(index, result)))
    made = rewriter.create(tt.DotOp, (*operands, op.c), (op.d.type,), before=op)
    again = rewriter.create(ttg.ConvertLayoutOp, made.results, (op.d.type,), before=op)
    rewriter.replace(op, again.results)
    return True


def scaled_argument(one: Scaled) -> SSAValue:
    """Convert an operand to 16 bits, and multiply it with its scales."""
    value = in_16_bits(one)
    if one.scale is None:
        return value
    scale = upright(one)
    spread = one.laid_out(broadcast(one, to_16(one, scale), one.k_dim), types.encoding(value.type))
    product = one.join(arith.MulFOp, (value, spread), value.type)
    return masked(one, product, scale)


def in_16_bits(one: Scaled) -> SSAValue:
    """Return an operand's elements in the type to multiply in, unscaled."""
    type_ = one.value.type
    if one.form is ScaleDotElemType.E2M1:
        encoding, shape = types.encoding(type_), list(types.shape(type_))
        assert encoding is not None
        shape[one.k_dim] *= 2
        # Triton 3.7.1 lets the layout of the bytes run over the unpacked shape first.
        unpacked = infer_unpack(encoding, tuple(shape), one.k_dim)
        wide = types.tensor(tuple(shape), one.compute, unpacked)
        axis = attributes.integer(one.k_dim, types.i32)
        return one.make(ttg.Fp4ToFpOp, one.value, wide, axis=axis)
    return one.make(tt.FpToFpOp, one.value, types.with_element(type_, one.compute))


def upright(one: Scaled) -> SSAValue:
    """Return the scales with K where the operand has it: those of b are transposed."""
    assert one.scale is not None
    if one.index == 0:
        return one.scale
    rank = len(types.shape(one.scale.type))
    return _transposed(one, one.scale, (*range(rank - 2), rank - 1, rank - 2))


def _transposed(one: Scaled, value: SSAValue, order: tuple[int, ...]) -> SSAValue:
    shape, encoding = types.shape(value.type), types.encoding(value.type)
    assert encoding is not None
    type_ = types.tensor(
        tuple(shape[dim] for dim in order),
        types.element(value.type),
        infer_trans(encoding, shape, order),
    )
    return one.make(tt.TransOp, value, type_, order=attributes.array_i32(order))


def to_16(one: Scaled, scale: SSAValue, compute: Attribute | None = None) -> SSAValue:
    """Return scales as numbers to multiply with: an exponent is shifted to its place."""
    compute = one.compute if compute is None else compute
    if types.is_float(types.element(scale.type)):
        return one.make(tt.FpToFpOp, scale, types.with_element(scale.type, compute))
    large = types.f32 if compute == types.f16 else compute
    bits = types.i32 if large == types.f32 else types.i16
    number = types.with_element(scale.type, bits)
    grown = one.make(arith.ExtUIOp, scale, number)
    begins = attributes.integer(_EXPONENT_BEGINS[large], bits)
    shift = one.make(tt.SplatOp, one.rewriter.constant(begins, bits, one.op), number)
    shifted = one.join(arith.ShLIOp, (grown, shift), number)
    value = one.make(tt.BitcastOp, shifted, types.with_element(scale.type, large))
    if large == compute:
        return value
    return one.make(arith.TruncFOp, value, types.with_element(scale.type, compute))


def scale_factor(op: tt.DotScaledOp) -> int:
    """Return how many elements along K a scale stands for."""
    a_scale, b_scale = op.a_scale, op.b_scale
    value, scale, form, by_k, dim = (
        (op.a, a_scale, "a_elem_type", "lhs_k_pack", -1)
        if a_scale is not None
        else (op.b, b_scale, "b_elem_type", "rhs_k_pack", -2)
    )
    assert scale is not None, "a product with a scale"
    depth = types.shape(value.type)[dim]
    two = ScaleDotElemType.of(op.properties[form]) is ScaleDotElemType.E2M1
    if two and attributes.number(op.properties[by_k]):
        depth *= 2
    return depth // types.shape(scale.type)[-1]


def broadcast(one: Scaled, scale: SSAValue, dim: int) -> SSAValue:
    """Repeat every scale along a dimension, once for each element that it stands for."""
    shape, element = types.shape(scale.type), types.element(scale.type)
    rank, factor = len(shape), scale_factor(one.op)
    layout = _layout_of(one, (*shape, 1), scale)
    flat = one.laid_out(scale, SliceEncoding(rank, layout))
    axis = attributes.integer(rank, types.i32)
    column = one.make(tt.ExpandDimsOp, flat, types.tensor((*shape, 1), element, layout), axis=axis)
    spread = one.make(tt.BroadcastOp, column, types.tensor((*shape, factor), element, layout))
    order = (*range(dim + 1), rank, *range(dim + 1, rank))
    placed = spread
    if order != tuple(range(rank + 1)):
        placed = _transposed(one, spread, order)
    whole = tuple(size * factor if d == dim else size for d, size in enumerate(shape))
    encoding = types.encoding(placed.type)
    assert encoding is not None
    joined = infer_reshape(encoding, types.shape(placed.type), whole)
    return one.make(tt.ReshapeOp, placed, types.tensor(whole, element, joined))


def _layout_of(one: Scaled, shape: tuple[int, ...], like: SSAValue) -> Encoding:
    """Return the default layout of a shape, on the hardware of another tensor."""
    encoding = types.encoding(like.type)
    assert encoding is not None
    hardware = hardware_of(encoding)
    assert hardware is not None
    assert hardware.threads is not None
    return default_blocked(shape, warps_around(one.op), hardware.threads, hardware.blocks or 1)


def masked(one: Scaled, product: SSAValue, scale: SSAValue) -> SSAValue:
    """Return NaN where the scale is NaN, the product elsewhere."""
    if attributes.number(one.op.properties["fastMath"]):
        return product
    condition = types.with_element(scale.type, types.i1)
    if types.is_float(types.element(scale.type)):
        number = to_16(one, scale, types.element(product.type))
        predicate = CmpFPredicate.UNO.attr()
        bad = one.join(arith.CmpFOp, (number, number), condition, predicate=predicate)
    else:
        element = types.element(scale.type)
        value = attributes.splat(attributes.integer(_NAN_SCALE, element), scale.type)
        limit = one.rewriter.constant(value, scale.type, one.op)
        predicate = CmpIPredicate.EQ.attr()
        bad = one.join(arith.CmpIOp, (scale, limit), condition, predicate=predicate)
    spread = one.laid_out(broadcast(one, bad, one.k_dim), types.encoding(product.type))
    number = attributes.float_(_NOT_A_NUMBER, types.element(product.type))
    nan: SplatAttr = attributes.splat(number, product.type)
    constant = one.rewriter.constant(nan, product.type, one.op)
    return one.join(arith.SelectOp, (spread, constant, product), product.type)
