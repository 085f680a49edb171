"""Looking into a kernel, while it is compiled and while it runs."""

from __future__ import annotations

from weft.language.builtin import builtin


@builtin
def static_print(*values, sep=" ", end="\n", file=None, flush=False):
    """Print values while the kernel is compiled, as Python's print does."""


@builtin
def static_assert(cond, msg=""):
    """End the compilation with `msg` unless the constant `cond` is true."""


@builtin
def device_print(prefix, *args, hex=False):
    """Print `prefix`, a constant text, and each element of `args` while the kernel runs."""


@builtin
def device_assert(cond, msg="", mask=None):
    """Stop with `msg` while the kernel runs where `cond` is false; only in debug compilation.

    Where `mask` is false `cond` is not looked at.
    """
