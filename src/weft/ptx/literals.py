"""Literals of PTX: 12, 0x7F, 1.5, and floats as their bits, 0f3F800000."""

from __future__ import annotations

import numpy as np

from weft.errors import CodegenError
from weft.ptx.types import UNSIGNED, bits_of, to_bits

__all__ = ["parse_literal"]


def parse_literal(text: str, type_: str) -> np.ndarray:
    """Convert a literal to the bits of a type, as an array of one element.

    Raises:
        CodegenError: It is not a number of that type.
    """
    if type_ == "pred":
        return np.array([int(text, 0) != 0])
    bits = bits_of(type_)
    prefix = text.lstrip("-")[:2].lower()
    if prefix in ("0f", "0d"):
        number = np.array([int(text[2:], 16)], UNSIGNED[32 if prefix == "0f" else 64])
        if number.itemsize * 8 == bits:
            return number
        if type_ == "f64":  # an f32 literal converts to f64
            return to_bits(number.view(np.float32), type_)
        raise CodegenError(f"not a literal of type .{type_}", found=text)
    if type_ in ("f32", "f64"):
        return to_bits(np.array([float(text)]), type_)
    if "." in text:
        raise CodegenError(f"not a literal of type .{type_}", found=text)
    integer = int(text.rstrip("U"), 0) if "x" in text else int(text.rstrip("U"))
    if not -(1 << bits - 1) <= integer < 1 << bits:
        raise CodegenError(f"not a literal of type .{type_}", found=text)
    return np.array([integer & (1 << bits) - 1], UNSIGNED[bits])
