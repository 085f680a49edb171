"""fp4 packed in bytes, and elements with a scale for each 32 of them.

    %r = ttg.fp4_to_fp %x {axis = 1}     a byte 0x2A: lower half 0xA = -1, upper half 0x2 = 1

Layouts give both a thread's bytes and the elements in them: element (m, k) is in the byte at
(m, k / 2), in its lower half if k is even. Scales are powers of two, encoded as an exponent byte
(255 is NaN), or bf16.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from xdsl.ir import Attribute, SSAValue

from weft.codegen.llvm.types import float_literal, llvm_type
from weft.codegen.llvm.vectors import batches, extract_elements, pack_word
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.indices import register_offsets
from weft.codegen.lowering.common.registers import layout_of, representative_parts
from weft.codegen.lowering.common.scratch import scratch
from weft.codegen.lowering.convert_layout import convert_registers
from weft.codegen.lowering.registry import lowers
from weft.errors import CodegenError
from weft.ir import amdg, ttg, types
from weft.ir.enums import ScaleDotElemType
from weft.layouts import LinearLayout
from weft.layouts.encodings import DotOperandEncoding
from weft.lowering_plans.microscaling import plan_scales
from weft.lowering_plans.properties import integer_property
from weft.targets import Target
from weft.targets.float_conversions import Conversion

_BLOCK_LOG2 = 5  # log2 of the elements that share a scale
_FP4 = "f4E2M1FN"
_TABLES = {  # of 0, 0.5, 1, 1.5, 2, 3, 4 and 6
    types.f16: (0x0000, 0x3800, 0x3C00, 0x3E00, 0x4000, 0x4200, 0x4400, 0x4600),
    types.bf16: (0x0000, 0x3F00, 0x3F80, 0x3FC0, 0x4000, 0x4040, 0x4080, 0x40C0),
}


@lru_cache(maxsize=4096)
def _coordinates(layout: LinearLayout) -> tuple[tuple[int, ...], ...]:
    """List the coordinates of each register, relative to register 0."""
    offsets = [register_offsets(layout, dim) for dim in range(len(layout.out_dims))]
    return tuple(zip(*offsets, strict=True))


@lru_cache(maxsize=4096)
def _halves(packed: Attribute, unpacked: Attribute, axis: int) -> tuple[tuple[int, int], ...]:
    """Map each register of elements to the register of its byte, and the half of the byte.

    Raises:
        CodegenError: A thread does not hold the bytes of its elements.
    """
    source, result = layout_of(packed), layout_of(unpacked)
    for name in ("lane", "warp", "block"):
        expected_bases = [list(image) for image in result.bases.get(name, ())]
        for image in expected_bases:
            image[axis], odd = divmod(image[axis], 2)
            if odd:
                raise CodegenError(
                    "one thread must hold both 4-bit floats of a byte", found=unpacked
                )
        if expected_bases != [list(image) for image in source.bases.get(name, ())]:
            raise CodegenError(
                "a thread must hold the bytes of its 4-bit floats", found=f"{packed} to {unpacked}"
            )
    places = {place: n for n, place in reversed(list(enumerate(_coordinates(source))))}
    results = []
    for place in _coordinates(result):
        byte = tuple(one >> 1 if dim == axis else one for dim, one in enumerate(place))
        if byte not in places:
            raise CodegenError(
                "a thread must hold the bytes of its 4-bit floats", found=f"{packed} to {unpacked}"
            )
        results.append((places[byte], place[axis] & 1))
    return tuple(results)


def _unpacked(ctx: LoweringContext, values: Sequence[str], target: Attribute) -> list[str]:
    """Convert the fp4 of bytes, two each, the lower half first."""
    row = ctx.floats.rows.between(_FP4, str(target))
    if row is not None:
        return ctx.hardware.conversion.convert_packed(ctx.writer, row, values)
    wide_type = target if target in _TABLES else types.f16
    table = sum(entry << 16 * n for n, entry in enumerate(_TABLES[wide_type]))
    w, type_ = ctx.writer, llvm_type(wide_type)
    results: list[str] = []
    for codes, count in batches(values, 4, "0"):
        pairs = ctx.hardware.conversion.fp4_to_16_bits(w, pack_word(w, "i8", codes), table)
        for pair in pairs[:count]:
            results += extract_elements(
                w, type_, 2, w.value(f"bitcast i32 {pair} to <2 x {type_}>")
            )
    return ctx.floats.convert(results, wide_type, target)


@lowers(ttg.Fp4ToFpOp)
def _fp4_to_fp(ctx: LoweringContext, op: ttg.Fp4ToFpOp) -> None:
    source, result = op.operands[0], op.results[0]
    ctx.define(result, _numbers_of_fp4(ctx, source, result.type, integer_property(op, "axis")))


def _numbers_of_fp4(
    ctx: LoweringContext, source: SSAValue, result: Attribute, axis: int
) -> list[str]:
    """Convert a tensor of packed fp4 to registers of elements."""
    halves = _halves(source.type, result, axis)
    needed = sorted({register for register, _ in halves})
    numbers = _unpacked(ctx, [ctx[source][n] for n in needed], types.element(result))
    at = {register: n for n, register in enumerate(needed)}
    return [numbers[2 * at[register] + half] for register, half in halves]


@lowers(amdg.ScaledUpcastFp4Op)
def _scaled_fp4(ctx: LoweringContext, op: amdg.ScaledUpcastFp4Op) -> None:
    packed, scale, result = op.operands[0], op.operands[1], op.results[0]
    row = _scaling_row(ctx, _FP4, result.type, scale.type)
    halves = _halves(packed.type, result.type, integer_property(op, "axis"))
    if row is not None:
        bytes_ = _in_bytes(halves)
        groups = [tuple(pair for byte in group for pair in byte) for group in _by(bytes_, 4)]
        if all(_share(result.type, ctx[scale], group) for group in groups):
            results = ["poison"] * len(halves)
            for group in groups:
                codes = [ctx[packed][halves[register][0]] for register in group[::2]]
                factor = _scale_for(ctx, row, scale.type, ctx[scale][group[0]])
                numbers = ctx.hardware.conversion.convert_packed(ctx.writer, row, codes, factor)
                for register, value in zip(group, numbers, strict=True):
                    results[register] = value
            ctx.define(result, _filled(results, halves))
            return
    numbers = _numbers_of_fp4(
        ctx, packed, types.with_element(result.type, types.f32), integer_property(op, "axis")
    )
    ctx.define(result, _multiplied(ctx, numbers, scale, result.type))


def _in_bytes(halves: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """List the registers of the two elements of each byte, each byte once."""
    pairs: dict[int, list[int]] = {}
    for register, (byte, half) in enumerate(halves):
        pair = pairs.setdefault(byte, [-1, -1])
        pair[half] = register if pair[half] < 0 else pair[half]
    return [(first, second) for first, second in pairs.values()]


def _by(items: Sequence[tuple[int, int]], count: int) -> list[Sequence[tuple[int, int]]]:
    return [items[start : start + count] for start in range(0, len(items), count)]


def _filled(found: list[str], halves: Sequence[tuple[int, int]]) -> list[str]:
    """Fill registers that replicate the element of another."""
    value_of = {half: value for half, value in zip(halves, found, strict=True) if value != "poison"}
    return [value_of[half] for half in halves]


@lowers(amdg.ScaledUpcastFp8Op)
def _scaled_fp8(ctx: LoweringContext, op: amdg.ScaledUpcastFp8Op) -> None:
    source, scale, result = op.operands[0], op.operands[1], op.results[0]
    element = types.element(source.type)
    row = _scaling_row(ctx, str(element), result.type, scale.type)
    firsts = representative_parts(result.type)
    distinct = sorted(set(firsts))
    size = 0 if row is None else max(4, row.count)
    groups = [tuple(distinct[n : n + size]) for n in range(0, len(distinct), size)] if size else []
    if row is None or not all(_share(result.type, ctx[scale], group) for group in groups):
        numbers = ctx.floats.convert([ctx[source][n] for n in distinct], element, types.f32)
        at = dict(zip(distinct, numbers, strict=True))
        numbers = [at[first] for first in firsts]
        ctx.define(result, _multiplied(ctx, numbers, scale, result.type))
        return
    value_of: dict[int, str] = {}
    for group in groups:
        factor = _scale_for(ctx, row, scale.type, ctx[scale][group[0]])
        codes = [ctx[source][register] for register in group]
        numbers = ctx.hardware.conversion.convert_packed(ctx.writer, row, codes, factor)
        value_of.update(zip(group, numbers, strict=True))
    ctx.define(result, [value_of[first] for first in firsts])


def _scaling_row(
    ctx: LoweringContext, before: str, result: Attribute, scale: Attribute
) -> Conversion | None:
    """Find the instruction that converts and scales, if it takes scales of this type."""
    row = ctx.floats.rows.between(before, str(types.element(result)))
    if row is None or "scale" not in row.instruction:
        return None
    by_bytes = not row.instruction.startswith("cvt.scalef32")
    return None if by_bytes and types.element(scale) != types.i8 else row


def _share(result: Attribute, scales: Sequence[str], group: Sequence[int]) -> bool:
    """Check whether registers share a scale: the same value, or one block along k."""
    if len({scales[register] for register in group}) == 1:
        return True
    encoding = types.encoding(result)
    if not isinstance(encoding, DotOperandEncoding):
        return False
    layout = layout_of(result)
    k_dim = len(layout.out_dims) - (1 if encoding.op_idx == 0 else 2)
    places = _coordinates(layout)
    blocks = {
        tuple(one >> _BLOCK_LOG2 if dim == k_dim else one for dim, one in enumerate(places[n]))
        for n in group
    }
    return len(blocks) == 1


def _scale_for(ctx: LoweringContext, row: Conversion, type_: Attribute, scale: str) -> str:
    """Convert a scale to the operand of an instruction: a float, or an exponent in an i32."""
    if row.instruction.startswith("cvt.scalef32"):
        return _scale_as_float(ctx, scale, type_)
    return ctx.writer.value(f"zext i8 {scale} to i32")


def _scale_as_float(
    ctx: LoweringContext, scale: str, type_: Attribute, *, with_nan: bool = True
) -> str:
    """Convert a scale to a float; the exponent byte 255 is NaN."""
    w = ctx.writer
    if types.element(type_) != types.i8:
        (result,) = ctx.floats.convert([scale], types.element(type_), types.f32)
        return result
    wide = w.value(f"zext i8 {scale} to i32")
    bits = w.value(f"shl i32 {wide}, 23")
    least = w.value(f"icmp eq i32 {wide}, 0")
    bits = w.value(f"select i1 {least}, i32 {1 << 22}, i32 {bits}")
    result = w.value(f"bitcast i32 {bits} to float")
    if not with_nan:
        return result
    nan = float_literal(float("nan"), types.f32)
    is_nan = w.value(f"icmp eq i32 {wide}, 255")
    return w.value(f"select i1 {is_nan}, float {nan}, float {result}")


def _multiplied(
    ctx: LoweringContext, numbers: Sequence[str], scale: SSAValue, result: Attribute
) -> list[str]:
    """Multiply floats by their scales, in the result's type."""
    factors: dict[str, str] = {}
    product_of: dict[tuple[str, str], str] = {}
    for value, factor in zip(numbers, ctx[scale], strict=True):
        if factor not in factors:
            factors[factor] = _scale_as_float(ctx, factor, scale.type)
        if (value, factor) not in product_of:
            product_of[value, factor] = ctx.writer.value(f"fmul float {value}, {factors[factor]}")
    converted = ctx.floats.convert(list(product_of.values()), types.f32, types.element(result))
    products = dict(zip(product_of, converted, strict=True))
    return [products[pair] for pair in zip(numbers, ctx[scale], strict=True)]


@scratch(amdg.UpcastMXFPOp)
def _bytes(op: amdg.UpcastMXFPOp, target: Target) -> int:
    """Count the shared memory of the conversion of scales."""
    return plan_scales(op, target).cost.shared_bytes


@lowers(amdg.UpcastMXFPOp)
def _upcast_mxfp(ctx: LoweringContext, op: amdg.UpcastMXFPOp) -> None:
    """Convert the elements, and multiply them by the scale of their block in f32."""
    source, scale, result = op.operands[0], op.operands[1], op.results[0]
    plan = plan_scales(op, ctx.hardware.target)
    scales = convert_registers(ctx, op, plan, "i8", ctx[scale])
    encoding, target = types.encoding(result.type), types.element(result.type)
    assert isinstance(encoding, DotOperandEncoding)
    rank = len(types.shape(result.type))
    kind = ScaleDotElemType.of(op.properties["fp_type"])
    if kind is ScaleDotElemType.E2M1:
        axis = rank - (1 if encoding.op_idx == 0 else 2)
        numbers = _numbers_of_fp4(ctx, source, result.type, axis)
    else:
        numbers = ctx.floats.convert(ctx[source], _element(source.type, kind), target)
    fast = bool(integer_property(op, "fastMath", 0))
    factors = {
        one: _scale_as_float(ctx, one, types.i8, with_nan=not fast) for one in dict.fromkeys(scales)
    }
    w = ctx.writer
    wide = ctx.floats.convert(numbers, target, types.f32)
    products = [
        w.value(f"fmul float {value}, {factors[one]}")
        for value, one in zip(wide, scales, strict=True)
    ]
    ctx.define(result, ctx.floats.shortened(products, target))


def _element(source: Attribute, kind: ScaleDotElemType) -> Attribute:
    """Get the element type; bytes have the format of the attribute."""
    element = types.element(source)
    if element != types.i8:
        return element
    if kind not in _OF_BYTES:
        raise CodegenError(
            "this element type cannot be unpacked from bytes",
            found=kind,
            accepted=[str(k) for k in _OF_BYTES],
        )
    return _OF_BYTES[kind]


_OF_BYTES = {ScaleDotElemType.E4M3: types.f8E4M3FN, ScaleDotElemType.E5M2: types.f8E5M2}
