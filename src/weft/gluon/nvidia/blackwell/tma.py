"""TMA with gathers and scatters of rows."""

from __future__ import annotations

from weft.gluon.builtin import builtin_of
from weft.gluon.nvidia.hopper.tma import (
    async_copy_global_to_shared,
    async_copy_shared_to_global,
    make_tensor_descriptor,
    store_wait,
    tensor_descriptor,
    tensor_descriptor_type,
)

__all__ = [
    "async_copy_global_to_shared",
    "async_copy_shared_to_global",
    "async_gather",
    "async_scatter",
    "make_tensor_descriptor",
    "store_wait",
    "tensor_descriptor",
    "tensor_descriptor_type",
]

_declare = builtin_of("nvidia.blackwell.tma")


@_declare
def async_gather(tensor_desc, x_offsets, y_offset, barrier, result, pred=True):
    """Start to copy rows from global memory.

    Args:
        tensor_desc: The tensor descriptor, whose block has one row.
        x_offsets: The rows, a tensor of int32 with one dimension.
        y_offset: The first column.
        barrier: The mbarrier that TMA arrives on with the number of bytes.
        result: The buffer in shared memory.
        pred: No effect if it is false.
    """


@_declare
def async_scatter(tensor_desc, x_offsets, y_offset, src):
    """Start to copy rows to global memory.

    Args:
        tensor_desc: The tensor descriptor, whose block has one row.
        x_offsets: The rows, a tensor of int32 with one dimension.
        y_offset: The first column.
        src: The buffer in shared memory.
    """
