"""Verify the parameters of a memory descriptor type.

    !ttg.memdesc<2x128x64xf16, #shared, #smem, mutable, 3x128x64>

The encoding lays out the last dimensions; one dimension before them counts the buffers.

Source: Triton, MemDescType::verify in lib/Dialect/TritonGPU/IR/Types.cpp.
"""

from __future__ import annotations

from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from weft.errors import LayoutError
from weft.ir import types
from weft.ir.encodings import EncodingAttr
from weft.layouts import (
    Encoding,
    NvmmaSharedEncoding,
    PaddedSharedEncoding,
    SharedLinearEncoding,
    TensorMemoryEncoding,
    TensorMemoryScalesEncoding,
)

__all__ = ["verify_memdesc"]

Shape = tuple[int, ...]

_WORD_BITS = 32  # of a column of tensor memory
_SCALE_BITS = 8


def verify_memdesc(
    shape: Shape, element: Attribute, layout: Attribute, space: Attribute, allocated: Shape
) -> None:
    """Verify the parameters of a memory descriptor type.

    Args:
        shape: The shape.
        element: The element type.
        layout: The encoding, an attribute.
        space: The memory space.
        allocated: The shape of the allocation.

    Raises:
        VerifyException: They do not fit together.
    """
    if not shape:
        raise VerifyException("rank 0 memdesc is not allowed")
    if any(size <= 0 or size & (size - 1) for size in shape[1:]):
        raise VerifyException(
            f"shape must have power-of-2 and non-zero dimensions; got {', '.join(map(str, shape))}"
        )
    if shape[0] <= 0:
        raise VerifyException("shape has 0 dimension")
    if len(allocated) < len(shape):
        raise VerifyException("alloc shape must have at least as many dimensions as shape")
    if any(size > whole for size, whole in zip(shape, allocated[-len(shape) :], strict=True)):
        raise VerifyException(
            "shape must be less than or equal to allocShape. "
            f"shape = {', '.join(map(str, shape))}, "
            f"allocShape = {', '.join(map(str, allocated))}"
        )
    if not isinstance(layout, EncodingAttr):
        raise VerifyException(f"{layout} is not a valid encoding")
    encoding = layout.data
    is_tensor_memory = space.name == "ttng.tensor_memory"
    if isinstance(encoding, TensorMemoryEncoding):
        _require_tensor_memory(is_tensor_memory)
        _verify_tensor_memory(len(shape), element, encoding, allocated)
    elif isinstance(encoding, TensorMemoryScalesEncoding):
        _require_tensor_memory(is_tensor_memory)
        if len(allocated) != 2:
            raise VerifyException("Scales don't currently support multibuffering")
        if types.bit_width(element) != _SCALE_BITS:
            raise VerifyException("bitwidth must be 8")
    elif encoding.family == "shared":
        if space.name != "ttg.shared_memory":
            raise VerifyException(
                f"memorySpace must be SharedMemorySpace for shared encoding. Got {space}"
            )
        if len(shape) - encoding.rank not in (0, 1):
            raise VerifyException(
                "rank must be equal to or one less than the shape size. Got "
                f"{encoding.rank} and {len(shape)}"
            )
        _verify_shared(encoding, allocated)
    else:
        raise VerifyException(f"{encoding} is not a valid encoding")


def _require_tensor_memory(holds: bool) -> None:
    if not holds:
        raise VerifyException("memorySpace must be TensorMemorySpace")


def _verify_tensor_memory(
    rank: int, element: Attribute, encoding: TensorMemoryEncoding, allocated: Shape
) -> None:
    if rank not in (2, 3):
        raise VerifyException("rank must be 2 or 3")
    width = types.bit_width(element)
    if width * encoding.col_stride > _WORD_BITS:
        raise VerifyException(
            f"bitwidth * colStride must be less than or equal to 32. Got {width} and "
            f"{encoding.col_stride}"
        )
    tile = allocated[-2:]
    least = (
        encoding.block_m * encoding.cta_split_m,
        encoding.block_n * encoding.cta_split_n,
    )
    if tile[0] < least[0] or tile[1] < least[1]:
        raise VerifyException(
            f"the allocation shape must be at least {least[0]}x{least[1]}. Got "
            f"{', '.join(map(str, tile))}"
        )
    try:
        sizes = tuple(encoding.linear(tile).out_dims.values())
    except LayoutError as error:
        raise VerifyException(error.message) from error
    if sizes != tile:
        raise VerifyException(f"allocation shape must be equal to {sizes[0]}x{sizes[1]}")


def _verify_shared(encoding: Encoding, allocated: Shape) -> None:
    tile = allocated[-encoding.rank :]
    if isinstance(encoding, PaddedSharedEncoding):
        if len(allocated) - encoding.rank not in (0, 1):
            tile = allocated
        _require_shape(tile, encoding.shape)
    elif isinstance(encoding, SharedLinearEncoding):
        _require_shape(tile, encoding.shape)
    elif isinstance(encoding, NvmmaSharedEncoding):
        if 0 in allocated:
            raise VerifyException("alloc shape has 0 dimension")
        if encoding.swizzling_byte_width:
            _verify_swizzle(encoding, tile)


def _require_shape(expected: Shape, actual: Shape) -> None:
    for dim, (size, covered) in enumerate(zip(expected, actual, strict=False)):
        if size != covered:
            raise VerifyException(
                f"Mismatch in expected shape for dimension {dim}. Expected: {size}, got: {covered}"
            )


def _verify_swizzle(encoding: NvmmaSharedEncoding, tile: Shape) -> None:
    """Require rows as long as the swizzle in the part of one CTA."""
    dim = 0 if encoding.transposed else len(tile) - 1
    split = 1 << sum(any(vector[dim : dim + 1]) for vector in encoding.cga_layout)
    size = tile[dim] // split * (2 if encoding.fp4_padded else 1)
    least = 8 * encoding.swizzling_byte_width // encoding.element_bit_width
    if size < least:
        raise VerifyException(
            f"block shape along the contiguous dimension {dim} is too small for the swizzle byte "
            f"size {encoding.swizzling_byte_width} in an NVMMASharedLayout, got {size} but "
            f"expected at least {least}"
        )
