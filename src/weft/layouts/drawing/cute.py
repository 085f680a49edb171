"""A layout in the words of CuTe: shapes and strides, and for shared memory a swizzle before them.

CuTe numbers the elements of a tile column by column, so dim0 has stride 1. A distributed layout
becomes a thread-value layout, (thread, value) -> element. The 16x8 result of an mma:

    lane bits 0, 1 step two columns, bits 2 to 4 one row      (4,8):(32,1)
    register bit 0 steps one column, bit 1 eight rows         (2,2):(16,8)
    together                                                  ((4,8),(2,2)):((32,1),(16,8))

A layout of shared memory becomes tile -> offset; an XOR of some bits with others further up is
Swizzle<bits, base, shift>. What is neither strides nor one swizzle of strides has no such name.
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
    """Return the layout as CuTe prints it, `(shape):(stride)` or `Swizzle<b,m,s> o (…):(…)`.

    Raises: LayoutError where CuTe has no single name for it: bases with several bits that are no
    swizzle, padding, several blocks of shared memory, or in-dimensions that it does not know.
    """
    if is_distributed(layout):
        return _thread_value(layout)
    if is_shared(layout) and layout.in_dims.get("block", 1) == 1:
        return _memory(layout)
    raise LayoutError(
        "CuTe has no name for this layout",
        found=", ".join(layout.in_dims),
        accepted=["register, lane, warp, block", "offset of one block"],
    )


def _column_major(vector: Sequence[int], shape: Sequence[int]) -> int:
    return sum(c * math.prod(shape[:d]) for d, c in enumerate(vector))


def _thread_value(layout: LinearLayout) -> str:
    shape = shape_of(layout)

    def modes(*dims: str) -> list[Mode]:
        found = []
        for dim in dims:
            for vector in layout.bases.get(dim, ()):
                if sum(entry.bit_count() for entry in vector) > 1:
                    raise LayoutError(
                        "a basis vector with several bits has no strides in CuTe",
                        found=f"{list(vector)} of {dim}",
                    )
                found.append((2, _column_major(vector, shape)))
        return _merged(found)

    groups = [modes("lane", "warp"), modes("register")]
    if layout.in_dims.get("block", 1) > 1:
        groups.append(modes("block"))
    return _written(groups)


def _merged(modes: Sequence[Mode]) -> list[Mode]:
    """Join neighbours whose strides go on, and those that all repeat."""
    found: list[Mode] = []
    for size, stride in modes:
        if found and stride == found[-1][0] * found[-1][1]:
            found[-1] = (found[-1][0] * size, found[-1][1])
        else:
            found.append((size, stride))
    return found or [(1, 0)]


def _written(groups: Sequence[Sequence[Mode]]) -> str:
    def nested(items: Sequence[str]) -> str:
        return items[0] if len(items) == 1 else f"({','.join(items)})"

    shapes = [nested([str(size) for size, _ in group]) for group in groups]
    strides = [nested([str(stride) for _, stride in group]) for group in groups]
    return f"({','.join(shapes)}):({','.join(strides)})"


def _memory(layout: LinearLayout) -> str:
    if not layout.is_invertible:
        raise LayoutError(
            "a layout of shared memory that repeats or leaves out elements has no name in CuTe",
            found=f"rank {layout.rank} of {layout.in_bits} and {layout.out_bits} bits",
        )
    # Offset of each bit of the tile; a swizzled one has bits below its own, highest, one.
    images = {
        dim: [vector[list(layout.in_dims).index("offset")] for vector in vectors]
        for dim, vectors in layout.invert().bases.items()
    }
    swizzle, plain = _swizzle([i for vectors in images.values() for i in vectors])
    taken = iter(plain)
    groups = [_merged([(2, next(taken)) for _ in vectors]) for vectors in images.values()]
    return f"{swizzle}{_written(groups)}"


def _swizzle(offsets: Sequence[int]) -> tuple[str, list[int]]:
    """Return the swizzle and the offsets without it.

    Each offset is one bit, or a bit and the one `shift` places below it.
    Raises: LayoutError where they are neither.
    """
    plain, pairs = [], []
    for offset in offsets:
        top = 1 << offset.bit_length() - 1
        plain.append(top)
        if low := offset ^ top:
            pairs.append((top.bit_length() - 1, low))
    if not pairs:
        return "", plain
    pairs.sort()
    high, low = pairs[0]
    base = low.bit_length() - 1
    expected = [(high + k, 1 << base + k) for k in range(len(pairs))]
    if pairs != expected or len(set(plain)) != len(plain):
        raise LayoutError(
            "the swizzle is none of CuTe's: bits must be exchanged with those one shift above",
            found=", ".join(f"bit {top} with {bin(low)}" for top, low in pairs),
        )
    return f"Swizzle<{len(pairs)},{base},{high - base}> o ", plain
