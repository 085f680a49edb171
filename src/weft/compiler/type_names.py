"""Names of types: Triton's signature names, their long spellings and numpy's dtypes.

"fp16", "float16", "tl.float16", "half"    →  "fp16"
np.dtype("float16")                        →  "fp16"
"*const float32", "const *fp32", "*kfp32"  →  "*kfp32"
"""

from __future__ import annotations

import functools
import re

from weft.errors import SignatureError, did_you_mean
from weft.language.dtypes import SIGNATURE_TYPES, dtype

__all__ = [
    "NUMPY_NAMES",
    "SCALARS",
    "annotated_type",
    "canonical_type",
    "integer_range",
    "is_integer",
    "language_dtype",
    "numpy_dtype_name",
    "scalar_name",
]

SCALARS = (
    "u1", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64",
    "fp8e4nv", "fp8e4b8", "fp8e4b15", "fp8e5", "fp8e5b16", "fp16", "bf16", "fp32", "fp64",
)  # fmt: skip

_LONG_NAMES = {
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
_SPELLINGS = {**{name: name for name in SCALARS}, **_LONG_NAMES}

_NUMPY = {
    "u1": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
    "fp8e4nv": "float8_e4m3fn", "fp8e4b8": "float8_e4m3fnuz", "fp8e5": "float8_e5m2",
    "fp8e5b16": "float8_e5m2fnuz", "fp16": "float16", "bf16": "bfloat16",
    "fp32": "float32", "fp64": "float64",
}  # fmt: skip
_NUMPY_STORAGE = {"fp8e4b15": "uint8"}
"""The dtype of the bytes of elements that neither library has."""
NUMPY_NAMES = {numpy: name for name, numpy in _NUMPY.items()}
"""The signature name of each dtype of numpy and ml_dtypes."""

_POINTER = r"(const_)?pointer(?:_type)?<(.*)>"
_DESCRIPTOR = r"tensordesc<\s*(\w+)\s*\[([\d\s,]*)\]\s*(?:,(.*))?>"


def scalar_name(text: str) -> str | None:
    """Find the signature name of an element type in any spelling; None if it is no element type."""
    module, _, stem = text.strip().rpartition(".")
    if module and not module.isidentifier():
        return None
    return _SPELLINGS.get(stem) or _SPELLINGS.get(stem.removesuffix("_t"))


def canonical_type(text: str) -> str:
    """Find the signature name of a type: scalar, pointer, or tensor descriptor.

    Raises:
        SignatureError: Not a type; the hint lists similar names.
    """
    name = text.strip()
    is_const = False
    if name.startswith("const "):
        name, is_const = name.removeprefix("const ").strip(), True
    if name.startswith("*"):
        return _pointer(name[1:], is_const, text)
    if name.endswith("*"):
        return _pointer(name[:-1], is_const, text)
    if (match := re.fullmatch(_POINTER, name)) is not None:
        return _pointer(match[2], is_const or bool(match[1]), text)
    if name.startswith("tensordesc"):
        return _descriptor(name)
    scalar = scalar_name(name)
    if scalar is None or is_const:
        raise _unknown_type(text)
    return scalar


def _pointer(pointee: str, is_const: bool, text: str) -> str:
    inner = pointee.strip()
    for mark in ("const ", "k"):
        if inner.startswith(mark) and scalar_name(inner) is None:
            inner, is_const = inner.removeprefix(mark).strip(), True
    name = _pointer(inner[1:], False, text) if inner.startswith("*") else scalar_name(inner)
    if name is None:
        raise _unknown_type(text)
    return f"*k{name}" if is_const else f"*{name}"


def _descriptor(name: str) -> str:
    match = re.fullmatch(_DESCRIPTOR, name)
    element = scalar_name(match[1]) if match else None
    if match is None or element is None:
        raise SignatureError(
            "a tensor descriptor type needs an element type and a block shape",
            found=name,
            accepted=["tensordesc<fp16[128, 64]>"],
        )
    sizes = [int(size) for size in match[2].split(",") if size.strip()]
    # A descriptor of a Gluon kernel has the layout of a block in shared memory.
    layout = f",{match[3].strip()}" if match[3] else ""
    return f"tensordesc<{element}[{', '.join(map(str, sizes))}]{layout}>"


def _unknown_type(text: str) -> SignatureError:
    stem = text.strip().lstrip("*").rpartition(".")[2].removeprefix("const ").strip()
    return SignatureError(
        f"unknown type {text.strip()!r}",
        found=text.strip(),
        accepted=(*SCALARS, "*<type>", "*k<type>", "tensordesc<type[shape]>"),
        hint=did_you_mean(stem, [*SCALARS, *_LONG_NAMES]),
    )


@functools.cache
def annotated_type(annotation: str) -> str | None:
    """Find the type that a parameter's annotation names; None if it names none."""
    try:
        return canonical_type(annotation.strip("'\"")) if annotation else None
    except SignatureError:
        return None


def numpy_dtype_name(name: str) -> str | None:
    """Find the dtype name of an element type in numpy or ml_dtypes; None if neither has one.

    fp8e4b15 has that of its bytes, as in the IR.
    """
    return _NUMPY.get(name) or _NUMPY_STORAGE.get(name)


def language_dtype(name: str) -> dtype:
    """Get the language's dtype of an element type."""
    return SIGNATURE_TYPES[name]


def integer_range(name: str) -> tuple[int, int]:
    """Compute the least number of an integer type, and the greatest plus one."""
    bits = int(name[1:])
    if name[0] == "u":
        return 0, 1 << bits
    return -(1 << (bits - 1)), 1 << (bits - 1)


def is_integer(name: str) -> bool:
    """Check whether a type is an integer of more than one bit."""
    return name[:1] in "iu" and name != "u1" and name in SCALARS
