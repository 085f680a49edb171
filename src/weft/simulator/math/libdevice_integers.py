"""Integer functions of NVIDIA's libdevice, one number at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

__all__ = ["integer_function"]


def _byte_perm(low: int, high: int, selector: int) -> int:
    """Select 4 of 8 bytes; a set high bit in a nibble of the selector replicates the sign."""
    source = (low | high << 32).to_bytes(8, "little")
    result = []
    for nibble in (selector >> shift & 15 for shift in (0, 4, 8, 12)):
        byte = source[nibble & 7]
        result.append((255 if byte & 128 else 0) if nibble & 8 else byte)
    return int.from_bytes(bytes(result), "little")


def _sign_extend_24(x: int) -> int:
    return ((x & 0xFFFFFF) ^ 0x800000) - 0x800000


# Name → whether the arguments are unsigned, their bits, the function.
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
    "mul24": (False, 32, lambda x, y: _sign_extend_24(x) * _sign_extend_24(y)),
    "umul24": (True, 32, lambda x, y: (x & 0xFFFFFF) * (y & 0xFFFFFF)),
    "sad": (False, 32, lambda x, y, z: abs(x - y) + z),
    "usad": (True, 32, lambda x, y, z: abs(x - y) + z),
    "byte_perm": (True, 32, _byte_perm),
}
_I32_OF_I64 = ("clzll", "ffsll", "popcll")


def integer_function(name: str) -> Callable[..., np.ndarray] | None:
    """Find a function of arrays by its name without `__nv_`; None if it is not of integers."""
    if name not in _FUNCTIONS:
        return None
    is_unsigned, bits, function = _FUNCTIONS[name]
    dtype = f"{'u' if is_unsigned else 'i'}{bits // 8}"
    result_bits = 32 if name in _I32_OF_I64 else bits

    def run(*arrays: np.ndarray) -> np.ndarray:
        arguments = [
            np.ascontiguousarray(each).view(dtype) for each in np.broadcast_arrays(*arrays)
        ]
        rows = zip(*(each.ravel().tolist() for each in arguments), strict=True)
        results = [function(*row) % (1 << result_bits) for row in rows]
        size = result_bits // 8
        return np.array(results, f"u{size}").reshape(arguments[0].shape).view(f"i{size}")

    return run
