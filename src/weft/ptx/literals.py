"""Numbers in the text of PTX: 12, 0x7F, 1.5, and floats by their bits, 0f3F800000."""

from __future__ import annotations

import numpy as np

from weft.errors import CodegenError
from weft.ptx.kinds import WHOLE, bits_of, raw

__all__ = ["literal"]


def literal(text: str, kind: str) -> np.ndarray:
    """Return a number as an array of one element, its bits in a type.

    Raises: CodegenError: it is not a number of that type.
    """
    bits = bits_of(kind)
    if kind == "pred":
        return np.array([int(text, 0) != 0])
    whole = WHOLE[bits]
    head = text.lstrip("-")[:2].lower()
    if head in ("0f", "0d"):
        number = np.array([int(text[2:], 16)], WHOLE[32 if head == "0f" else 64])
        if number.itemsize * 8 == bits:
            return number
        if kind == "f64":  # 0f in a place for f64
            return raw(number.view(np.float32), kind)
        raise CodegenError(f"not a number of type {kind}", found=text)
    if kind in ("f32", "f64"):
        return raw(np.array([float(text)]), kind)
    if "." in text:
        raise CodegenError(f"not a number of type {kind}", found=text)
    number = int(text.rstrip("U"), 0) if "x" in text else int(text.rstrip("U"))
    if not -(1 << bits - 1) <= number < 1 << bits:
        raise CodegenError(f"not a number of type {kind}", found=text)
    return np.array([number & (1 << bits) - 1], whole)
