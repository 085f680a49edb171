"""Specialization keys of launch arguments, for the launch cache.

    argument_key((x, 4, None), 0)    (("tuple", (float32, True), (False, False), None),
                                      (address, 4, None))
    argument_key(descriptor, 0)      (("descriptor", (float16, True), (128, 64)), the descriptor)

The key of two arguments is equal only if a kernel is compiled to the same code for both. The value
is what the arguments of the entry are encoded from, with addresses for arrays.

An argument that needs the full launch path has no key: one that it rejects, or one whose data is
ready on another stream than the launch uses.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Protocol, TypeGuard

from weft.errors import LaunchError
from weft.launch.array_protocols import (
    ArrayHeader,
    cuda_interface_header,
    dlpack_header,
    is_protocol_array,
)
from weft.launch.array_types import (
    Array,
    CudaInterfaceArray,
    Descriptor,
    DlpackArray,
    PointerArray,
)
from weft.launch.arrays import address, is_array, is_descriptor
from weft.launch.devices import gpu_of
from weft.launch.streams import dlpack_stream, is_ready_on_current_stream
from weft.launch.tensor_descriptor import with_base
from weft.launch.values import python_number

__all__ = ["KeyAndValue", "argument_key"]

KeyAndValue = tuple[Hashable, object]
"""The key of an argument, and the value that its entry arguments are encoded from."""
KeyFunction = Callable[[Any, int], KeyAndValue | None]
"""Computes the key of a value of one class."""


class _Tensor(PointerArray, Protocol):
    """A torch tensor."""

    def get_device(self) -> int: ...


_INT32, _INT64, _UINT64 = 1 << 31, 1 << 63, 1 << 64
_MAX_CLASSES = 256
_key_functions: dict[type, KeyFunction] = {}


def argument_key(value: object, gpu: int) -> KeyAndValue | None:
    """Compute the key of an argument for a launch on a GPU; None if it has none.

    Args:
        value: The argument.
        gpu: The number of the GPU.
    """
    cls = type(value)
    function = _key_functions.get(cls)
    if function is None:
        if len(_key_functions) == _MAX_CLASSES:  # a program that creates classes in a loop
            _key_functions.clear()
        function = _key_functions[cls] = _key_function(value)
    try:
        return function(value, gpu)
    except (AttributeError, LaunchError, TypeError, ValueError):
        return None  # a malformed array: the full path reports it


def _key_function(value: object) -> KeyFunction:
    """Find the key function for the class of a value."""
    for matches, function in _KEY_FUNCTIONS:
        if matches(value):
            return function
    return _no_key


def _no_key(value: object, gpu: int) -> KeyAndValue | None:
    return None


def _none_key(value: None, gpu: int) -> KeyAndValue | None:
    return None, None


def _class_key(value: object, gpu: int) -> KeyAndValue | None:
    return type(value), value


def _int_key(value: int, gpu: int) -> KeyAndValue | None:
    is_divisible = value % 16 == 0
    if -_INT32 <= value < _INT32:
        return (value == 1, is_divisible), value
    if -_INT64 <= value < _UINT64:
        return ("i64" if value < _INT64 else "u64", is_divisible), value
    return None


def _tuple_key(value: tuple[object, ...], gpu: int) -> KeyAndValue | None:
    keys: list[Hashable] = [type(value)]
    values: list[object] = []
    for item in value:
        item_key = argument_key(item, gpu)
        if item_key is None:
            return None
        keys.append(item_key[0])
        values.append(item_key[1])
    return tuple(keys), values


def _descriptor_key(value: Descriptor, gpu: int) -> KeyAndValue | None:
    base = argument_key(value.base, gpu)
    if base is None:
        return None
    key = ("descriptor", base[0], tuple(value.block_shape))
    # Encoding a descriptor reads the address of its base, which the two protocols do not offer.
    needs_address = _key_functions.get(type(value.base)) in (_cuda_interface_key, _dlpack_key)
    return key, with_base(value, base[1]) if needs_address else value


def _array_key(value: Array, gpu: int) -> KeyAndValue | None:
    return None if gpu_of(value, "") != gpu else _pointer_key(value.dtype, address(value))


def _tensor_key(value: _Tensor, gpu: int) -> KeyAndValue | None:
    return None if value.get_device() != gpu else _pointer_key(value.dtype, value.data_ptr())


def _cuda_interface_key(value: CudaInterfaceArray, gpu: int) -> KeyAndValue | None:
    return _header_key(cuda_interface_header(value), gpu)


def _dlpack_key(value: DlpackArray, gpu: int) -> KeyAndValue | None:
    return _header_key(dlpack_header(value, dlpack_stream(value)), gpu)


def _header_key(header: ArrayHeader, gpu: int) -> KeyAndValue | None:
    if header.device.type != "cuda" or header.device.index != gpu:
        return None
    if not is_ready_on_current_stream(header.stream, gpu):
        return None
    return _pointer_key(header.dtype, header.address)


def _pointer_key(dtype: Hashable, address_: int) -> KeyAndValue:
    return (dtype, address_ % 16 == 0), address_


def _number_key(value: object, gpu: int) -> KeyAndValue | None:
    number = python_number(value)
    return None if number is None else argument_key(number, gpu)


def _has_cuda_interface(value: object) -> TypeGuard[CudaInterfaceArray]:
    return is_protocol_array(value) and hasattr(value, "__cuda_array_interface__")


# The first row that matches a value serves all values of its class.
_KEY_FUNCTIONS: tuple[tuple[Callable[[object], bool], KeyFunction], ...] = (
    (lambda value: value is None, _none_key),
    (lambda value: type(value) in (bool, float), _class_key),
    (lambda value: type(value) is int, _int_key),
    (lambda value: isinstance(value, tuple), _tuple_key),
    (is_descriptor, _descriptor_key),
    (_has_cuda_interface, _cuda_interface_key),
    (is_protocol_array, _dlpack_key),
    (lambda value: hasattr(value, "get_device") and is_array(value), _tensor_key),
    (is_array, _array_key),
    (lambda value: hasattr(value, "dtype") and python_number(value) is not None, _number_key),
)
