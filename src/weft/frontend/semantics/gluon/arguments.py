"""Checks of the arguments of Gluon's builtins, with Triton's wording."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

from weft.errors import TypeMismatchError
from weft.frontend.semantics.values import TensorValue, Value, describe
from weft.gluon.layouts import DistributedLayout, SharedLayout
from weft.language.dtypes import dtype

__all__ = [
    "distributed_layout",
    "element_type",
    "integer",
    "integers",
    "require",
    "require_equal_ranks",
    "shared_layout",
    "tensor",
]

_MAX_RANK = 5  # of a tensor descriptor of TMA or TDM


def require(condition: bool, message: str, found: object = None) -> None:
    """Check a rule.

    Raises:
        TypeMismatchError: The condition is false.
    """
    if not condition:
        raise TypeMismatchError(message, found=found)


def require_equal_ranks(
    shape: Sequence[object], strides: Sequence[object], block_shape: Sequence[object]
) -> None:
    """Check that the arguments of a tensor descriptor have the same number of dimensions, 1 to 5.

    Raises:
        TypeMismatchError: They do not.
    """
    rank = len(shape)
    require(1 <= rank <= _MAX_RANK, f"Expected 1 <= ndim <= 5 but got {rank} dimensions", rank)
    require(len(strides) == rank, f"Expected {rank} strides but got {len(strides)}", len(strides))
    require(
        len(block_shape) == rank,
        f"Expected block_shape to have {rank} dimensions but got {len(block_shape)}",
        len(block_shape),
    )


def tensor(name: str, value: Value) -> TensorValue:
    """Check that an argument is a tensor."""
    if not isinstance(value, TensorValue):
        raise TypeMismatchError(
            f"expected '{name}' to be a tensor, but got a {describe(value)}", found=describe(value)
        )
    return value


def distributed_layout(value: Value, name: str = "layout") -> DistributedLayout:
    """Check that an argument is a layout of registers."""
    if not isinstance(value, DistributedLayout):
        raise TypeMismatchError(
            f"expected '{name}' to be a DistributedLayout but got {value}", found=describe(value)
        )
    return value


def shared_layout(value: Value, name: str = "layout") -> SharedLayout:
    """Check that an argument is a layout of shared memory."""
    if not isinstance(value, SharedLayout):
        raise TypeMismatchError(
            f"expected '{name}' to be a SharedLayout but got {value}", found=describe(value)
        )
    return value


def element_type(value: Value, name: str = "element_ty") -> dtype:
    """Check that an argument is an element type."""
    if not isinstance(value, dtype) or value.is_block():
        raise TypeMismatchError(
            f"expected '{name}' to be a dtype but got {value}", found=describe(value)
        )
    return value


def integer(name: str, value: Value) -> int:
    """Check that an argument is a compile-time integer."""
    if not isinstance(value, int):
        raise TypeMismatchError(
            f"expected '{name}' to be an int but got {describe(value)}",
            found=describe(value),
            accepted=("a compile-time integer",),
        )
    return int(value)


def integers(name: str, values: Value) -> tuple[int, ...]:
    """Check that an argument is a list of compile-time integers."""
    if not _is_sequence(values) or not all(isinstance(value, int) for value in values):
        raise TypeMismatchError(
            f"all elements of '{name}' must be integers but got {values}", found=describe(values)
        )
    return tuple(int(value) for value in values if isinstance(value, int))


def _is_sequence(values: Value) -> TypeGuard[Sequence[object]]:
    return isinstance(values, tuple | list)
