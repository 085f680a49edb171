"""The tensor memory accelerator (TMA): asynchronous copies of blocks by a tensor descriptor."""

from __future__ import annotations

from weft.errors import CompilationError
from weft.gluon.builtin import builtin_of
from weft.gluon.types import tensor_descriptor_type

__all__ = [
    "async_copy_global_to_shared",
    "async_copy_shared_to_global",
    "make_tensor_descriptor",
    "store_wait",
    "tensor_descriptor",
    "tensor_descriptor_type",
]

_declare = builtin_of("nvidia.hopper.tma")


class tensor_descriptor:
    """A tensor descriptor: an argument, or the result of make_tensor_descriptor."""

    def __init__(self, *args: object) -> None:
        raise CompilationError(
            "only the compiler creates a tensor_descriptor", hint="use make_tensor_descriptor"
        )


@_declare
def async_copy_global_to_shared(tensor_desc, coord, barrier, result, pred=True, multicast=False):
    """Start to copy a block from global memory.

    Args:
        tensor_desc: The tensor descriptor.
        coord: The coordinates of the block's first element.
        barrier: The mbarrier that TMA arrives on with the number of bytes.
        result: The buffer in shared memory.
        pred: No effect if it is false.
        multicast: Whether CTAs of a cluster share the copy.
    """


@_declare
def async_copy_shared_to_global(tensor_desc, coord, src):
    """Start to copy a block to global memory.

    Args:
        tensor_desc: The tensor descriptor.
        coord: The coordinates of the block's first element.
        src: The buffer in shared memory.
    """


@_declare
def store_wait(pendings):
    """Wait until at most `pendings` copies to global memory still read shared memory."""


@_declare
def make_tensor_descriptor(base, shape, strides, block_shape, layout, padding_option="zero"):
    """Return a tensor descriptor.

    Args:
        base: The pointer to the tensor's first element, 16-byte aligned.
        shape: The extents of the tensor.
        strides: The strides in elements; the last is 1.
        block_shape: The shape of a block.
        layout: The layout of a block in shared memory, an NVMMASharedLayout.
        padding_option: What elements outside of the tensor are: "zero" or "nan".
    """
