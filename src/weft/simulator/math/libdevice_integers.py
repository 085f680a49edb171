"""Functions on integers of NVIDIA's library, one number at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

__all__ = ["integer_function"]

Array = Callable[..., np.ndarray]


def _bytes_of(low: int, high: int, selector: int) -> int:
    eight = (low | high << 32).to_bytes(8, "little")
    four = []
    for nibble in (selector >> shift & 15 for shift in (0, 4, 8, 12)):
        byte = eight[nibble & 7]
        four.append((255 if byte & 128 else 0) if nibble & 8 else byte)
    return int.from_bytes(bytes(four), "little")


def _short(x: int) -> int:
    return ((x & 0xFFFFFF) ^ 0x800000) - 0x800000


# name: (of unsigned numbers, bits of an argument, the function)
_FUNCTIONS: dict[str, tuple[bool, int, Callable[..., int]]] = {
    "clz": (True, 32, lambda x: 32 - x.bit_length()),
    "clzll": (True, 64, lambda x: 64 - x.bit_length()),
    "ffs": (True, 32, lambda x: (x & -x).bit_length()),
    "ffsll": (True, 64, lambda x: (x & -x).bit_length()),
    "popc": (True, 32, int.bit_count),
    "popcll": (True, 64, int.bit_count),
    "hadd": (False, 32, lambda x, y: x + y >> 1),
    "rhadd": (False, 32, lambda x, y: x + y + 1 >> 1),
    "uhadd": (True, 32, lambda x, y: x + y >> 1),
    "urhadd": (True, 32, lambda x, y: x + y + 1 >> 1),
    "mulhi": (False, 32, lambda x, y: x * y >> 32),
    "umulhi": (True, 32, lambda x, y: x * y >> 32),
    "mul64hi": (False, 64, lambda x, y: x * y >> 64),
    "umul64hi": (True, 64, lambda x, y: x * y >> 64),
    "mul24": (False, 32, lambda x, y: _short(x) * _short(y)),
    "umul24": (True, 32, lambda x, y: (x & 0xFFFFFF) * (y & 0xFFFFFF)),
    "sad": (False, 32, lambda x, y, z: abs(x - y) + z),
    "usad": (True, 32, lambda x, y, z: abs(x - y) + z),
    "byte_perm": (True, 32, _bytes_of),
}
_COUNTS = ("clzll", "ffsll", "popcll")  # an i32 of an i64


def integer_function(name: str) -> Array | None:
    """Return a function of arrays by its name without `__nv_`, None for one of another kind."""
    if name not in _FUNCTIONS:
        return None
    unsigned, bits, function = _FUNCTIONS[name]
    kind, wide = f"{'u' if unsigned else 'i'}{bits // 8}", 32 if name in _COUNTS else bits

    def run(*arrays: np.ndarray) -> np.ndarray:
        given = [np.ascontiguousarray(each).view(kind) for each in np.broadcast_arrays(*arrays)]
        rows = zip(*(each.ravel().tolist() for each in given), strict=True)
        found = [function(*row) % (1 << wide) for row in rows]
        return np.array(found, f"u{wide // 8}").reshape(given[0].shape).view(f"i{wide // 8}")

    return run
