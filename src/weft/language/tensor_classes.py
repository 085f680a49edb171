"""Classes of run-time values, which kernels name in annotations and in isinstance."""

from __future__ import annotations

from abc import ABCMeta
from importlib import import_module
from typing import Any

from weft.errors import CompilationError
from weft.language.base_values import base_type, base_value
from weft.language.builtin import builtin_of
from weft.language.compound_types import block_type
from weft.language.dtypes import dtype
from weft.language.tensor_descriptors import METHODS

# Functions of the language that are also methods of tensors.
_FUNCTIONS_AS_METHODS = frozenset(
    (
        "abs advance argmax argmin associative_scan atomic_add atomic_and atomic_cas atomic_max "
        "atomic_min atomic_or atomic_xchg atomic_xor broadcast_to cast cdiv ceil cos cumprod "
        "cumsum erf exp exp2 expand_dims flip floor gather histogram log log2 max min permute "
        "ravel reduce reduce_or reshape rsqrt sigmoid sin softmax sort split sqrt sqrt_rn store "
        "sum trans view xor_sum"
    ).split()
)
TENSOR_METHODS = frozenset({"item", "logical_and", "logical_or", "to", *_FUNCTIONS_AS_METHODS})
"""The names of the methods of a tensor."""


def tensor_method(name: str) -> Any:
    """Get the function that is a method of tensors."""
    if name in _FUNCTIONS_AS_METHODS:
        return getattr(import_module("weft.language"), name)
    return import_module("weft.language").cast if name == "to" else _METHODS[name]


class _TensorMeta(ABCMeta):
    """Let the class have the functions that are methods: `tl.tensor.sum`."""

    def __getattr__(cls, name: str) -> object:
        if name in TENSOR_METHODS and cls is tensor:
            return tensor_method(name)
        raise AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}")

    def __dir__(cls) -> list[str]:
        return sorted({*super().__dir__(), *TENSOR_METHODS})


class tensor(base_value, metaclass=_TensorMeta):
    """A value that exists at run time: a scalar or a block.

    Attributes:
        handle: The SSA value.
        type: Its type.
        shape: The extent of each dimension, () for a scalar.
        numel: The number of elements.
        dtype: The type of an element.
        T: The transposed matrix.
    """

    handle: object
    type: dtype
    shape: tuple[int, ...]
    numel: int
    dtype: dtype
    T: tensor

    def __init__(self, handle: object, type: dtype) -> None:
        raise CompilationError(
            "only the compiler creates a tl.tensor",
            hint="use tl.full, tl.zeros or tl.arange",
        )


class tensor_descriptor_base(base_value, metaclass=ABCMeta):
    """A tensor descriptor.

    Attributes:
        handle: The SSA value.
        type: Its type.
        block_type: The type of the block that a load returns.
        block_shape: The extents of a block.
        dtype: The type of an element.
    """

    handle: object
    type: object
    block_type: block_type
    block_shape: tuple[int, ...]
    dtype: dtype

    def __init__(self, handle: object, block_type: block_type) -> None:
        raise CompilationError(
            "only the compiler creates a tl.tensor_descriptor",
            hint="use tl.make_tensor_descriptor",
        )


class tensor_descriptor(tensor_descriptor_base):
    """A tensor descriptor with its extents: an argument, or of `tl.make_tensor_descriptor`.

    Attributes:
        shape: The extents of the tensor.
        strides: The strides in elements.
    """

    shape: object
    strides: object

    def __init__(
        self, handle: object, shape: object, strides: object, block_type: block_type
    ) -> None:
        super().__init__(handle, block_type)


class tensor_descriptor_base_type(base_type):
    """The type of a tensor descriptor.

    Attributes:
        block_type: The type of the block that a load returns.
    """

    def __init__(self, block_type: block_type) -> None:
        self.block_type = block_type

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    def __hash__(self) -> int:
        return hash(self.block_type)

    def __str__(self) -> str:
        return f"tensor_descriptor<{self.block_type}>"

    def mangle(self) -> str:
        """Return the type's part of a mangled function name."""
        return f"TD{self.block_type.mangle()}"


class tensor_descriptor_type(tensor_descriptor_base_type):
    """The type of a tensor descriptor with its extents.

    Attributes:
        shape_type: The type of the extents.
        strides_type: The type of the strides.
    """

    def __init__(
        self, block_type: block_type, shape_type: object = None, strides_type: object = None
    ) -> None:
        super().__init__(block_type)
        self.shape_type, self.strides_type = shape_type, strides_type


@builtin_of("tensor")
def item(input):
    """Return the single element of a block as a scalar."""


@builtin_of("tensor")
def logical_and(x, other):
    """Return `x and other`, elementwise."""


@builtin_of("tensor")
def logical_or(x, other):
    """Return `x or other`, elementwise."""


_METHODS = {"item": item, "logical_and": logical_and, "logical_or": logical_or}
for _name, _method in METHODS.items():
    setattr(tensor_descriptor_base, _name, _method)
