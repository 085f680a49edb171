"""`triton.tools.ragged_tma`: tensor descriptors that check the end of a slice of rows.

    descriptor = create_ragged_descriptor(x, [64, 32])             # of x: [rows, 32]
    tile = load_ragged(descriptor, first_row, row_count, [row, 0])  # in a kernel

A descriptor checks bounds against the extents that its tensor had when it was created. To check
against `first_row + row_count`, which a kernel computes, it has two more dimensions. Let R be 2³⁰,
the extent that dimension `ragged_dim` gets, and s its stride. The strides of the two dimensions are
2³⁴ - s and s. An access to row r of the slice uses the coordinates

    (R, first_row + row_count, …, R - row_count + r, …)

Its offset is R·(2³⁴ - s) + (first_row + row_count)·s + (R - row_count + r)·s, which is
2⁶⁴ + (first_row + r)·s, and addresses are computed modulo 2⁶⁴. The last coordinate is below R
exactly if r < row_count.
"""

# pyright: reportAssignmentType=false, reportArgumentType=false
from __future__ import annotations

from typing import Any

import weft.language as tl
from weft.errors import LaunchError
from weft.kernel.jit import jit
from weft.launch.tensor_descriptor import TensorDescriptor

__all__ = [
    "atomic_add_ragged",
    "create_ragged_descriptor",
    "load_ragged",
    "store_ragged",
    "to_ragged_indices",
]

_ROWS = 1 << 30
_MANY = 0x7FFF0000  # the extent of the two added dimensions


def create_ragged_descriptor(
    T: Any, block_shape: list[int], ragged_dim: int = 0
) -> TensorDescriptor:
    """Describe a tensor whose slices of rows the functions below access.

    Args:
        T: A tensor of two or three dimensions.
        block_shape: The extents of a block.
        ragged_dim: The dimension of the rows, not the last.

    Raises:
        LaunchError: A rank or an extent does not fit.
    """
    shape, rank = list(T.shape), len(T.shape)
    dimension = ragged_dim + rank if ragged_dim < 0 else ragged_dim
    problems = {
        "last dimension cannot be ragged": not 0 <= dimension < rank - 1,
        "read-write ragged descriptors must have at most 3 dimensions": rank > 3,
        "block shape must have same length as tensor shape": len(block_shape) != rank,
    }
    for message, is_wrong in problems.items():
        if is_wrong:
            raise LaunchError(
                message, found=f"shape {shape}, block {list(block_shape)}, dimension {ragged_dim}"
            )
    if shape[dimension] > _ROWS:
        raise LaunchError("number of rows may not exceed 2**30", found=shape[dimension])
    shape[dimension] = _ROWS
    strides = [T.stride(axis) for axis in range(rank)]
    row_stride = strides[dimension]
    return TensorDescriptor(
        T,
        [_MANY, _MANY, *shape],
        [(1 << 34) - row_stride, row_stride, *strides],
        [1, 1, *block_shape],
    )


@jit
def to_ragged_indices(slice_off, slice_size, row):
    """Compute the two added coordinates and that of the row."""
    last: tl.constexpr = 0x40000000
    return last, slice_off + slice_size, last - slice_size + row


@jit
def load_ragged(TMA, slice_off, slice_size, coords, ragged_dim: tl.constexpr = 0):
    """Load a block at `coords` of the slice; rows after its end are zero."""
    tl.static_assert(
        len(TMA.shape) == len(coords) + 2, "TMA must be a read-write ragged descriptor"
    )
    first, second, row = to_ragged_indices(slice_off, slice_size, coords[ragged_dim])
    block = TMA.load([first, second, *coords[:ragged_dim], row, *coords[ragged_dim + 1 :]])
    return tl.reshape(block, block.shape[2:])


@jit
def store_ragged(TMA, slice_off, slice_size, coords, data, ragged_dim: tl.constexpr = 0):
    """Store a block at `coords` of the slice, except rows after its end."""
    first, second, row = to_ragged_indices(slice_off, slice_size, coords[ragged_dim])
    block = tl.reshape(data, [1, 1, *data.shape])
    TMA.store([first, second, *coords[:ragged_dim], row, *coords[ragged_dim + 1 :]], block)


@jit
def atomic_add_ragged(TMA, slice_off, slice_size, coords, data, ragged_dim: tl.constexpr = 0):
    """Atomically add a block at `coords` of the slice, except rows after its end."""
    first, second, row = to_ragged_indices(slice_off, slice_size, coords[ragged_dim])
    block = tl.reshape(data, [1, 1, *data.shape])
    TMA.atomic_add([first, second, *coords[:ragged_dim], row, *coords[ragged_dim + 1 :]], block)
