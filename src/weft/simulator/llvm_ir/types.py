"""Types of LLVM IR, and the numpy arrays that hold a value of a type for every thread.

    float                    float32, one per thread           <4 x half>     float16, 4 per thread
    ptr addrspace(3)         int64, the address                { i32, i1 }    a tuple of arrays

LLVM's integers have no sign: arrays hold them as signed, and operations on unsigned integers view
them as such.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import ml_dtypes
import numpy as np

from weft.errors import CodegenError

__all__ = ["Operand", "Type", "dtype_of", "parse_type"]

Operand: TypeAlias = "str | np.ndarray"
"""The name of a value, or a literal as an array of one row."""

_SCALARS = {
    "half": np.dtype(np.float16),
    "bfloat": np.dtype(ml_dtypes.bfloat16),
    "float": np.dtype(np.float32),
    "double": np.dtype(np.float64),
    "i1": np.dtype(np.bool_),
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "i128": np.dtype(np.object_),  # Python integers, not negative
    "ptr": np.dtype(np.int64),
}
_POINTER_BYTES = {3: 4, 5: 4, 7: 4}


@dataclass(frozen=True, slots=True)
class Type:
    """A type of LLVM IR.

    Attributes:
        name: Name of the element type, "i32", or "struct".
        count: Elements of a vector, 0 for a scalar.
        space: Address space of a pointer.
        members: Types of a struct's members.
    """

    name: str
    count: int = 0
    space: int = 0
    members: tuple[Type, ...] = ()

    @property
    def is_float(self) -> bool:
        """Whether the elements are floating-point numbers."""
        return self.name in ("half", "bfloat", "float", "double")

    @property
    def bytes_each(self) -> int:
        """Bytes of one element in memory."""
        if self.name == "ptr":
            return _POINTER_BYTES.get(self.space, 8)
        return dtype_of(self).itemsize

    @property
    def bits_each(self) -> int:
        """Bits of one element."""
        return 1 if self.name == "i1" else 8 * self.bytes_each

    @property
    def size(self) -> int:
        """Bytes of the value in memory."""
        return self.bytes_each * max(1, self.count)


def dtype_of(type_: Type) -> np.dtype:
    """Find the numpy type of the elements.

    Raises:
        CodegenError: There is none, as for an integer of an unusual width.
    """
    dtype = _SCALARS.get(type_.name)
    if dtype is None:
        raise CodegenError(f"the simulator does not support type {type_.name}", accepted=_SCALARS)
    return dtype


@lru_cache(maxsize=4096)
def parse_type(text: str) -> tuple[Type, str]:
    """Read the type at the start of a text; return it and the rest of the text."""
    text = text.lstrip()
    if text.startswith("<"):
        count, _, rest = text[1:].partition(" x ")
        element, rest = parse_type(rest)
        return Type(element.name, int(count), element.space), rest.lstrip()[1:].lstrip()
    if text.startswith("{"):
        return _parse_struct(text)
    end = 0
    while end < len(text) and (text[end].isalnum()):
        end += 1
    name, rest = text[:end], text[end:].lstrip()
    if name == "ptr" and rest.startswith("addrspace("):
        space, _, rest = rest[len("addrspace(") :].partition(")")
        return Type("ptr", 0, int(space)), rest.lstrip()
    return Type(name), rest


def _parse_struct(text: str) -> tuple[Type, str]:
    members: list[Type] = []
    rest = text[1:].lstrip()
    while not rest.startswith("}"):
        member, rest = parse_type(rest)
        members.append(member)
        rest = rest.lstrip(", ")
    return Type("struct", 0, 0, tuple(members)), rest[1:].lstrip()
