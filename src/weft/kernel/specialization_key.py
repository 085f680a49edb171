"""What tells a launch's argument from others, quickly, whatever it is.

    form((x, 4, None), 0)    (("tuple", (float32, True), (False, False), None), (address, 4, None))
    form(descriptor, 0)      (("descriptor", (float16, True), (128, 64)), the descriptor)

The first is the same for two arguments only if a kernel is compiled for both alike; the second is
what the arguments of the entry are written from (arguments.py), arrays as addresses. An argument
that a launch must look at in full, to refuse it or because its bytes are ready on another stream
than the launch goes to, has no form.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from weft.errors import LaunchError
from weft.launch.array_protocols import (
    LEGACY_STREAM,
    Glimpse,
    is_foreign_array,
    seen_by_cuda_interface,
    seen_by_dlpack,
)
from weft.launch.arrays import address, is_array, is_descriptor
from weft.launch.devices import device_of, stream_for, torch_stream
from weft.launch.tensor_descriptor import described_by
from weft.launch.values import number_of

__all__ = ["Form", "form", "is_ready"]

Form = tuple[Hashable, Any]
"""What an argument is told by, and what is written of it."""

_INT32, _INT64, _UINT64 = 1 << 31, 1 << 63, 1 << 64
_MOST_CLASSES = 256  # whose readers are kept
_readers: dict[type, Callable[[Any, int], Form | None]] = {}


def form(value: Any, device: int) -> Form | None:
    """Return an argument's form, for a launch on a GPU; None if it has none.

    Args: device: the number of the GPU.
    """
    kind = type(value)
    read = _readers.get(kind)
    if read is None:
        if len(_readers) == _MOST_CLASSES:
            _readers.clear()
        read = _readers[kind] = _reader(value)
    try:
        return read(value, device)
    except (AttributeError, LaunchError, TypeError, ValueError):
        return None  # an array that says of itself what none can be; the launch in full tells


def _reader(value: Any) -> Callable[[Any, int], Form | None]:
    """Return what reads the forms of values of a class."""
    for is_kind, read in _KINDS:
        if is_kind(value):
            return read
    return _unknown


def _unknown(value: Any, device: int) -> Form | None:
    return None


def _of_none(value: None, device: int) -> Form | None:
    return None, None


def _of_plain(value: Any, device: int) -> Form | None:
    return type(value), value


def _of_int(value: int, device: int) -> Form | None:
    if -_INT32 <= value < _INT32:
        return (value == 1, value % 16 == 0), value
    if -_INT64 <= value < _UINT64:
        return ("i64" if value < _INT64 else "u64", value % 16 == 0), value
    return None


def _of_tuple(value: tuple[Any, ...], device: int) -> Form | None:
    keys: list[Hashable] = [type(value)]
    seen: list[Any] = []
    for item in value:
        found = form(item, device)
        if found is None:
            return None
        keys.append(found[0])
        seen.append(found[1])
    return tuple(keys), seen


def _of_descriptor(value: Any, device: int) -> Form | None:
    base = form(value.base, device)
    if base is None:
        return None
    is_foreign = _readers.get(type(value.base)) in (_of_cuda_array, _of_dlpack)
    seen = described_by(value, base[1]) if is_foreign else value
    return ("descriptor", base[0], tuple(value.block_shape)), seen


def _of_array(value: Any, device: int) -> Form | None:
    if device_of(value, "") != device:
        return None
    place = address(value)
    return (value.dtype, place % 16 == 0), place


def _of_tensor(value: Any, device: int) -> Form | None:
    if value.get_device() != device:
        return None
    place = value.data_ptr()
    return (value.dtype, place % 16 == 0), place


def _of_cuda_array(value: Any, device: int) -> Form | None:
    return _of_glimpse(seen_by_cuda_interface(value), device)


def _of_dlpack(value: Any, device: int) -> Form | None:
    return _of_glimpse(seen_by_dlpack(value, stream_for(value)), device)


def _of_glimpse(seen: Glimpse, device: int) -> Form | None:
    if seen.device.type != "cuda" or seen.device.index != device:
        return None
    if not is_ready(seen.stream, device):
        return None
    return (seen.dtype, seen.address % 16 == 0), seen.address


def is_ready(stream: int | None, device: int) -> bool:
    """Tell whether bytes that are ready on a stream may be used on torch's current one as they are.

    Args: stream: as a `__cuda_array_interface__` or a Glimpse says it; None: they are ready.
    """
    if stream is None:
        return True
    current = torch_stream(device) or 0
    return stream == current or (stream == LEGACY_STREAM and not current)


def _of_number(value: Any, device: int) -> Form | None:
    number = number_of(value)
    return None if number is None else form(number, device)


def _is_cuda_array(value: Any) -> bool:
    return is_foreign_array(value) and hasattr(value, "__cuda_array_interface__")


_KINDS: tuple[tuple[Callable[[Any], bool], Callable[[Any, int], Form | None]], ...] = (
    (lambda value: value is None, _of_none),
    (lambda value: type(value) in (bool, float), _of_plain),
    (lambda value: type(value) is int, _of_int),
    (lambda value: isinstance(value, tuple), _of_tuple),
    (is_descriptor, _of_descriptor),
    (_is_cuda_array, _of_cuda_array),
    (is_foreign_array, _of_dlpack),
    (lambda value: hasattr(value, "get_device") and is_array(value), _of_tensor),
    (is_array, _of_array),
    (lambda value: hasattr(value, "dtype") and number_of(value) is not None, _of_number),
)
