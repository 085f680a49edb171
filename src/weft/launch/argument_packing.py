"""From the arguments of a launch to the bytes that a kernel reads.

    array of float16       "P"                 its address
    100, declared u32      "i", "I"            the number, as wide as its type
    0.5 as bf16            "H"                 its upper 16 bits, rounded
    tensor descriptor      "P" "qq" "qq" "??"  base, sizes, strides, NaN or 0 outside, round to tf32
                           "ii" "qq"           and its sizes and strides for the kernel's own use
    the same, where the copy engine takes it: "128s", as the driver writes it, "ii" "qq"

Formats are those of `struct`, which aligns them as the kernel does.
"""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from weft.compiler.argument_formats import DESCRIPTOR, formats_of_type
from weft.compiler.artifact import TensorMapFacts
from weft.compiler.signature import Signature
from weft.compiler.signature_types import Path
from weft.launch.arrays import address
from weft.launch.drivers.cuda.tensor_map import tensor_map

__all__ = [
    "Write",
    "Written",
    "fitting",
    "leaves_written",
    "packed",
    "written",
]

Write = Callable[[Any], Sequence[Any]]
"""Takes what a parameter is given; returns what is written for its arguments."""


@dataclass(frozen=True, slots=True)
class Written:
    """How one parameter of a kernel becomes arguments of its entry.

    index: of the parameter.  formats: of its arguments.  write: from what it is given to them.
    as_given: whether it is one number, or one address, that is written as it is.
    """

    index: int
    formats: tuple[str, ...]
    write: Write
    as_given: bool


def leaves_written(
    signature: Signature, formats: Sequence[str], maps: Sequence[TensorMapFacts] = ()
) -> list[tuple[Path, Written]]:
    """Return how everything that is left at run time becomes arguments, items of tuples apart.

    Args: formats: of all arguments.  maps: of the descriptors that the copy engine takes.
    """
    engine, left = iter(maps), list(formats)
    found: list[tuple[Path, Written]] = []
    for path, leaf in signature.runtime_arguments():
        is_descriptor_ = leaf.startswith(DESCRIPTOR)
        if is_descriptor_:
            write = partial(_for_engine, next(engine)) if maps else _for_pointers
        else:
            write = _pointer if leaf.startswith("*") else _NUMBERS.get(leaf, _number)
        count = len(formats_of_type(leaf, bool(maps)))
        own, left = tuple(left[:count]), left[count:]
        as_given = not is_descriptor_ and leaf != "bf16"
        found.append((path, Written(path[0], own, write, as_given)))
    return found


def written(
    signature: Signature, formats: Sequence[str], maps: Sequence[TensorMapFacts] = ()
) -> list[Written]:
    """Return how the parameters become arguments, without those that are constant.

    Args: as of `leaves_written`.
    """
    by_parameter: dict[int, list[tuple[Path, Written]]] = {}
    for path, leaf in leaves_written(signature, formats, maps):
        by_parameter.setdefault(path[0], []).append((path[1:], leaf))
    return [
        leaves[0][1] if not leaves[0][0] else _joined(index, leaves)
        for index, leaves in by_parameter.items()
    ]


def _joined(index: int, leaves: Sequence[tuple[Path, Written]]) -> Written:
    """Return how a tuple becomes arguments."""
    formats = tuple(one for _, leaf in leaves for one in leaf.formats)
    write = partial(_items, [(path, leaf.write) for path, leaf in leaves])
    return Written(index, formats, write, as_given=False)


def packed(parameters: Sequence[Written], values: Sequence[Any]) -> list[Any]:
    """Return what is written for the arguments of a launch.

    Args: values: one per parameter, those that are constant too.
    Raises: LaunchError: a descriptor that the copy engine does not take.
    """
    return [one for each in parameters for one in each.write(values[each.index])]


def fitting(formats: Sequence[str], arguments: Sequence[Any]) -> list[Any]:
    """Return the arguments with infinity in place of what a narrower float cannot hold."""
    found: list[Any] = []
    for format_, value in zip(formats, arguments, strict=True):
        try:
            struct.pack(format_, value)
            found.append(value)
        except OverflowError:
            found.append(math.copysign(math.inf, value))
    return found


def _items(leaves: Sequence[tuple[Path, Write]], value: Any) -> list[Any]:
    """Write the items of a tuple that are left at run time."""
    found: list[Any] = []
    for path, write in leaves:
        item = value
        for index in path:
            item = item[index]
        found += write(item)
    return found


def _for_engine(facts: TensorMapFacts, value: Any) -> tuple[Any, ...]:
    """Return a descriptor as the copy engine takes it, and its sizes and strides."""
    (base,) = _pointer(value.base)
    return _engine_words(facts, base, tuple(value.shape), tuple(value.strides), *_hints(value))


@lru_cache(maxsize=4096)
def _engine_words(
    facts: TensorMapFacts,
    base: int,
    shape: tuple[Any, ...],
    strides: tuple[Any, ...],
    nan: bool,
    rounds: bool,
) -> tuple[Any, ...]:
    box, row_bytes, element = facts
    if rounds and element == "f32":
        element = "tf32"
    sizes, steps = tuple(map(int, shape)), tuple(map(int, strides))
    described = tensor_map(base, element, sizes, steps, box, row_bytes, nan)
    return described, *sizes, *steps


def _for_pointers(value: Any) -> tuple[Any, ...]:
    """Return a descriptor where the kernel computes addresses itself."""
    sizes, strides = tuple(map(int, value.shape)), tuple(map(int, value.strides))
    return *_pointer(value.base), *sizes, *strides, *_hints(value), *sizes, *strides


def _hints(value: Any) -> tuple[bool, bool]:
    """Return whether NaN is read outside of a descriptor's tensor, and whether f32 is rounded."""
    nan = getattr(value, "padding", "zero") == "nan"
    return nan, bool(getattr(value, "round_f32_to_tf32", False))


def _pointer(value: Any) -> tuple[int]:
    """Return the address of an array, or the address that is given."""
    return (value if type(value) is int else address(value),)


def _number(value: Any) -> tuple[Any]:
    return (value.item() if hasattr(value, "item") else value,)


def _bfloat16(value: Any) -> tuple[int]:
    """Return the bits of a number as bfloat16, rounded to nearest, ties to even."""
    single = ctypes.c_float(value).value  # infinity where a float has no room for it
    (bits,) = struct.unpack("<I", struct.pack("<f", single))
    if bits & 0x7FFFFFFF > 0x7F800000:
        return (bits >> 16 | 0x40,)
    return (bits + 0x7FFF + (bits >> 16 & 1) >> 16,)


def _flag(value: Any) -> tuple[bool]:
    return (bool(value),)


def _float(value: Any) -> tuple[float]:
    return (float(value),)


_NUMBERS: dict[str, Write] = {
    "bf16": _bfloat16,
    "u1": _flag,
    **dict.fromkeys(("fp16", "fp32", "fp64"), _float),
}
