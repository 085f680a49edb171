"""Parse the type of a tensor: `tensor<16x16xf16>`, 16x16xf16, or 16x16."""

from __future__ import annotations

import re
from dataclasses import dataclass

from weft.errors import LayoutError

_TYPE = re.compile(r"\s*(?:tensor<(.*)>|(.*?))\s*", re.DOTALL)
_DIMS = re.compile(r"(\d+(?:\s*x\s*\d+)*)(?:\s*x\s*(\S.*))?")
_ELEMENT = re.compile(r"(?:b?f|i|tf|f8E\dM\d\w*|f4E\dM\d\w*|f6E\dM\d\w*)(\d*)")
_NARROW = {"f8": 8, "f6": 6, "f4": 4}


@dataclass(frozen=True, slots=True)
class TensorType:
    """The type of a tensor.

    Attributes:
        shape: Elements per dimension.
        element: Element type; "" if there is none.
        bits: Width of an element; 0 if there is none.
    """

    shape: tuple[int, ...]
    element: str = ""
    bits: int = 0

    def __str__(self) -> str:
        return (
            f"tensor<{'x'.join([*map(str, self.shape), *([self.element] * bool(self.element))])}>"
        )


def read_type(text: str) -> TensorType:
    """Parse a tensor's type.

    Raises:
        LayoutError: Not a tensor type.
    """
    match = _TYPE.fullmatch(text)
    inside = (match[1] or match[2] or "") if match else ""
    parts = _DIMS.fullmatch(inside.strip())
    if parts is None:
        raise LayoutError(
            "cannot read the tensor's type",
            found=text,
            accepted=["tensor<16x16xf16>", "16x16xf16", "16x16"],
        )
    shape = tuple(int(size) for size in parts[1].split("x"))
    element = (parts[2] or "").strip()
    return TensorType(shape, element, _bits(element, text) if element else 0)


def _bits(element: str, text: str) -> int:
    if element.startswith("!tt.ptr<") or element == "index":
        return 64
    match = _ELEMENT.fullmatch(element)
    bits = 0
    if match is not None:
        bits = _NARROW.get(element[:2], 0) if "E" in element else int(match[1] or 0)
    if not bits:
        raise LayoutError(
            f"unknown element type {element}",
            found=text,
            accepted=["f16", "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2", "i1", "i8", "i32", "i64"],
        )
    return bits
