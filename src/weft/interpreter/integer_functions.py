"""Functions on integers of the vendors' libraries, by the middle of their names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from weft.interpreter.dtypes import unsigned

__all__ = ["INTEGER"]

INTEGER: dict[str, Callable[..., Any]] = {
    "abs": np.abs,
    "iabs": np.abs,
    "llabs": np.abs,
    "min": np.minimum,
    "max": np.maximum,
    "popc": lambda x: np.bitwise_count(x.view(unsigned(x.dtype))),
    "popcll": lambda x: np.bitwise_count(x.view(unsigned(x.dtype))),
    "clz": lambda x: _leading_zeros(x),
    "clzll": lambda x: _leading_zeros(x),
    "ffs": lambda x: _first_set(x),
    "ffsll": lambda x: _first_set(x),
    "brev": lambda x: _reversed_bits(x),
    "brevll": lambda x: _reversed_bits(x),
    "hadd": lambda x, y: _in_python(_half, x, y),
    "rhadd": lambda x, y: _in_python(lambda a, b: _half(a, b + 1), x, y),
    "mulhi": lambda x, y: _in_python(lambda a, b: a * b >> 32, x, y),
    "mul64hi": lambda x, y: _in_python(lambda a, b: a * b >> 64, x, y),
    "mul24": lambda x, y: _in_python(lambda a, b: a * b, x << 8 >> 8, y << 8 >> 8),
    "sad": lambda x, y, z: _in_python(lambda a, b, c: abs(a - b) + c, x, y, z),
    "uhadd": lambda x, y: _unsigned(_half, x, y),
    "urhadd": lambda x, y: _unsigned(lambda a, b: _half(a, b + 1), x, y),
    "umulhi": lambda x, y: _unsigned(lambda a, b: a * b >> 32, x, y),
    "umul64hi": lambda x, y: _unsigned(lambda a, b: a * b >> 64, x, y),
    "umul24": lambda x, y: _unsigned(lambda a, b: a * b, x & 0xFFFFFF, y & 0xFFFFFF),
    "usad": lambda x, y, z: _unsigned(lambda a, b, c: abs(a - b) + c, x, y, z),
    "byte_perm": lambda x, y, s: _unsigned(_bytes_chosen, x, y, s),
}


def _leading_zeros(x: np.ndarray) -> np.ndarray:
    bits = 8 * x.dtype.itemsize
    rest, count = x.view(unsigned(x.dtype)).copy(), np.full(x.shape, bits)
    while rest.any():
        count -= rest != 0
        rest >>= rest.dtype.type(1)
    return count


def _first_set(x: np.ndarray) -> np.ndarray:
    lowest = x & -x
    return np.where(x == 0, 0, 8 * x.dtype.itemsize - _leading_zeros(lowest))


def _reversed_bits(x: np.ndarray) -> np.ndarray:
    raw = np.ascontiguousarray(x).view(np.uint8).reshape(*x.shape, x.dtype.itemsize)
    bits = np.unpackbits(raw, axis=-1, bitorder="little")[..., ::-1]
    return np.packbits(bits, axis=-1, bitorder="little").view(x.dtype)[..., 0]


def _half(a: int, b: int) -> int:
    return (a + b) >> 1


def _bytes_chosen(low: int, high: int, selector: int) -> int:
    """Return four bytes of eight, each chosen by a nibble; its top bit spreads the byte's sign."""
    whole, found = low | high << 32, 0
    for at in range(4):
        nibble = selector >> 4 * at & 15
        byte = whole >> 8 * (nibble & 7) & 255
        found |= (0xFF * (byte >> 7) if nibble & 8 else byte) << 8 * at
    return found


def _in_python(f: Callable[..., int], *arrays: np.ndarray) -> np.ndarray:
    """Return f of Python's integers, whose products do not wrap around; the result does."""
    given = np.broadcast_arrays(*arrays)
    bits = 8 * given[0].dtype.itemsize
    found = [
        f(*(int(each[at]) for each in given)) % (1 << bits) for at in np.ndindex(given[0].shape)
    ]
    kept = np.array(found, f"u{bits // 8}").reshape(given[0].shape)
    return kept.view(given[0].dtype)


def _unsigned(f: Callable[..., int], *arrays: np.ndarray) -> np.ndarray:
    given = [np.ascontiguousarray(each) for each in arrays]
    return _in_python(f, *(each.view(unsigned(each.dtype)) for each in given))
