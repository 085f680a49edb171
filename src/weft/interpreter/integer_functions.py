"""Integer functions of the vendors' libraries, by their names without prefix and suffix.

__nv_popc, __ocml_popc_u32      "popc"
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from weft.interpreter.dtypes import unsigned

__all__ = ["INTEGER"]

INTEGER: dict[str, Callable[..., np.ndarray]] = {
    "abs": np.abs,
    "iabs": np.abs,
    "llabs": np.abs,
    "min": np.minimum,
    "max": np.maximum,
    "popc": lambda x: np.bitwise_count(x.view(unsigned(x.dtype))),
    "popcll": lambda x: np.bitwise_count(x.view(unsigned(x.dtype))),
    "clz": lambda x: _count_leading_zeros(x),
    "clzll": lambda x: _count_leading_zeros(x),
    "ffs": lambda x: _find_first_set(x),
    "ffsll": lambda x: _find_first_set(x),
    "brev": lambda x: _reverse_bits(x),
    "brevll": lambda x: _reverse_bits(x),
    "hadd": lambda x, y: _with_python_ints(_halve, x, y),
    "rhadd": lambda x, y: _with_python_ints(lambda a, b: _halve(a, b + 1), x, y),
    "mulhi": lambda x, y: _with_python_ints(lambda a, b: a * b >> 32, x, y),
    "mul64hi": lambda x, y: _with_python_ints(lambda a, b: a * b >> 64, x, y),
    "mul24": lambda x, y: _with_python_ints(lambda a, b: a * b, x << 8 >> 8, y << 8 >> 8),
    "sad": lambda x, y, z: _with_python_ints(lambda a, b, c: abs(a - b) + c, x, y, z),
    "uhadd": lambda x, y: _unsigned(_halve, x, y),
    "urhadd": lambda x, y: _unsigned(lambda a, b: _halve(a, b + 1), x, y),
    "umulhi": lambda x, y: _unsigned(lambda a, b: a * b >> 32, x, y),
    "umul64hi": lambda x, y: _unsigned(lambda a, b: a * b >> 64, x, y),
    "umul24": lambda x, y: _unsigned(lambda a, b: a * b, x & 0xFFFFFF, y & 0xFFFFFF),
    "usad": lambda x, y, z: _unsigned(lambda a, b, c: abs(a - b) + c, x, y, z),
    "byte_perm": lambda x, y, s: _unsigned(_permute_bytes, x, y, s),
}


def _count_leading_zeros(x: np.ndarray) -> np.ndarray:
    bits = 8 * x.dtype.itemsize
    remaining, count = x.view(unsigned(x.dtype)).copy(), np.full(x.shape, bits)
    while remaining.any():
        count -= remaining != 0
        remaining >>= remaining.dtype.type(1)
    return count


def _find_first_set(x: np.ndarray) -> np.ndarray:
    lowest = x & -x
    return np.where(x == 0, 0, 8 * x.dtype.itemsize - _count_leading_zeros(lowest))


def _reverse_bits(x: np.ndarray) -> np.ndarray:
    raw = np.ascontiguousarray(x).view(np.uint8).reshape(*x.shape, x.dtype.itemsize)
    bits = np.unpackbits(raw, axis=-1, bitorder="little")[..., ::-1]
    return np.packbits(bits, axis=-1, bitorder="little").view(x.dtype)[..., 0]


def _halve(a: int, b: int) -> int:
    return (a + b) >> 1


def _permute_bytes(low: int, high: int, selector: int) -> int:
    """Select four bytes of eight, each by a nibble; its top bit replicates the sign of the byte."""
    whole, result = low | high << 32, 0
    for position in range(4):
        nibble = selector >> 4 * position & 15
        byte = whole >> 8 * (nibble & 7) & 255
        result |= (0xFF * (byte >> 7) if nibble & 8 else byte) << 8 * position
    return result


def _with_python_ints(f: Callable[..., int], *arrays: np.ndarray) -> np.ndarray:
    """Apply a function to Python's integers, which do not overflow, and wrap its results."""
    operands = np.broadcast_arrays(*arrays)
    first = operands[0]
    bits = 8 * first.dtype.itemsize
    results = [
        f(*(int(operand[index]) for operand in operands)) % (1 << bits)
        for index in np.ndindex(first.shape)
    ]
    return np.array(results, f"u{bits // 8}").reshape(first.shape).view(first.dtype)


def _unsigned(f: Callable[..., int], *arrays: np.ndarray) -> np.ndarray:
    operands = [np.ascontiguousarray(array) for array in arrays]
    return _with_python_ints(f, *(operand.view(unsigned(operand.dtype)) for operand in operands))
