"""Loads and stores through pointers and block pointers."""

from __future__ import annotations

from weft.language.builtin import builtin
from weft.language.host_functions import must_use_result


@builtin
def load(
    pointer,
    mask=None,
    other=None,
    boundary_check=(),
    padding_option="",
    cache_modifier="",
    eviction_policy="",
    volatile=False,
):
    """Load a scalar or a block from memory.

    Args:
        pointer: A pointer, a block of pointers, or a block pointer from `make_block_ptr`.
        mask: Elements for which it is false are not loaded; broadcast to the shape of `pointer`.
            Not for block pointers.
        other: The value of masked elements, undefined without it. Not for block pointers.
        boundary_check: The dimensions of a block pointer to check against the tensor's shape.
        padding_option: The value outside of the tensor: "" (undefined), "zero" or "nan".
        cache_modifier: "", ".ca", ".cg" or ".cv".
        eviction_policy: "", "evict_first" or "evict_last".
        volatile: Do not reuse the result of an earlier load.
    """


@builtin
def store(
    pointer,
    value,
    mask=None,
    boundary_check=(),
    cache_modifier="",
    eviction_policy="",
):
    """Store a scalar or a block to memory.

    Args:
        pointer: A pointer, a block of pointers, or a block pointer from `make_block_ptr`.
        value: Broadcast to the shape of `pointer` and converted to its element type.
        mask: Elements for which it is false are not stored. Not for block pointers.
        boundary_check: The dimensions of a block pointer to check against the tensor's shape.
        cache_modifier: "", ".wb", ".cg", ".cs" or ".wt".
        eviction_policy: "", "evict_first" or "evict_last".
    """


@builtin
def make_block_ptr(base, shape, strides, offsets, block_shape, order):
    """Create a pointer to a block of a tensor in memory.

    Args:
        base: The pointer to the first element of the tensor.
        shape: The extents of the tensor, converted to int64.
        strides: The strides in elements, converted to int64.
        offsets: The indices of the block's first element, converted to int32.
        block_shape: The extents of the block.
        order: The dimensions from the fastest-varying one to the slowest.
    """


@must_use_result(
    "Note that tl.advance does not have any side effects. To move the block pointer, you need to "
    "assign the result of tl.advance to a variable."
)
@builtin
def advance(base, offsets):
    """Return the block pointer `base` moved by `offsets[i]` elements along each dimension i."""
