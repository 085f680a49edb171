"""The class of buffers in shared memory, and its methods."""

from __future__ import annotations

from collections.abc import Mapping

from weft.errors import CompilationError
from weft.gluon.builtin import GluonBuiltin, builtin_of

__all__ = ["METHODS", "shared_memory_descriptor"]


class shared_memory_descriptor:
    """A buffer in shared memory: the result of gl.allocate_shared_memory, or a view of one."""

    def __init__(self, *args: object) -> None:
        raise CompilationError(
            "only the compiler creates a gl.shared_memory_descriptor",
            hint="use gl.allocate_shared_memory",
        )


_method = builtin_of("shared_memory_descriptor")


@_method
def load(self, layout):
    """Load the buffer as a tensor of the given layout."""


@_method
def store(self, value):
    """Store a tensor of the buffer's shape and element type."""


@_method
def gather(self, indices, axis):
    """Load the elements whose coordinate along `axis` is given by a tensor of integers.

    Element i of the result is the buffer's element at i, with i[axis] replaced by indices[i].
    """


@_method
def scatter(self, values, indices, axis):
    """Store elements, with their coordinate along `axis` replaced by a tensor of integers."""


@_method
def slice(self, start, length, dim=0):
    """Return the view of `length` rows from `start` along a dimension."""


@_method
def index(self, index):
    """Return the view of one row along the first dimension."""


@_method
def permute(self, order):
    """Return the view with permuted dimensions."""


@_method
def reshape(self, shape):
    """Return the view of another shape."""


@_method
def _reinterpret(self, dtype, shape, layout):
    """Return the view of the same memory as elements of another type, shape and layout."""


@_method
def _keep_alive(self):
    """Keep the allocation alive up to this point."""


METHODS: Mapping[str, GluonBuiltin] = {
    each.__name__: each
    for each in (
        load,
        store,
        gather,
        scatter,
        slice,
        index,
        permute,
        reshape,
        _reinterpret,
        _keep_alive,
    )
}
"""The methods of a buffer in shared memory."""
