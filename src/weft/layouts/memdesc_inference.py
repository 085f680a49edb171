"""Infer the encoding of a view of shared memory: memdesc_trans and memdesc_reshape.

A view moves no data; its encoding says where the elements are under their new coordinates.

    nvmma_shared, 64x32                         transposed: nvmma_shared with transposed = true
    nvmma_shared, 1x1x2x2x256 as 1x2x32x4x4     shared_linear, as the inner dimension is split

Results are those of Triton 3.7.1. A reshaped nvmma_shared stays one if its inner dimension keeps
its size; every other reshape is described by its basis vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod

from weft.errors import LayoutError
from weft.layouts.encodings import (
    Encoding,
    NvmmaSharedEncoding,
    PaddedSharedEncoding,
    SharedLinearEncoding,
    SwizzledSharedEncoding,
)
from weft.layouts.layout_transforms import reshape_row_major
from weft.layouts.linear_layout import LinearLayout

__all__ = ["infer_memdesc_reshape", "infer_memdesc_trans", "shared_alignment"]

_SWIZZLE_ROWS = 8  # after which a swizzle of nvmma_shared repeats
_LEAST_ALIGNMENT = 16


def shared_alignment(encoding: Encoding) -> int:
    """Return the alignment in bytes that the address of a buffer needs."""
    if isinstance(encoding, SharedLinearEncoding):
        return encoding.alignment
    if isinstance(encoding, NvmmaSharedEncoding):
        return _SWIZZLE_ROWS * max(_LEAST_ALIGNMENT, encoding.swizzling_byte_width)
    return _LEAST_ALIGNMENT


@lru_cache(maxsize=4096)
def infer_memdesc_trans(
    encoding: Encoding, order: tuple[int, ...], shape: tuple[int, ...] | None = None
) -> Encoding:
    """Compute the encoding after the dimensions are permuted.

    Args:
        encoding: the encoding of the operand.
        order: dimension d of the result is dimension order[d] of the operand.
        shape: the shape of the operand; without it, only an encoding that does not depend on the
            shape is computed.

    Raises:
        LayoutError: the encoding has no such view.
    """
    if encoding.rank != len(order):
        raise LayoutError(
            f"rank of encoding does not match order: {encoding.rank} vs {len(order)}",
            found=f"{encoding}, order {list(order)}",
        )
    if isinstance(encoding, SwizzledSharedEncoding):
        result_dim = {source: d for d, source in enumerate(order)}
        return SwizzledSharedEncoding(
            encoding.vec,
            encoding.per_phase,
            encoding.max_phase,
            tuple(result_dim[source] for source in encoding.order),
            _permute(encoding.cga_layout, order),
        )
    if isinstance(encoding, NvmmaSharedEncoding) and order == (1, 0):
        return NvmmaSharedEncoding(
            encoding.swizzling_byte_width,
            encoding.element_bit_width,
            not encoding.transposed,
            encoding.fp4_padded,
            _permute(encoding.cga_layout, order),
            encoding.dimensions,
        )
    if isinstance(encoding, SharedLinearEncoding):
        return SharedLinearEncoding(
            _permute(encoding.offset, order),
            encoding.alignment,
            _permute(encoding.block, order),
        )
    if shape is not None:
        if isinstance(encoding, PaddedSharedEncoding):
            return PaddedSharedEncoding(
                encoding.intervals,
                encoding.paddings,
                _permute(encoding.offset, order),
                _permute(encoding.block, order),
                encoding.dimensions,
            )
        return _shared_linear(encoding.linear(shape), encoding, order)
    raise LayoutError(
        "a buffer of this layout has no transposed view",
        found=f"{encoding}, order {list(order)}",
        accepted=("swizzled_shared", "shared_linear", "nvmma_shared with order [1, 0]"),
    )


def _shared_linear(
    layout: LinearLayout, encoding: Encoding, order: Sequence[int]
) -> SharedLinearEncoding:
    """Return `#ttg.shared_linear` with permuted bases and the alignment of an encoding."""
    vectors = {name: _permute([*map(layout.unpack, v)], order) for name, v in layout.ins}
    return SharedLinearEncoding(
        vectors["offset"], shared_alignment(encoding), vectors.get("block", ())
    )


def _permute(vectors: Sequence[Sequence[int]], order: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(vector[source] for source in order) for vector in vectors)


@lru_cache(maxsize=4096)
def infer_memdesc_reshape(
    encoding: Encoding, shape: tuple[int, ...], result: tuple[int, ...]
) -> Encoding:
    """Compute the encoding after the elements, in row-major order, become another shape.

    Args:
        encoding: the encoding of the operand.
        shape: the shape of the operand.
        result: the shape of the result.

    Raises:
        LayoutError: the shapes differ in their number of elements.
    """
    if prod(shape) != prod(result):
        raise LayoutError(
            "a reshape must keep the number of elements", found=f"{shape} to {result}"
        )
    reshaped = reshape_row_major(encoding.linear(shape), result)
    if isinstance(encoding, NvmmaSharedEncoding) and not encoding.cga_layout:
        inner = 0 if encoding.transposed else -1
        if shape[inner] == result[inner]:
            nvmma = NvmmaSharedEncoding(
                encoding.swizzling_byte_width,
                encoding.element_bit_width,
                encoding.transposed,
                encoding.fp4_padded,
                (),
                len(result),
            )
            if nvmma.linear(result) is reshaped:
                return nvmma
    if isinstance(encoding, PaddedSharedEncoding):
        return PaddedSharedEncoding(
            encoding.intervals,
            encoding.paddings,
            tuple(map(reshaped.unpack, reshaped.images("offset"))),
            tuple(map(reshaped.unpack, dict(reshaped.ins).get("block", ()))),
            len(result),
        )
    return _shared_linear(reshaped, encoding, range(len(result)))
