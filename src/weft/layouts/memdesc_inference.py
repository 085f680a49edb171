"""The layout of a buffer that is looked at with other dimensions; no byte moves.

    nvmma 128, 64x32     transposed       nvmma 128, transposed, 32x64
    nvmma 0, 1x1x2x2x256 as 1x2x32x4x4    shared_linear: nvmma keeps no such inner dimension

Answers as Triton 3.7.1 does. A view of nvmma stays nvmma where its inner dimension stays whole; any
other view is told by its basis vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod

from weft.errors import LayoutError
from weft.layouts.encodings import (
    Encoding,
    NvmmaSharedEncoding,
    SharedLinearEncoding,
    SwizzledSharedEncoding,
)
from weft.layouts.linear import LinearLayout
from weft.layouts.tile_builder import dimension_names

__all__ = ["shared_alignment", "infer_memdesc_reshape", "infer_memdesc_trans"]


def shared_alignment(encoding: Encoding) -> int:
    """Return the bytes by which the address of a buffer must divide.

    An exchange within so many bytes repeats every 8 rows of them.
    """
    if isinstance(encoding, SharedLinearEncoding):
        return encoding.alignment
    if isinstance(encoding, NvmmaSharedEncoding):
        return 8 * max(16, encoding.swizzling_byte_width)
    return 16


@lru_cache(maxsize=4096)
def infer_memdesc_trans(encoding: Encoding, order: tuple[int, ...]) -> Encoding:
    """Return the layout after the dimensions are permuted: result d is operand order[d].

    Raises: LayoutError: a layout that has no such view.
    """
    if isinstance(encoding, SwizzledSharedEncoding):
        place = {source: d for d, source in enumerate(order)}
        return SwizzledSharedEncoding(
            encoding.vec,
            encoding.per_phase,
            encoding.max_phase,
            tuple(place[source] for source in encoding.order),
            _permuted(encoding.cga_layout, order),
        )
    if isinstance(encoding, NvmmaSharedEncoding) and order == (1, 0):
        return NvmmaSharedEncoding(
            encoding.swizzling_byte_width,
            encoding.element_bit_width,
            not encoding.transposed,
            encoding.fp4_padded,
            _permuted(encoding.cga_layout, order),
            encoding.dimensions,
        )
    if isinstance(encoding, SharedLinearEncoding):
        return SharedLinearEncoding(
            _permuted(encoding.offset, order),
            encoding.alignment,
            _permuted(encoding.block, order),
        )
    raise LayoutError(
        "a buffer of this layout has no transposed view",
        found=f"{encoding}, order {list(order)}",
        accepted=("swizzled_shared", "shared_linear", "nvmma_shared with order [1, 0]"),
    )


def _permuted(
    vectors: Sequence[Sequence[int]], order: Sequence[int]
) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(vector[source] for source in order) for vector in vectors)


@lru_cache(maxsize=4096)
def infer_memdesc_reshape(
    encoding: Encoding, shape: tuple[int, ...], result: tuple[int, ...]
) -> Encoding:
    """Return the layout after the elements, in row-major order, are read as another shape.

    Raises: LayoutError: the shapes differ in their number of elements.
    """
    if prod(shape) != prod(result):
        raise LayoutError(
            "a reshape must keep the number of elements", found=f"{shape} to {result}"
        )
    reshaped = _reshaped(encoding.linear(shape), result)
    if isinstance(encoding, NvmmaSharedEncoding) and not encoding.cga_layout:
        inner = 0 if encoding.transposed else -1
        if shape[inner] == result[inner]:
            same = NvmmaSharedEncoding(
                encoding.swizzling_byte_width,
                encoding.element_bit_width,
                encoding.transposed,
                encoding.fp4_padded,
                (),
                len(result),
            )
            if same.linear(result) == reshaped:
                return same
    bases = reshaped.bases
    return SharedLinearEncoding(
        tuple(map(tuple, bases["offset"])),
        shared_alignment(encoding),
        tuple(map(tuple, bases.get("block", ()))),
    )


def _reshaped(layout: LinearLayout, result: tuple[int, ...]) -> LinearLayout:
    """Return a layout whose elements, in row-major order, are read as another shape."""
    flat = layout.transpose_outs(dimension_names(len(layout.outs))[::-1])
    names = dimension_names(len(result))
    sizes = {names[d]: result[d] for d in reversed(range(len(result)))}
    return flat.reshape_outs(sizes).transpose_outs(names)
