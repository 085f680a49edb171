"""Reading and writing memory through pointers and block pointers."""

from __future__ import annotations

from weft.language.builtin import builtin


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
    """Return what stands in memory at `pointer`: a scalar, or a block where it is one of pointers.

    Where `mask` is false nothing is read and the element is `other`, or undefined without it; both
    are broadcast to the shape of `pointer`. For a pointer from `make_block_ptr` neither is allowed:
    `boundary_check` lists the dimensions to check, and `padding_option` ("", "zero" or "nan") says
    what stands outside. `cache_modifier` is "", ".ca", ".cg" or ".cv"; `eviction_policy` is "",
    "evict_first" or "evict_last"; `volatile` forbids the compiler to reuse an earlier read.
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
    """Write `value` to memory at `pointer`, where `mask` is true.

    `value` is broadcast to the shape of `pointer` and converted to the type that it points to.
    For a pointer from `make_block_ptr`, `boundary_check` lists the dimensions to check instead of
    a mask. `cache_modifier` is "", ".wb", ".cg", ".cs" or ".wt".
    """


@builtin
def make_block_ptr(base, shape, strides, offsets, block_shape, order):
    """Return a pointer to a block of the tensor at `base`.

    `shape` and `strides` (in elements) describe the tensor and become int64, `offsets` is where the
    block starts and becomes int32, `block_shape` its extents, `order` the dimensions from the one
    that is contiguous to the outermost.
    """


@builtin
def advance(base, offsets):
    """Return the block pointer `base` moved by `offsets` elements, one number per dimension."""
