"""The class of buffers in tensor memory, and its methods."""

from __future__ import annotations

from collections.abc import Mapping

from weft.errors import CompilationError
from weft.gluon.builtin import GluonBuiltin, builtin_of
from weft.language.propagate_nan import PropagateNan

__all__ = ["METHODS", "tensor_memory_descriptor"]


class tensor_memory_descriptor:
    """A buffer in tensor memory: the result of allocate_tensor_memory, or a view of one."""

    def __init__(self, *args: object) -> None:
        raise CompilationError(
            "only the compiler creates a tensor_memory_descriptor",
            hint="use allocate_tensor_memory",
        )


_method = builtin_of("tensor_memory_descriptor")


@_method
def load(self, layout):
    """Load the buffer as a tensor of the given layout."""


@_method
def load_min(self, layout, abs=False, propagate_nan=PropagateNan.NONE):
    """Load the buffer, and the minimum of each row.

    Args:
        self: The buffer.
        layout: The layout of the tensor.
        abs: Whether to compare absolute values.
        propagate_nan: ALL for a minimum of NaN if the row has one.
    """


@_method
def load_max(self, layout, abs=False, propagate_nan=PropagateNan.NONE):
    """Load the buffer, and the maximum of each row.

    Args:
        self: The buffer.
        layout: The layout of the tensor.
        abs: Whether to compare absolute values.
        propagate_nan: ALL for a maximum of NaN if the row has one.
    """


@_method
def store(self, value, pred=True):
    """Store a tensor of the buffer's shape and element type, unless `pred` is false."""


@_method
def slice(self, start, length):
    """Return the view of `length` columns from `start`."""


@_method
def index(self, index):
    """Return the view of one buffer along the first dimension."""


@_method
def _reinterpret(self, dtype, shape, layout):
    """Return the view of the same memory as elements of another type, shape and layout."""


METHODS: Mapping[str, GluonBuiltin] = {
    each.__name__: each for each in (load, load_min, load_max, store, slice, index, _reinterpret)
}
"""The methods of a buffer in tensor memory."""
