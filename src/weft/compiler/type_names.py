"""Names of element types: Triton's signature names, their long spellings and numpy's dtypes.

"fp16", "float16", "tl.float16", "half"  →  "fp16"
np.dtype("float16")                      →  "fp16"
"*const float32", "const *fp32", "*kfp32" →  "*kfp32"
"""

from __future__ import annotations

import functools
import re

from weft.errors import SignatureError, did_you_mean
from weft.language.dtypes import SIGNATURE_TYPES, dtype

SCALARS = (
    "u1", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64",
    "fp8e4nv", "fp8e4b8", "fp8e4b15", "fp8e5", "fp8e5b16", "fp16", "bf16", "fp32", "fp64",
)  # fmt: skip

_LONG = {
    "bool": "u1", "bool_": "u1", "int1": "u1", "uint1": "u1", "i1": "u1",
    "int8": "i8", "int16": "i16", "int32": "i32", "int": "i32", "int64": "i64",
    "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
    "float16": "fp16", "half": "fp16", "bfloat16": "bf16", "float32": "fp32", "float": "fp32",
    "float64": "fp64", "double": "fp64", "f16": "fp16", "f32": "fp32", "f64": "fp64",
    "float8e4nv": "fp8e4nv", "float8_e4m3fn": "fp8e4nv",
    "float8e4b8": "fp8e4b8", "float8_e4m3fnuz": "fp8e4b8", "float8e4b15": "fp8e4b15",
    "float8e5": "fp8e5", "float8_e5m2": "fp8e5",
    "float8e5b16": "fp8e5b16", "float8_e5m2fnuz": "fp8e5b16",
}  # fmt: skip
_SPELLINGS = {**{name: name for name in SCALARS}, **_LONG}

_NUMPY = {
    "u1": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
    "fp8e4nv": "float8_e4m3fn", "fp8e4b8": "float8_e4m3fnuz", "fp8e5": "float8_e5m2",
    "fp8e5b16": "float8_e5m2fnuz", "fp16": "float16", "bf16": "bfloat16",
    "fp32": "float32", "fp64": "float64",
}  # fmt: skip
NUMPY_NAMES = {numpy: name for name, numpy in _NUMPY.items()}

_POINTER = r"(const_)?pointer(?:_type)?<(.*)>"
_DESCRIPTOR = r"tensordesc<\s*(\w+)\s*\[([\d\s,]*)\]\s*>"


def scalar(name: str) -> str | None:
    """Return the signature name of an element type however it is spelt, None if it is not one."""
    before, _, stem = name.strip().rpartition(".")
    if before and not before.isidentifier():
        return None
    return _SPELLINGS.get(stem) or _SPELLINGS.get(stem.removesuffix("_t"))


def canonical(text: str) -> str:
    """Return the signature name of a type: scalar, pointer, or tensor descriptor.

    Raises: SignatureError: not a type; near names are suggested.
    """
    name = text.strip()
    const = False
    if name.startswith("const "):
        name, const = name.removeprefix("const ").strip(), True
    if name.startswith("*"):
        return _pointer(name[1:], const, text)
    if name.endswith("*"):
        return _pointer(name[:-1], const, text)
    if (match := re.fullmatch(_POINTER, name)) is not None:
        return _pointer(match[2], const or bool(match[1]), text)
    if name.startswith("tensordesc"):
        return _descriptor(name)
    found = scalar(name)
    if found is None or const:
        raise unknown(text)
    return found


def _pointer(pointee: str, const: bool, text: str) -> str:
    inner = pointee.strip()
    for mark in ("const ", "k"):
        if inner.startswith(mark) and scalar(inner) is None:
            inner, const = inner.removeprefix(mark).strip(), True
    name = _pointer(inner[1:], False, text) if inner.startswith("*") else scalar(inner)
    if name is None:
        raise unknown(text)
    return f"*k{name}" if const else f"*{name}"


def _descriptor(name: str) -> str:
    match = re.fullmatch(_DESCRIPTOR, name)
    element = scalar(match[1]) if match else None
    if match is None or element is None:
        raise SignatureError(
            "a tensor descriptor names its element type and its block shape",
            found=name,
            accepted=["tensordesc<fp16[128, 64]>"],
        )
    sizes = [int(size) for size in match[2].split(",") if size.strip()]
    return f"tensordesc<{element}[{', '.join(map(str, sizes))}]>"


def unknown(text: str) -> SignatureError:
    """Return the error for a name that is no type, with the near names."""
    stem = text.strip().lstrip("*").rpartition(".")[2].removeprefix("const ").strip()
    return SignatureError(
        f"unknown type {text.strip()!r}",
        found=text.strip(),
        accepted=(*SCALARS, "*<type>", "*k<type>", "tensordesc<type[shape]>"),
        hint=did_you_mean(stem, [*SCALARS, *_LONG]),
    )


@functools.cache
def declared(annotation: str) -> str | None:
    """Return the type that a parameter's annotation names, None where it names none."""
    try:
        return canonical(annotation.strip("'\"")) if annotation else None
    except SignatureError:
        return None


def numpy_name(name: str) -> str | None:
    """Return numpy's (or ml_dtypes') dtype name of an element type, None where it has none."""
    return _NUMPY.get(name)


def element_type(name: str) -> dtype:
    """Return the language's object for an element type, which a constant may be."""
    return SIGNATURE_TYPES[name]


def range_of(name: str) -> tuple[int, int]:
    """Return the least number of an integer type, and the one after the greatest."""
    bits = int(name[1:])
    if name[0] == "u":
        return 0, 1 << bits
    return -(1 << (bits - 1)), 1 << (bits - 1)


def is_integer(name: str) -> bool:
    """Tell whether a signature name is an integer of more than one bit."""
    return name[:1] in "iu" and name != "u1" and name in SCALARS
