"""Atomic read-modify-write operations on memory.

All of them return the value in memory before the operation. Common parameters:

    pointer   a pointer or a block of pointers
    val       the operand, broadcast to the shape of `pointer` and converted to its element type
    mask      elements for which it is false are not accessed
    sem       memory semantics: "acq_rel" (default), "acquire", "release" or "relaxed"
    scope     the threads that observe the order: "gpu" (default), "cta" or "sys"
"""

from __future__ import annotations

from weft.language.builtin import builtin


@builtin
def atomic_cas(pointer, cmp, val, sem=None, scope=None):
    """Compare and swap: write `val` where memory equals `cmp`; 16, 32 or 64 bits wide."""


@builtin
def atomic_xchg(pointer, val, mask=None, sem=None, scope=None):
    """Exchange: write `val`."""


@builtin
def atomic_add(pointer, val, mask=None, sem=None, scope=None):
    """Add `val` to the value in memory."""


@builtin
def atomic_max(pointer, val, mask=None, sem=None, scope=None):
    """Write the larger of `val` and the value in memory."""


@builtin
def atomic_min(pointer, val, mask=None, sem=None, scope=None):
    """Write the smaller of `val` and the value in memory."""


@builtin
def atomic_and(pointer, val, mask=None, sem=None, scope=None):
    """Write the bitwise and of `val` and the integer in memory."""


@builtin
def atomic_or(pointer, val, mask=None, sem=None, scope=None):
    """Write the bitwise or of `val` and the integer in memory."""


@builtin
def atomic_xor(pointer, val, mask=None, sem=None, scope=None):
    """Write the bitwise exclusive or of `val` and the integer in memory."""
