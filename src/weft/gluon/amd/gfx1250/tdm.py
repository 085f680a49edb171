"""The tensor data mover (TDM): asynchronous copies of blocks by a tensor descriptor."""

from __future__ import annotations

from weft.gluon.builtin import builtin_of
from weft.gluon.nvidia.hopper.tma import tensor_descriptor
from weft.gluon.types import tensor_descriptor_type

__all__ = [
    "async_gather",
    "async_load",
    "async_scatter",
    "async_store",
    "async_wait",
    "make_tensor_descriptor",
    "prefetch",
    "tensor_descriptor",
    "tensor_descriptor_type",
]

_declare = builtin_of("amd.gfx1250.tdm")


@_declare
def make_tensor_descriptor(base, shape, strides, block_shape, layout):
    """Return a tensor descriptor.

    Args:
        base: The pointer to the tensor's first element.
        shape: The extents of the tensor.
        strides: The strides in elements.
        block_shape: The shape of a block.
        layout: The layout of a block in LDS, padded or not swizzled.
    """


@_declare
def async_load(src, offsets, dest, pred=1, mbarrier=None):
    """Start to copy a block from global memory.

    Args:
        src: The tensor descriptor.
        offsets: The coordinates of the block's first element.
        dest: The buffer in LDS.
        pred: No effect if it is 0.
        mbarrier: An mbarrier to arrive on once the copy is complete.
    """


@_declare
def async_store(dest, offsets, src, mbarrier=None):
    """Start to copy a block to global memory.

    Args:
        dest: The tensor descriptor.
        offsets: The coordinates of the block's first element.
        src: The buffer in LDS.
        mbarrier: An mbarrier to arrive on once the copy is complete.
    """


@_declare
def async_wait(num_outstanding=0):
    """Wait until at most `num_outstanding` copies are not complete."""


@_declare
def async_scatter(desc, dst_row_indices, dst_col_offset, src, mbarrier=None):
    """Start to copy rows to global memory.

    Args:
        desc: The tensor descriptor, of two dimensions.
        dst_row_indices: The rows, a tensor of int16 or int32 with one dimension.
        dst_col_offset: The first column.
        src: The buffer in LDS, of two dimensions.
        mbarrier: An mbarrier to arrive on once the copy is complete.
    """


@_declare
def async_gather(desc, src_row_indices, src_col_offset, dst, mbarrier=None):
    """Start to copy rows from global memory.

    Args:
        desc: The tensor descriptor, of two dimensions.
        src_row_indices: The rows, a tensor of int16 or int32 with one dimension.
        src_col_offset: The first column.
        dst: The buffer in LDS, of two dimensions.
        mbarrier: An mbarrier to arrive on once the copy is complete.
    """


@_declare
def prefetch(src, offsets, pred=True, speculative=False):
    """Start to load a block to the L2 cache.

    Args:
        src: The tensor descriptor.
        offsets: The coordinates of the block's first element.
        pred: No effect if it is false.
        speculative: Whether to drop accesses whose address translation is not cached.
    """


@_declare
def _test_prefetch_with_offsets(src, offsets, pred=True, speculative=False):
    """Start to load a block to the L2 cache; return the offsets of the accesses."""
