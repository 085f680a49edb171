"""What machine code asks Python for: the bytes of arguments that it does not look at itself.

    read = reader(descriptor, parameter, device, tensors)
    read(other)                      # the bytes of its arguments, each from a word of its own on;
                                     # None: the launch is not like the one that was planned

A reader that is quick for what mostly comes stands before the one that is right for anything.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any

from weft.runtime.arguments import Write, Written, fitting
from weft.runtime.arrays import is_descriptor
from weft.runtime.foreign import is_foreign_array
from weft.runtime.forms import form, is_ready

__all__ = ["WORD", "Reader", "layout_of", "reader"]

WORD = 8
_ALIGNMENT = 16
_MOST_DESCRIPTORS = 1024  # whose bytes a plan keeps

Reader = Callable[[Any], "bytes | None"]


def layout_of(formats: Sequence[str]) -> struct.Struct:
    """Return what writes arguments, each from a word of its own on."""
    parts: list[str] = []
    for format_ in formats:
        parts.append("Q" if format_ == "P" else format_)
        if rest := -struct.calcsize(format_) % WORD:
            parts.append(f"{rest}x")
    return struct.Struct("=" + "".join(parts))


def reader(value: Any, parameter: Written, device: int, tensors: tuple[type, ...]) -> Reader | None:
    """Return what gives the bytes of arguments like this one; None where it has no form.

    Args: value: the argument.  parameter: how it is written.  device: the GPU.  tensors: torch's
          classes.
    """
    known = form(value, device)
    if known is None:
        return None
    key, pack, write = known[0], layout_of(parameter.formats).pack, parameter.write

    def read(given: Any) -> bytes | None:
        found = form(given, device)
        if found is None or found[0] != key:
            return None
        arguments = write(found[1])
        try:
            return pack(*arguments)
        except OverflowError:
            return pack(*fitting(parameter.formats, arguments))

    if is_descriptor(value) and type(value.base) in tensors:
        return _of_descriptors(read, tensors)
    if parameter.formats == ("P",) and is_foreign_array(value):
        return _of_cuda_arrays(read, value, device)
    if type(value) is float and parameter.formats == ("H",):
        return _of_floats(write, pack)
    return read


def _of_floats(write: Write, pack: Callable[..., bytes]) -> Reader:
    """Return what reads floats that are written as a bf16."""

    def quick(given: Any) -> bytes | None:
        return pack(*write(given)) if type(given) is float else None

    return quick


def _of_cuda_arrays(read: Reader, value: Any, device: int) -> Reader:
    """Return what reads arrays of the class of one, by their `__cuda_array_interface__`.

    It looks at what tells them apart, and leaves to `read` those that say anything else.
    """
    said = getattr(value, "__cuda_array_interface__", None)
    if said is None or getattr(getattr(value, "device", None), "id", None) != device:
        return read
    kind, element, is_aligned = type(value), said["typestr"], said["data"][0] % _ALIGNMENT == 0
    pack = struct.Struct("=Q").pack

    def quick(given: Any) -> bytes | None:
        if type(given) is not kind:
            return read(given)
        now = given.__cuda_array_interface__
        address = now["data"][0]
        if (
            now["typestr"] == element
            and (address % _ALIGNMENT == 0) is is_aligned
            and is_ready(now.get("stream"), device)
            and now.get("mask") is None
            and given.device.id == device
        ):
            return pack(address)
        return read(given)

    return quick


def _of_descriptors(read: Reader, tensors: tuple[type, ...]) -> Reader:
    """Return what reads descriptors of torch's tensors, and knows the bytes of those it has read.

    What they are known by are their values: a descriptor may be given another tensor in between.
    """
    known: dict[tuple[object, ...], bytes] = {}

    def quick(given: Any) -> bytes | None:
        base = given.base
        if type(base) not in tensors:
            return read(given)
        key = (
            base.data_ptr(),
            base.dtype,
            base.get_device(),
            tuple(given.shape),
            tuple(given.strides),
            tuple(given.block_shape),
            getattr(given, "padding", "zero"),
            getattr(given, "round_f32_to_tf32", False),
        )
        found = known.get(key)
        if found is None and (found := read(given)) is not None:
            if len(known) == _MOST_DESCRIPTORS:
                known.clear()
            known[key] = found
        return found

    return quick
