"""The arrays among the arguments of a launch: list, replace, and copy them between devices."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from types import EllipsisType
from typing import Any, Protocol, TypeGuard, cast

import numpy as np

from weft.errors import LaunchError
from weft.launch.array_types import Array, PointerArray
from weft.launch.arrays import as_numpy, is_array, is_descriptor, tuple_like
from weft.launch.tensor_descriptor import with_base

__all__ = [
    "Tensor",
    "copy_back",
    "copy_to_gpu",
    "copy_to_host",
    "host_arrays",
    "is_on_gpu",
    "map_arrays",
    "named_arrays",
]


class Tensor(PointerArray, Protocol):
    """A torch tensor."""

    def cpu(self) -> Tensor:
        """Copy it to the host."""
        ...

    def __setitem__(self, index: EllipsisType, value: object, /) -> None:
        """Set all elements."""
        ...


_ARRAY = "an array"  # the parameter's name in messages


def map_arrays(function: Callable[[Array], object], value: object) -> Any:
    """Replace the arrays in an argument: those of tuples and descriptors, too."""
    if isinstance(value, tuple):
        items = [map_arrays(function, item) for item in value]
        return tuple_like(value, items)
    if is_descriptor(value):
        return with_base(value, function(cast("Array", value.base)))
    return function(value) if is_array(value) else value


def named_arrays(values: Mapping[str, object]) -> list[tuple[str, Any]]:
    """List name and value of each array, with the names that the CPU device has for them."""
    arrays: list[tuple[str, Any]] = []
    for name, value in values.items():
        if isinstance(value, tuple):
            arrays += named_arrays({f"{name}[{n}]": item for n, item in enumerate(value)})
        elif is_descriptor(value):
            arrays.append((name, cast("Array", value.base)))
        elif is_array(value):
            arrays.append((name, value))
    return arrays


def host_arrays(values: Mapping[str, object]) -> dict[str, np.ndarray]:
    """Map names to arrays, of arguments whose arrays are numpy's."""
    return cast("dict[str, np.ndarray]", dict(named_arrays(values)))


def is_on_gpu(array: object) -> TypeGuard[Tensor]:
    """Check whether an array is on a GPU."""
    return getattr(getattr(array, "device", None), "type", "") == "cuda"


def copy_to_host(array: object) -> np.ndarray:
    """Copy an array to numpy, with its strides."""
    host_array = array.cpu() if is_on_gpu(array) else array
    return as_numpy(host_array, _ARRAY).copy(order="K")


def copy_to_gpu(array: object, gpu: int) -> Any:
    """Copy an array on the host to a torch tensor on a GPU.

    Raises:
        LaunchError: torch is missing, or the array is not contiguous.
    """
    source = as_numpy(array, _ARRAY)
    try:
        torch = importlib.import_module("torch")
    except ImportError:
        raise LaunchError("a measurement on a GPU needs torch", found="no torch") from None
    if not source.flags.forc:
        raise LaunchError(
            "only contiguous arrays can be copied to a GPU",
            found=f"shape {source.shape}, strides {source.strides} of {source.dtype}",
            accepted=["a contiguous array"],
        )
    # torch does not convert the types of ml_dtypes: they pass as integers of the same size.
    is_numpy_type = source.dtype.kind in "biuf"
    plain = source if is_numpy_type else source.view(f"u{source.itemsize}")
    tensor = torch.from_numpy(plain).to(f"cuda:{gpu}", copy=True)
    return tensor if is_numpy_type else tensor.view(getattr(torch, source.dtype.name, None))


def copy_back(source: object, target: object) -> None:
    """Copy the arrays of one argument to those of another.

    Args:
        source: The argument that a kernel was launched with.
        target: The program's own argument, in host memory.
    """
    if source is target:
        return
    pairs = zip(named_arrays({"": source}), named_arrays({"": target}), strict=True)
    for (_, source_array), (_, target_array) in pairs:
        if source_array is not target_array:
            as_numpy(target_array, _ARRAY)[...] = copy_to_host(source_array)
