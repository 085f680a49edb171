"""A layout in CuTe's notation: shapes and strides, and a swizzle for shared memory.

CuTe numbers the elements of a tile column by column, so dim0 has stride 1. A distributed layout
becomes a thread-value layout, (thread, value) -> element. For the 16x8 result of an mma:

    lane bits 0, 1 step two columns, bits 2 to 4 one row      (4,8):(32,1)
    register bit 0 steps one column, bit 1 eight rows         (2,2):(16,8)
    together                                                  ((4,8),(2,2)):((32,1),(16,8))

A layout of shared memory becomes tile -> offset; an XOR of some bits with higher ones is
Swizzle<bits, base, shift>. What is neither strides nor one swizzle of strides has no such notation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from weft.errors import LayoutError
from weft.layouts.drawing.element_tables import is_distributed, is_shared, shape_of
from weft.layouts.linear_layout import LinearLayout

__all__ = ["cute"]

Mode = tuple[int, int]  # (size, stride)


def cute(layout: LinearLayout) -> str:
    """Compute the layout as CuTe prints it, `(shape):(stride)` or `Swizzle<b,m,s> o (…):(…)`.

    Raises:
        LayoutError: CuTe has no notation for it: a basis has several bits and is no swizzle, or
            shared memory has several blocks, or the in-dimensions are others.
    """
    if is_distributed(layout):
        return _thread_value(layout)
    if is_shared(layout) and layout.in_dims.get("block", 1) == 1:
        return _memory(layout)
    raise LayoutError(
        "CuTe has no notation for this layout",
        found=", ".join(layout.in_dims),
        accepted=["register, lane, warp, block", "offset of one block"],
    )


def _column_major(vector: Sequence[int], shape: Sequence[int]) -> int:
    return sum(entry * math.prod(shape[:d]) for d, entry in enumerate(vector))


def _thread_value(layout: LinearLayout) -> str:
    shape = shape_of(layout)

    def modes(*dims: str) -> list[Mode]:
        bits: list[Mode] = []
        for dim in dims:
            for vector in layout.bases.get(dim, ()):
                if sum(entry.bit_count() for entry in vector) > 1:
                    raise LayoutError(
                        "a basis vector with several bits has no stride in CuTe",
                        found=f"{vector} of {dim}",
                    )
                bits.append((2, _column_major(vector, shape)))
        return _merge(bits)

    groups = [modes("lane", "warp"), modes("register")]
    if layout.in_dims.get("block", 1) > 1:
        groups.append(modes("block"))
    return _text(groups)


def _merge(modes: Sequence[Mode]) -> list[Mode]:
    """Merge neighbours whose strides continue; a stride of 0 continues with 0."""
    merged: list[Mode] = []
    for size, stride in modes:
        if merged and stride == merged[-1][0] * merged[-1][1]:
            merged[-1] = (merged[-1][0] * size, merged[-1][1])
        else:
            merged.append((size, stride))
    return merged or [(1, 0)]


def _text(groups: Sequence[Sequence[Mode]]) -> str:
    def nested(items: Sequence[str]) -> str:
        return items[0] if len(items) == 1 else f"({','.join(items)})"

    shapes = [nested([str(size) for size, _ in group]) for group in groups]
    strides = [nested([str(stride) for _, stride in group]) for group in groups]
    return f"({','.join(shapes)}):({','.join(strides)})"


def _memory(layout: LinearLayout) -> str:
    if not layout.is_invertible:
        raise LayoutError(
            "CuTe has no notation for shared memory that broadcasts or omits elements",
            found=f"rank {layout.rank} of {layout.in_bits} and {layout.out_bits} bits",
        )
    # The offset of each bit of the tile. If it is swizzled, it has bits below its own, the highest.
    offset_index = list(layout.in_dims).index("offset")
    offsets = {
        dim: [vector[offset_index] for vector in vectors]
        for dim, vectors in layout.invert().bases.items()
    }
    swizzle, strides = _swizzle([offset for group in offsets.values() for offset in group])
    remaining = iter(strides)
    groups = [_merge([(2, next(remaining)) for _ in group]) for group in offsets.values()]
    return f"{swizzle}{_text(groups)}"


def _swizzle(offsets: Sequence[int]) -> tuple[str, list[int]]:
    """Return the swizzle, and the offsets without it.

    Each offset must be one bit, or a bit and the one `shift` places below it.

    Raises:
        LayoutError: they are neither.
    """
    strides: list[int] = []
    pairs: list[tuple[int, int]] = []  # the highest bit's number, and the rest
    for offset in offsets:
        top = 1 << offset.bit_length() - 1
        strides.append(top)
        if rest := offset ^ top:
            pairs.append((top.bit_length() - 1, rest))
    if not pairs:
        return "", strides
    pairs.sort()
    high, low = pairs[0]
    base = low.bit_length() - 1
    expected = [(high + k, 1 << base + k) for k in range(len(pairs))]
    if pairs != expected or len(set(strides)) != len(strides):
        raise LayoutError(
            "the swizzle is none of CuTe's, which XOR neighbouring bits with those one shift above",
            found=", ".join(f"bit {top} with {bin(low)}" for top, low in pairs),
        )
    return f"Swizzle<{len(pairs)},{base},{high - base}> o ", strides
