"""Types of LLVM IR, and the numpy arrays that hold a value of one for every thread.

    float                    float32, one per thread           <4 x half>     float16, 4 per thread
    ptr addrspace(3)         int64, the address                { i32, i1 }    a tuple of arrays

Integers are signless: they are held signed, and an operation that reads them unsigned views them
so.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import ml_dtypes
import numpy as np

from weft.errors import CodegenError

__all__ = ["Type", "dtype_of", "parse_type"]

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
    "i128": np.dtype(np.object_),  # numbers of Python's, not below zero
    "ptr": np.dtype(np.int64),
}
_POINTER_BYTES = {3: 4, 5: 4, 7: 4}


@dataclass(frozen=True, slots=True)
class Type:
    """A type: a scalar's name, how many of it a vector has, or the members of a struct.

    count: 0 for a scalar.  space: of a pointer.
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
        """The bytes of one element in memory."""
        if self.name == "ptr":
            return _POINTER_BYTES.get(self.space, 8)
        return dtype_of(self).itemsize

    @property
    def bits_each(self) -> int:
        """The bits of one element."""
        return 1 if self.name == "i1" else 8 * self.bytes_each


def dtype_of(type_: Type) -> np.dtype:
    """Return the numpy type of the elements.

    Raises: CodegenError: there is none, for an integer of an odd width.
    """
    found = _SCALARS.get(type_.name)
    if found is None:
        raise CodegenError(f"the simulator has no {type_.name}", accepted=_SCALARS)
    return found


@lru_cache(maxsize=4096)
def parse_type(text: str) -> tuple[Type, str]:
    """Return the type that a text starts with, and the rest of the text."""
    text = text.lstrip()
    if text.startswith("<"):
        count, _, rest = text[1:].partition(" x ")
        element, rest = parse_type(rest)
        return Type(element.name, int(count), element.space), rest.lstrip()[1:].lstrip()
    if text.startswith("{"):
        return _struct(text)
    end = 0
    while end < len(text) and (text[end].isalnum()):
        end += 1
    name, rest = text[:end], text[end:].lstrip()
    if name == "ptr" and rest.startswith("addrspace("):
        space, _, rest = rest[len("addrspace(") :].partition(")")
        return Type("ptr", 0, int(space)), rest.lstrip()
    return Type(name), rest


def _struct(text: str) -> tuple[Type, str]:
    members, rest = [], text[1:].lstrip()
    while not rest.startswith("}"):
        member, rest = parse_type(rest)
        members.append(member)
        rest = rest.lstrip(", ")
    return Type("struct", 0, 0, tuple(members)), rest[1:].lstrip()
