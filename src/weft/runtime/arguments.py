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
import struct
from collections.abc import Callable, Sequence
from typing import Any

from weft.errors import CodegenError
from weft.runtime.arrays import address, is_array, is_descriptor
from weft.runtime.artifact import TensorMapFacts
from weft.runtime.signature import Path, Signature

__all__ = ["formats_of", "is_direct", "packed"]

_FORMATS = {
    "u1": "?", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "u8": "B", "u16": "H", "u32": "I",
    "u64": "Q", "fp16": "e", "bf16": "H", "fp32": "f", "fp64": "d",
}  # fmt: skip
_IN_LLVM = {
    "?": "i1", "b": "i8", "B": "i8", "h": "i16", "i": "i32", "I": "i32", "q": "i64", "Q": "i64",
    "e": "half", "f": "float", "d": "double", "P": "ptr addrspace(1)", "128s": "ptr",
}  # fmt: skip
_DESCRIPTOR = "tensordesc<"


def formats_of(signature: Signature, entry: Sequence[str]) -> tuple[str, ...]:
    """Return how each argument of a kernel's entry is written.

    Args: entry: the types of its arguments in LLVM IR.
    Raises: CodegenError: the entry wants other arguments than the signature has.
    """
    by_engine = _IN_LLVM["128s"] in entry
    pairs = [
        (leaf, one)
        for _, leaf in signature.runtime_arguments()
        for one in _formats(leaf, by_engine)
    ]
    found = ["bfloat" if leaf == "bf16" else _IN_LLVM[one] for leaf, one in pairs]
    if found != list(entry):
        raise CodegenError(
            "the compiled kernel takes other arguments than a launch gives",
            found=", ".join(entry),
            accepted=[", ".join(found)],
        )
    return tuple(one for _, one in pairs)


def _formats(leaf: str, by_engine: bool) -> list[str]:
    if leaf.startswith("*"):
        return ["P"]
    if leaf.startswith(_DESCRIPTOR):
        rank = leaf.count(",") + 1
        parts = ["128s"] if by_engine else ["P", *["q"] * (2 * rank), "?", "?"]
        return [*parts, *["i"] * rank, *["q"] * rank]
    return [_FORMATS[leaf]]


def is_direct(signature: Signature) -> bool:
    """Tell whether every argument is a parameter of its own, written as it is given."""
    return all(
        len(path) == 1 and leaf != "bf16" and not leaf.startswith(_DESCRIPTOR)
        for path, leaf in signature.runtime_arguments()
    )


def packed(
    signature: Signature, values: Sequence[Any], maps: Sequence[TensorMapFacts] = ()
) -> list[Any]:
    """Return what is written for the arguments of a launch.

    Args: values: one per parameter.  maps: of the descriptors that the copy engine takes.
    Raises: LaunchError: a descriptor that it does not take.
    """
    written: list[Any] = []
    engine = iter(maps)
    for path, leaf in signature.runtime_arguments():
        value = _at(values, path)
        if maps and leaf.startswith(_DESCRIPTOR):
            written += _for_engine(value, next(engine))
        else:
            written += _written(value, leaf)
    return written


def _for_engine(value: Any, facts: TensorMapFacts) -> list[Any]:
    """Return a descriptor as the copy engine takes it, and its sizes and strides."""
    from weft.runtime.drivers.cuda_tensor_map import tensor_map

    box, row_bytes, element = facts
    sizes, strides = tuple(map(int, value.shape)), tuple(map(int, value.strides))
    nan = getattr(value, "padding", "zero") == "nan"
    if element == "f32" and getattr(value, "round_f32_to_tf32", False):
        element = "tf32"
    described = tensor_map(address(value.base), element, sizes, strides, box, row_bytes, nan)
    return [described, *sizes, *strides]


def _at(given: Sequence[Any], path: Path) -> Any:
    value = given[path[0]]
    for index in path[1:]:
        value = value[index]
    return value


def _written(value: Any, leaf: str) -> list[Any]:
    if is_array(value):
        return [address(value)]
    if is_descriptor(value):
        sizes, strides = [*map(int, value.shape)], [*map(int, value.strides)]
        nan = getattr(value, "padding", "zero") == "nan"
        rounds = bool(getattr(value, "round_f32_to_tf32", False))
        return [address(value.base), *sizes, *strides, nan, rounds, *sizes, *strides]
    number = _NUMBERS.get(leaf, _same)(value)
    return [number.item() if hasattr(number, "item") else number]


def _same(value: Any) -> Any:
    return value


def _bfloat16(value: Any) -> int:
    """Return the bits of a number as bfloat16, rounded to nearest, ties to even."""
    single = ctypes.c_float(value).value  # infinity where a float has no room for it
    (bits,) = struct.unpack("<I", struct.pack("<f", single))
    if bits & 0x7FFFFFFF > 0x7F800000:
        return bits >> 16 | 0x40
    return bits + 0x7FFF + (bits >> 16 & 1) >> 16


_NUMBERS: dict[str, Callable[[Any], Any]] = {
    "bf16": _bfloat16,
    "u1": bool,
    **dict.fromkeys(("fp16", "fp32", "fp64"), float),
}
