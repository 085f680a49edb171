"""Tensor descriptors: a tensor in memory, accessed in blocks.

Elements of a block outside of the tensor are padding in a load and ignored in a store.
"""

from __future__ import annotations

from weft.language.builtin import builtin, builtin_of

_method = builtin_of("tensor_descriptor")


@builtin
def make_tensor_descriptor(base, shape, strides, block_shape, padding_option="zero"):
    """Create a descriptor of a tensor in global memory.

    Args:
        base: The pointer to the first element, 16-byte aligned.
        shape: The extents of the tensor, 1 to 5 of them, converted to int32.
        strides: The strides in elements, converted to int64; the last is the constant 1.
        block_shape: The extents of a block; the last dimension has at least 16 bytes.
        padding_option: The value of elements outside of the tensor: "zero" or "nan".
    """


@builtin
def load_tensor_descriptor(desc, offsets):
    """Load the block of `desc` that starts at `offsets`, as `desc.load(offsets)`."""


@builtin
def store_tensor_descriptor(desc, offsets, value):
    """Store `value` to the block of `desc` at `offsets`, as `desc.store(offsets, value)`."""


@_method
def load(desc, offsets):
    """Load the block that starts at `offsets`; elements outside of the tensor are padding."""


@_method
def store(desc, offsets, value):
    """Store `value` to the block that starts at `offsets`, except outside of the tensor."""


@_method
def gather(desc, x_offsets, y_offset):
    """Load the rows `x_offsets` (a block of int32) of a 2D tensor, from column `y_offset` on."""


@_method
def scatter(desc, value, x_offsets, y_offset):
    """Store `value` to the rows `x_offsets` of a 2D tensor, from column `y_offset` on."""


@_method
def atomic_add(desc, offsets, value):
    """Atomically add `value` to the block that starts at `offsets`."""


@_method
def atomic_min(desc, offsets, value):
    """Atomically write the smaller of `value` and the block that starts at `offsets`."""


@_method
def atomic_max(desc, offsets, value):
    """Atomically write the larger of `value` and the block that starts at `offsets`."""


@_method
def atomic_and(desc, offsets, value):
    """Atomically write the bitwise and of `value` and the block that starts at `offsets`."""


@_method
def atomic_or(desc, offsets, value):
    """Atomically write the bitwise or of `value` and the block that starts at `offsets`."""


@_method
def atomic_xor(desc, offsets, value):
    """Atomically write the bitwise exclusive or of `value` and the block at `offsets`."""


METHODS = {
    method.__name__: method
    for method in (
        load,
        store,
        gather,
        scatter,
        atomic_add,
        atomic_min,
        atomic_max,
        atomic_and,
        atomic_or,
        atomic_xor,
    )
}
"""The methods of a tensor descriptor, by name."""
