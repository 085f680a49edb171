"""Decompose tt.dot_scaled: convert the operands to 16 bits, multiply them by their scales, tt.dot.

    %d = tt.dot_scaled %a scale %s, %b, %c lhs = e4m3 rhs = bf16        (a: 64x128, s: 64x4)

    →  %0 = tt.fp_to_fp %a : bf16                         (ttg.fp4_to_fp for e2m1)
       %1 = arith.shli (arith.extui %s : i16), 7          the scale is the exponent of a bf16
       %2 = tt.bitcast %1 : bf16
       %3 = tt.reshape (tt.broadcast (tt.expand_dims %2)) 64x4 → 64x4x1 → 64x4x32 → 64x128
       %4 = arith.mulf %0, %3
       %5 = arith.select (%s is 0xFF, broadcast likewise), NaN, %4      omitted with fastMath
       %d = tt.dot %5, %b, %c

A scale applies to 32 elements along K, or to 16 for f8 scales. The scales of b have one row per
column of b, so they are transposed first. If the result is f16, whose exponent is too narrow for
all scales, they are computed in f32 and truncated. Operands packed along M or N stay as they are:
no operation unpacks them.

`decompose_scaled` is a pattern. A back end with instructions that convert and scale at once passes
its own `ScaleOperand` to `decompose`.
Source: measured on Triton 3.7.1 (DecomposeScaledBlocked.cpp).
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from weft.ir import arith, attributes, tt, ttg, types
from weft.ir.builtin import Attribute, Operation, SSAValue
from weft.ir.enums import CmpFPredicate, CmpIPredicate, ScaleDotElemType
from weft.ir.layout_verifier import thread_hierarchy
from weft.ir.locations import location_of
from weft.ir.module_attributes import lookup_num_warps
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
    "ScaleOperand",
    "ScaledOperand",
    "broadcast_scale",
    "convert_scale",
    "convert_value",
    "decompose",
    "decompose_scaled",
    "mask_nan",
    "scale_factor",
    "scale_operand",
    "transpose_scale",
]

_NAN_SCALE = 0xFF
_MANTISSA_BITS: dict[Attribute, int] = {types.bf16: 7, types.f32: 23}


class ScaledOperand(Struct, frozen=True):
    """An operand of a tt.dot_scaled during decomposition.

    Attributes:
        op: The tt.dot_scaled.
        rewriter: Creates operations, all of them before `op`.
        index: 0 for a, 1 for b.
        value: The operand.
        scale: Its scales, None if it has none.
        element_kind: The element type of the operand.
        compute_type: The element type to multiply in.
        k_dim: The dimension of K, along which e2m1 elements are packed.
    """

    op: tt.DotScaledOp
    rewriter: Rewriter
    index: int
    value: SSAValue
    scale: SSAValue | None
    element_kind: ScaleDotElemType
    compute_type: Attribute
    k_dim: int

    def create(
        self,
        cls: type[Operation],
        operands: tuple[SSAValue, ...],
        type_: Attribute,
        **properties: Attribute,
    ) -> SSAValue:
        """Create an operation with one result before the dot, located at the first operand."""
        location = location_of(operands[0])
        new_op = self.rewriter.create(
            cls, operands, (type_,), properties, before=self.op, location=location
        )
        return new_op.results[0]

    def constant(self, value: Attribute, type_: Attribute) -> SSAValue:
        """Create a constant that the scale is combined with, located at the scale."""
        assert self.scale is not None
        return self.rewriter.constant(value, type_, self.op, location_of(self.scale))

    def convert_layout(self, value: SSAValue, encoding: Encoding | None) -> SSAValue:
        """Convert a value to another layout."""
        type_ = types.with_encoding(value.type, encoding)
        return self.create(ttg.ConvertLayoutOp, (value,), type_)


ScaleOperand = Callable[[ScaledOperand], SSAValue]
"""Computes the scaled operand in the 16-bit type to multiply in."""


def decompose_scaled(op: Operation, rewriter: Rewriter) -> bool:
    """Decompose a tt.dot_scaled into operations that every target supports."""
    return decompose(op, rewriter, scale_operand)


def decompose(op: Operation, rewriter: Rewriter, scale: ScaleOperand) -> bool:
    """Decompose a tt.dot_scaled.

    Args:
        op: The operation.
        rewriter: Changes the IR.
        scale: Converts and scales one operand.

    Returns:
        Whether it was decomposed. It is not if its result has the layout of a matrix instruction
        already, or if an operand is packed along M or N.
    """
    assert isinstance(op, tt.DotScaledOp)
    result = types.encoding(op.d.type)
    if result is None or isinstance(result, AmdMfmaEncoding | AmdWmmaEncoding | NvidiaMmaEncoding):
        return False
    k_packed = (op.properties["lhs_k_pack"], op.properties["rhs_k_pack"])
    if not all(attributes.number(flag) for flag in k_packed):
        return False
    kinds = [ScaleDotElemType.of(op.properties[key]) for key in ("a_elem_type", "b_elem_type")]
    compute_type = types.f16 if ScaleDotElemType.FP16 in kinds else types.bf16
    operands: list[SSAValue] = []
    for index, (value, scales) in enumerate(((op.a, op.a_scale), (op.b, op.b_scale))):
        rank = len(types.shape(value.type))
        k_dim = rank - 1 if index == 0 else rank - 2
        operand = ScaledOperand(
            op, rewriter, index, value, scales, kinds[index], compute_type, k_dim
        )
        operands.append(operand.convert_layout(scale(operand), DotOperandEncoding(index, result)))
    dot = rewriter.create(tt.DotOp, (*operands, op.c), (op.d.type,), before=op)
    # Triton converts the result to the layout that it has already; a later pass removes this.
    conversion = rewriter.create(ttg.ConvertLayoutOp, dot.results, (op.d.type,), before=op)
    rewriter.replace(op, conversion.results)
    return True


def scale_operand(operand: ScaledOperand) -> SSAValue:
    """Convert an operand to 16 bits and multiply it by its scales."""
    value = convert_value(operand)
    if operand.scale is None:
        return value
    scale = transpose_scale(operand)
    factors = broadcast_scale(operand, convert_scale(operand, scale), operand.k_dim)
    factors = operand.convert_layout(factors, types.encoding(value.type))
    product = operand.create(arith.MulFOp, (value, factors), value.type)
    return mask_nan(operand, product, scale)


def convert_value(operand: ScaledOperand) -> SSAValue:
    """Convert the elements of an operand to the type to multiply in, without scaling them."""
    type_ = operand.value.type
    if operand.element_kind is ScaleDotElemType.E2M1:
        encoding, shape = types.encoding(type_), list(types.shape(type_))
        assert encoding is not None
        shape[operand.k_dim] *= 2
        # Like Triton 3.7.1, infer the layout from that of the bytes on the unpacked shape.
        unpacked = infer_unpack(encoding, tuple(shape), operand.k_dim)
        wide = types.tensor(tuple(shape), operand.compute_type, unpacked)
        axis = attributes.integer(operand.k_dim, types.i32)
        return operand.create(ttg.Fp4ToFpOp, (operand.value,), wide, axis=axis)
    wide = types.with_element(type_, operand.compute_type)
    return operand.create(tt.FpToFpOp, (operand.value,), wide)


def transpose_scale(operand: ScaledOperand) -> SSAValue:
    """Return the scales with K in the dimension where the operand has it: transpose those of b."""
    assert operand.scale is not None
    if operand.index == 0:
        return operand.scale
    rank = len(types.shape(operand.scale.type))
    return _transpose(operand, operand.scale, (*range(rank - 2), rank - 1, rank - 2))


def _transpose(operand: ScaledOperand, value: SSAValue, order: tuple[int, ...]) -> SSAValue:
    shape, encoding = types.shape(value.type), types.encoding(value.type)
    assert encoding is not None
    type_ = types.tensor(
        tuple(shape[dim] for dim in order),
        types.element(value.type),
        infer_trans(encoding, shape, order),
    )
    return operand.create(tt.TransOp, (value,), type_, order=attributes.array_i32(order))


def convert_scale(
    operand: ScaledOperand, scale: SSAValue, compute_type: Attribute | None = None
) -> SSAValue:
    """Convert scales to floating-point factors.

    Args:
        operand: The operand that the scales belong to.
        scale: f8 numbers, or e8m0 exponents as i8.
        compute_type: The element type of the factors, by default that of the operand.
    """
    compute_type = operand.compute_type if compute_type is None else compute_type
    if types.is_float(types.element(scale.type)):
        return operand.create(tt.FpToFpOp, (scale,), types.with_element(scale.type, compute_type))
    # An e8m0 scale is the exponent of a bf16 or f32: shift it past the mantissa. The exponent of
    # f16 is too narrow, so f16 goes through f32.
    float_type = types.f32 if compute_type == types.f16 else compute_type
    integer_type = types.i32 if float_type == types.f32 else types.i16
    bits_type = types.with_element(scale.type, integer_type)
    bits = operand.create(arith.ExtUIOp, (scale,), bits_type)
    amount = attributes.integer(_MANTISSA_BITS[float_type], integer_type)
    constant = operand.constant(amount, integer_type)
    shift = operand.create(tt.SplatOp, (constant,), bits_type)
    exponent = operand.create(arith.ShLIOp, (bits, shift), bits_type)
    factor_type = types.with_element(scale.type, float_type)
    factor = operand.create(tt.BitcastOp, (exponent,), factor_type)
    if float_type == compute_type:
        return factor
    return operand.create(arith.TruncFOp, (factor,), types.with_element(scale.type, compute_type))


def scale_factor(op: tt.DotScaledOp) -> int:
    """Compute the number of elements along K that share a scale."""
    value, scale, kind, k_pack, k_dim = (
        (op.a, op.a_scale, "a_elem_type", "lhs_k_pack", -1)
        if op.a_scale is not None
        else (op.b, op.b_scale, "b_elem_type", "rhs_k_pack", -2)
    )
    assert scale is not None, "a tt.dot_scaled has at least one scale"
    k = types.shape(value.type)[k_dim]
    is_fp4 = ScaleDotElemType.of(op.properties[kind]) is ScaleDotElemType.E2M1
    if is_fp4 and attributes.number(op.properties[k_pack]):
        k *= 2  # two elements per byte
    return k // types.shape(scale.type)[-1]


def broadcast_scale(operand: ScaledOperand, scale: SSAValue, dim: int) -> SSAValue:
    """Repeat every scale along a dimension, once for each element that it applies to.

    For scales of shape 64x4, dim = 1 and 32 elements per scale: 64x4 → expand_dims 64x4x1 →
    broadcast 64x4x32 → (transpose, if dim is not the last dimension) → reshape 64x128.
    """
    shape, element = types.shape(scale.type), types.element(scale.type)
    rank, factor = len(shape), scale_factor(operand.op)
    layout = _default_layout(operand, (*shape, 1), scale)
    sliced = operand.convert_layout(scale, SliceEncoding(rank, layout))
    column_type = types.tensor((*shape, 1), element, layout)
    axis = attributes.integer(rank, types.i32)
    column = operand.create(tt.ExpandDimsOp, (sliced,), column_type, axis=axis)
    repeated_type = types.tensor((*shape, factor), element, layout)
    repeated = operand.create(tt.BroadcastOp, (column,), repeated_type)
    # Move the new dimension right after `dim`, so that the reshape merges the two.
    order = (*range(dim + 1), rank, *range(dim + 1, rank))
    if order != tuple(range(rank + 1)):
        repeated = _transpose(operand, repeated, order)
    full_shape = tuple(size * factor if d == dim else size for d, size in enumerate(shape))
    encoding = types.encoding(repeated.type)
    assert encoding is not None
    full_layout = infer_reshape(encoding, types.shape(repeated.type), full_shape)
    full_type = types.tensor(full_shape, element, full_layout)
    return operand.create(tt.ReshapeOp, (repeated,), full_type)


def _default_layout(operand: ScaledOperand, shape: tuple[int, ...], like: SSAValue) -> Encoding:
    """Compute the default layout of a shape, with the threads and CTAs of another tensor."""
    encoding = types.encoding(like.type)
    assert encoding is not None
    hardware = thread_hierarchy(encoding)
    assert hardware is not None
    assert hardware.threads is not None
    warps = lookup_num_warps(operand.op)
    return default_blocked(shape, warps, hardware.threads, hardware.blocks or 1)


def mask_nan(operand: ScaledOperand, product: SSAValue, scale: SSAValue) -> SSAValue:
    """Replace elements by NaN if their scale is NaN: 0xFF in e8m0, a NaN in f8."""
    if attributes.number(operand.op.properties["fastMath"]):
        return product
    condition_type = types.with_element(scale.type, types.i1)
    if types.is_float(types.element(scale.type)):
        number = convert_scale(operand, scale, types.element(product.type))
        predicate = CmpFPredicate.UNO.attr()
        is_nan = operand.create(arith.CmpFOp, (number, number), condition_type, predicate=predicate)
    else:
        integer = attributes.integer(_NAN_SCALE, types.element(scale.type))
        value = attributes.splat(integer, scale.type)
        nan_scale = operand.constant(value, scale.type)
        predicate = CmpIPredicate.EQ.attr()
        is_nan = operand.create(
            arith.CmpIOp, (scale, nan_scale), condition_type, predicate=predicate
        )
    mask = broadcast_scale(operand, is_nan, operand.k_dim)
    mask = operand.convert_layout(mask, types.encoding(product.type))
    number = attributes.float_(float("nan"), types.element(product.type))
    nan = attributes.splat(number, product.type)
    constant = operand.constant(nan, product.type)
    return operand.create(arith.SelectOp, (mask, constant, product), product.type)
