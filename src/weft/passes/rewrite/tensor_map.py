"""Write the tensor map of a descriptor that a kernel makes: 128 bytes that TMA reads.

    tt.make_tensor_descriptor %base, [%rows, %columns], [%stride, 1] : tile of 64x64 f16

    dimension              0, the fastest      1
    size                   %columns            %rows
    stride in bytes        –                   %stride * 2
    box of one copy        64                  64       at most 256, and as wide as the swizzle

A tensor map lists the dimensions from the fastest one. Source: CUDA driver API,
cuTensorMapEncodeTiled; PTX ISA, tensormap.replace; measured with Triton 3.7.1.
"""

from __future__ import annotations

from xdsl.dialects.builtin import Signedness

from weft.errors import PassError
from weft.ir import arith, attributes, locations, tt, ttng, types
from weft.ir.builtin import Attribute, IntegerType, Operation, SSAValue
from weft.ir.enums import PaddingOption
from weft.layouts import Encoding, NvmmaSharedEncoding
from weft.layouts.cga import cta_tile_shape
from weft.passes.rewrite.rewriter import Rewriter

__all__ = [
    "DESCRIPTOR_BYTES",
    "create_tensor_map",
    "cta_shape",
    "encoding_of_descriptor",
    "multiply",
]

DESCRIPTOR_BYTES = 128
_MAX_BOX = 256  # elements along a dimension (cuTensorMapEncodeTiled, boxDim)
_MODES = {0: 0, 32: 1, 64: 2, 128: 3}  # .swizzle_mode by bytes (PTX ISA, tensormap.replace)
# PTX ISA, tensormap.replace: values of .elemtype
_FLOATS: dict[Attribute, int] = {types.f16: 6, types.f32: 7, types.f64: 9, types.bf16: 10}
_UNSIGNED = {8: 0, 16: 1, 32: 2, 64: 4}
_SIGNED = _UNSIGNED | {32: 3, 64: 5}
_PADDED_FP4 = 14


def create_tensor_map(op: tt.MakeTensorDescOp, memory: SSAValue, rewriter: Rewriter) -> None:
    """Write a descriptor to memory, before the operation that makes it.

    Raises:
        PassError: The descriptor has no encoding, or TMA does not support its element type.
    """
    encoding = encoding_of_descriptor(op, op.result)

    def number(value: int, type_: IntegerType = types.i32) -> SSAValue:
        return rewriter.constant(attributes.integer(value, type_), type_, op)

    type_ = op.result.type
    assert isinstance(type_, types.TensorDescType)
    tile = type_.block_type
    box = [number(length) for length in reversed(_box(types.shape(tile), encoding))]
    bytes_ = number(types.bit_width(tile) // 8, types.i64)
    sizes = list(reversed(op.shape))
    if encoding.fp4_padded:
        sizes[0] = multiply(sizes[0], number(2), op, rewriter)
    one = number(1)
    strides = [multiply(s, bytes_, op, rewriter) for s in reversed(op.strides[:-1])]
    rank = len(sizes)
    properties = {
        "elem_type": attributes.integer(_element_type(op, encoding), types.i32),
        "interleave_layout": attributes.integer(0, types.i32),
        "swizzle_mode": attributes.integer(_MODES[encoding.swizzling_byte_width], types.i32),
        "fill_mode": attributes.integer(
            int(PaddingOption.of(op.properties["padding"]) is PaddingOption.NAN), types.i32
        ),
        "operandSegmentSizes": attributes.array_i32((1, 1, rank, rank, rank - 1, rank)),
    }
    operands = (memory, op.base, *box, *sizes, *strides, *[one] * rank)
    rewriter.create(ttng.TensormapCreateOp, operands, (), properties, before=op)


def _box(shape: tuple[int, ...], encoding: NvmmaSharedEncoding) -> list[int]:
    """Compute the shape of the box that one TMA copy moves."""
    box = [min(size, _MAX_BOX) for size in cta_shape(shape, encoding)]
    if encoding.swizzling_byte_width:
        widest = encoding.swizzling_byte_width * 8 // encoding.element_bit_width
        box[-1] = min(box[-1], widest)
    return box


def cta_shape(shape: tuple[int, ...], encoding: NvmmaSharedEncoding) -> tuple[int, ...]:
    """Compute the shape of the part of a tile that one CTA holds."""
    return cta_tile_shape(encoding.linear(shape)) if encoding.cga_layout else shape


def _element_type(op: tt.MakeTensorDescOp, encoding: NvmmaSharedEncoding) -> int:
    """Look up the number of the element type in a tensor map.

    Raises:
        PassError: TMA does not support the type.
    """
    if encoding.fp4_padded:
        return _PADDED_FP4
    type_ = op.result.type
    assert isinstance(type_, types.TensorDescType)
    element = types.element(type_.block_type)
    bits = types.bit_width(element)
    if types.is_float(element) and bits > 8:
        number = _FLOATS.get(element)
    else:
        number = (_SIGNED if _is_signed(element) else _UNSIGNED).get(bits)
    if number is None:
        raise PassError(
            f"TMA does not support element type {element}",
            location=locations.position(op.location),
            found=str(type_),
            accepted=[f"{width} bits" for width in _UNSIGNED],
        )
    return number


def _is_signed(element: Attribute) -> bool:
    return types.is_integer(element) and element.signedness.data is Signedness.SIGNED


def encoding_of_descriptor(op: Operation, descriptor: SSAValue) -> NvmmaSharedEncoding:
    """Get the encoding in which TMA accesses the tiles of a descriptor in shared memory.

    Raises:
        PassError: It has none.
    """
    type_ = descriptor.type
    assert isinstance(type_, types.TensorDescType)
    encoding: Encoding | None = types.encoding(type_.block_type)
    if not isinstance(encoding, NvmmaSharedEncoding):
        raise PassError(
            "tensor descriptor has no shared-memory encoding",
            location=locations.position(op.location),
            found=str(type_),
            accepted=["#ttg.nvmma_shared"],
            hint="run triton-nvidia-optimize-descriptor-encoding first",
        )
    return encoding


def multiply(a: SSAValue, b: SSAValue, op: Operation, rewriter: Rewriter) -> SSAValue:
    """Create a product before an operation."""
    return rewriter.create(arith.MulIOp, (a, b), (a.type,), before=op).results[0]
