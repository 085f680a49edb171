"""Encode the arguments of a launch as the arguments of the compiled entry.

    an array of float16       its address
    100, declared u32         the number
    0.5, declared bf16        the bits of the bfloat16, rounded to nearest even
    a tensor descriptor       base, shape, strides, whether loads pad with NaN, whether they round
                              to TF32; then shape and strides for the kernel's own use
    the same, loaded by TMA   a CUtensorMap, then shape and strides

The encoded values have the `struct` formats of `weft.compiler.argument_formats`.
"""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from typing import Any, SupportsFloat

from msgspec import Struct

from weft.compiler.argument_formats import DESCRIPTOR_PREFIX, descriptor_form, type_formats
from weft.compiler.artifact import TensorMapInfo
from weft.compiler.signature import Signature
from weft.compiler.signature_types import Path
from weft.launch.array_types import Descriptor
from weft.launch.arrays import address, item_at
from weft.launch.drivers.cuda.tensor_map import encode_tensor_map

__all__ = [
    "Encoder",
    "ParameterEncoding",
    "encode_arguments",
    "overflow_to_infinity",
    "parameter_encodings",
]

Encoder = Callable[[Any], Sequence[object]]
"""Maps the value of a parameter to the values of its entry arguments.

The type of the value depends on the parameter.
"""


class ParameterEncoding(Struct, frozen=True):
    """How a parameter of a kernel becomes arguments of its entry.

    Attributes:
        index: Position of the parameter.
        formats: `struct` formats of the entry's arguments.
        encode: Computes their values.
        is_identity: Whether it is one number or address that is passed unchanged.
    """

    index: int
    formats: tuple[str, ...]
    encode: Encoder
    is_identity: bool


def parameter_encodings(
    signature: Signature, formats: Sequence[str], tensor_maps: Sequence[TensorMapInfo] = ()
) -> list[ParameterEncoding]:
    """List the encodings of the parameters that are not constants.

    Args:
        signature: The kernel's signature.
        formats: The `struct` formats of all arguments of the entry.
        tensor_maps: The descriptors that the entry takes as tensor maps.
    """
    by_parameter: dict[int, list[tuple[Path, ParameterEncoding]]] = {}
    for path, encoding in _leaf_encodings(signature, formats, tensor_maps):
        by_parameter.setdefault(path[0], []).append((path[1:], encoding))
    return [
        leaves[0][1] if not leaves[0][0] else _tuple_encoding(index, leaves)
        for index, leaves in by_parameter.items()
    ]


def _leaf_encodings(
    signature: Signature, formats: Sequence[str], tensor_maps: Sequence[TensorMapInfo]
) -> list[tuple[Path, ParameterEncoding]]:
    """List path and encoding of every runtime argument, items of tuples on their own."""
    remaining_maps, remaining_formats = iter(tensor_maps), list(formats)
    encodings: list[tuple[Path, ParameterEncoding]] = []
    for path, type_name in signature.runtime_arguments():
        is_descriptor = type_name.startswith(DESCRIPTOR_PREFIX)
        form = descriptor_form(remaining_formats) if is_descriptor else "tensor"
        encode: Encoder
        if form == "TMA":
            encode = partial(_encode_for_tma, next(remaining_maps))
        elif form == "TDM":
            encode = _encode_for_tdm
        elif is_descriptor:
            encode = _encode_descriptor
        elif type_name.startswith("*"):
            encode = _encode_pointer
        else:
            encode = _NUMBER_ENCODERS.get(type_name, _encode_number)
        count = len(type_formats(type_name, form))
        own_formats = tuple(remaining_formats[:count])
        del remaining_formats[:count]
        is_identity = not is_descriptor and type_name != "bf16"
        encodings.append((path, ParameterEncoding(path[0], own_formats, encode, is_identity)))
    return encodings


def _tuple_encoding(
    index: int, leaves: Sequence[tuple[Path, ParameterEncoding]]
) -> ParameterEncoding:
    formats = tuple(format_ for _, leaf in leaves for format_ in leaf.formats)
    encode = partial(_encode_tuple, [(path, leaf.encode) for path, leaf in leaves])
    return ParameterEncoding(index, formats, encode, is_identity=False)


def encode_arguments(
    parameters: Sequence[ParameterEncoding], values: Sequence[object]
) -> list[object]:
    """Compute the values of all arguments of the entry.

    Args:
        parameters: The encodings of the parameters.
        values: One value per parameter, constants included.

    Raises:
        LaunchError: A descriptor that TMA does not support.
    """
    return [value for each in parameters for value in each.encode(values[each.index])]


def overflow_to_infinity(formats: Iterable[str], values: Iterable[float]) -> list[float]:
    """Replace the numbers that a narrower float cannot hold by infinity.

    `struct` raises OverflowError for these, where C converts them to infinity.
    """
    results: list[float] = []
    for format_, value in zip(formats, values, strict=True):
        try:
            struct.pack(format_, value)
            results.append(value)
        except OverflowError:
            results.append(math.copysign(math.inf, value))
    return results


def _encode_tuple(leaves: Sequence[tuple[Path, Encoder]], value: object) -> list[object]:
    arguments: list[object] = []
    for path, encode in leaves:
        arguments += encode(item_at(value, path))
    return arguments


def _encode_for_tma(info: TensorMapInfo, value: Descriptor) -> tuple[object, ...]:
    (base,) = _encode_pointer(value.base)
    pads_with_nan, rounds_to_tf32 = _load_options(value)
    return _tensor_map_arguments(
        info, base, tuple(value.shape), tuple(value.strides), pads_with_nan, rounds_to_tf32
    )


@lru_cache(maxsize=4096)
def _tensor_map_arguments(
    info: TensorMapInfo,
    base: int,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    pads_with_nan: bool,
    rounds_to_tf32: bool,
) -> tuple[object, ...]:
    element = "tf32" if rounds_to_tf32 and info.element == "f32" else info.element
    sizes, steps = tuple(map(int, shape)), tuple(map(int, strides))
    tensor_map = encode_tensor_map(
        base, element, sizes, steps, info.box, info.swizzle_bytes, pads_with_nan
    )
    return tensor_map, *sizes, *steps


def _encode_descriptor(value: Descriptor) -> tuple[object, ...]:
    """Encode a descriptor for a kernel that computes the addresses itself."""
    shape, strides = tuple(map(int, value.shape)), tuple(map(int, value.strides))
    return *_encode_pointer(value.base), *shape, *strides, *_load_options(value), *shape, *strides


def _encode_for_tdm(value: Descriptor) -> tuple[object, ...]:
    """Encode a descriptor from which the kernel computes the words of TDM."""
    return (*_encode_pointer(value.base), *map(int, value.shape), *map(int, value.strides))


def _load_options(descriptor: Descriptor) -> tuple[bool, bool]:
    """Read whether loads outside of the tensor return NaN, and whether they round to TF32."""
    pads_with_nan = getattr(descriptor, "padding", "zero") == "nan"
    return pads_with_nan, bool(getattr(descriptor, "round_f32_to_tf32", False))


def _encode_pointer(value: object) -> tuple[int]:
    return (value if type(value) is int else address(value),)


def _encode_number(value: object) -> tuple[object]:
    to_number = getattr(value, "item", None)
    return (value if to_number is None else to_number(),)


def _encode_bfloat16(value: float) -> tuple[int]:
    """Compute the bits of a number as bfloat16, rounded to nearest, ties to even."""
    single = ctypes.c_float(value).value  # infinity where a float32 overflows
    (bits,) = struct.unpack("<I", struct.pack("<f", single))
    is_nan = bits & 0x7FFFFFFF > 0x7F800000
    if is_nan:
        return (bits >> 16 | 0x40,)
    return (bits + 0x7FFF + (bits >> 16 & 1) >> 16,)


def _encode_flag(value: object) -> tuple[bool]:
    return (bool(value),)


def _encode_float(value: SupportsFloat) -> tuple[float]:
    return (float(value),)


_NUMBER_ENCODERS: dict[str, Encoder] = {
    "bf16": _encode_bfloat16,
    "u1": _encode_flag,
    **dict.fromkeys(("fp16", "fp32", "fp64"), _encode_float),
}
