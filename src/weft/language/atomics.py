"""Reading, changing and writing memory as one step that no other program can split.

Everywhere: `pointer` is a pointer or a block of them; `val` is broadcast to it and converted to the
type that it points to; `sem` is "acq_rel" (the default), "acquire", "release" or "relaxed"; `scope`
is "gpu" (the default), "cta" or "sys"; where `mask` is false nothing happens. The result is what
stood in memory before.
"""

from __future__ import annotations

from weft.language.builtin import builtin


@builtin
def atomic_cas(pointer, cmp, val, sem=None, scope=None):
    """Write `val` where memory equals `cmp` (16, 32 or 64 bits wide); return what stood there."""


@builtin
def atomic_xchg(pointer, val, mask=None, sem=None, scope=None):
    """Write `val`; return what stood there before."""


@builtin
def atomic_add(pointer, val, mask=None, sem=None, scope=None):
    """Add `val` to what stands in memory; return what stood there before."""


@builtin
def atomic_max(pointer, val, mask=None, sem=None, scope=None):
    """Keep the larger of `val` and what stands in memory; return what stood there before."""


@builtin
def atomic_min(pointer, val, mask=None, sem=None, scope=None):
    """Keep the smaller of `val` and what stands in memory; return what stood there before."""


@builtin
def atomic_and(pointer, val, mask=None, sem=None, scope=None):
    """And `val` into the integers in memory; return what stood there before."""


@builtin
def atomic_or(pointer, val, mask=None, sem=None, scope=None):
    """Or `val` into the integers in memory; return what stood there before."""


@builtin
def atomic_xor(pointer, val, mask=None, sem=None, scope=None):
    """Exclusive-or `val` into the integers in memory; return what stood there before."""
