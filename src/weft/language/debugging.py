"""Printing and assertions, at compile time and at run time."""

from __future__ import annotations

from weft.language.builtin import builtin


@builtin
def static_print(*values, sep=" ", end="\n", file=None, flush=False):
    """Print values at compile time, as Python's print does."""


@builtin
def static_assert(cond, msg=""):
    """Fail the compilation with `msg` unless the constant `cond` is true."""


@builtin
def device_print(prefix, *args, hex=False):
    """Print the constant string `prefix` and each element of `args` at run time."""


@builtin
def device_assert(cond, msg="", mask=None):
    """Abort the kernel with `msg` if an element of `cond` is false; only in debug compilation.

    Elements for which `mask` is false are not checked.
    """
