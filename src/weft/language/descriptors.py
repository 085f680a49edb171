"""Tensor descriptors: a tensor in memory that is read and written block by block."""

from __future__ import annotations

from weft.language.builtin import builtin, builtin_of

_method = builtin_of("tensor_descriptor")


@builtin
def make_tensor_descriptor(base, shape, strides, block_shape, padding_option="zero"):
    """Return a descriptor of the tensor at `base`, read and written in blocks of `block_shape`.

    `shape` becomes int32 and `strides` (in elements) int64; the last stride must be the constant 1,
    and the last extent of the block at least 16 bytes. `padding_option`, "zero" or "nan", is what a
    read outside of the tensor gives.
    """


@builtin
def load_tensor_descriptor(desc, offsets):
    """Return the block of `desc` that starts at `offsets`; the same as `desc.load(offsets)`."""


@builtin
def store_tensor_descriptor(desc, offsets, value):
    """Write `value` to the block of `desc` that starts at `offsets`; as `desc.store(…)`."""


@_method
def load(desc, offsets):
    """Return the block that starts at `offsets`; what is outside of the tensor is padding."""


@_method
def store(desc, offsets, value):
    """Write `value` to the block that starts at `offsets`; what is outside is dropped."""


@_method
def gather(desc, x_offsets, y_offset):
    """Return the rows `x_offsets` (a block of int32) of a 2-d tensor, from column `y_offset` on."""


@_method
def scatter(desc, value, x_offsets, y_offset):
    """Write `value` to the rows `x_offsets` of a 2-d tensor, from column `y_offset` on."""


@_method
def atomic_add(desc, offsets, value):
    """Add `value` to the block that starts at `offsets`, element by element and atomically."""


@_method
def atomic_min(desc, offsets, value):
    """Put the smaller of `value` and the block at `offsets` there, atomically."""


@_method
def atomic_max(desc, offsets, value):
    """Put the larger of `value` and the block at `offsets` there, atomically."""


@_method
def atomic_and(desc, offsets, value):
    """And `value` into the block at `offsets`, bit by bit and atomically."""


@_method
def atomic_or(desc, offsets, value):
    """Or `value` into the block at `offsets`, bit by bit and atomically."""


@_method
def atomic_xor(desc, offsets, value):
    """Exclusive-or `value` into the block at `offsets`, bit by bit and atomically."""


METHODS = {
    declared.__name__: declared
    for declared in (
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
"""The methods of a descriptor value by name."""
