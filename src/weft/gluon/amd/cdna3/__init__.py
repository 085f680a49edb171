"""Functions for CDNA3 and later: buffer instructions and MFMA."""

from __future__ import annotations

from weft.gluon.amd.buffer_atomics import buffer_atomic
from weft.gluon.builtin import builtin_of

__all__ = [
    "buffer_atomic_add",
    "buffer_atomic_and",
    "buffer_atomic_max",
    "buffer_atomic_min",
    "buffer_atomic_or",
    "buffer_atomic_xchg",
    "buffer_atomic_xor",
    "buffer_load",
    "buffer_store",
    "mfma",
]

_declare = builtin_of("amd.cdna3")


@_declare
def buffer_load(ptr, offsets, mask=None, other=None, cache=None):
    """Load from a base pointer and a tensor of offsets.

    Args:
        ptr: The base pointer, a scalar.
        offsets: The offsets in elements, a tensor of 32-bit integers.
        mask: Elements to leave out where it is false.
        other: The value of such elements.
        cache: The cache modifier, as for `load`.
    """


@_declare
def buffer_store(stored_value, ptr, offsets, mask=None, cache=None):
    """Store to a base pointer and a tensor of offsets.

    Args:
        stored_value: The tensor.
        ptr: The base pointer, a scalar.
        offsets: The offsets in elements, a tensor of 32-bit integers.
        mask: Elements to leave out where it is false.
        cache: The cache modifier, as for `store`.
    """


@_declare
def mfma(a, b, acc):
    """Return a * b + acc, computed by MFMA instructions."""


_NAMESPACE = "amd.cdna3"
buffer_atomic_add = buffer_atomic(_NAMESPACE, "add")
buffer_atomic_and = buffer_atomic(_NAMESPACE, "and")
buffer_atomic_max = buffer_atomic(_NAMESPACE, "max")
buffer_atomic_min = buffer_atomic(_NAMESPACE, "min")
buffer_atomic_or = buffer_atomic(_NAMESPACE, "or")
buffer_atomic_xchg = buffer_atomic(_NAMESPACE, "xchg")
buffer_atomic_xor = buffer_atomic(_NAMESPACE, "xor")
