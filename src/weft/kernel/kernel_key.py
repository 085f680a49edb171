"""The keys of a kernel's compiled kernels, for the caches and for users."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weft.compiler.signature import Signature

__all__ = ["kernel_key", "options_key"]


def kernel_key(signature: Signature, options: Mapping[str, object]) -> str:
    """Format what distinguishes the compiled kernels of a kernel, for hooks and users."""
    return f"{signature}{dict(options_key(options))}"


def options_key(options: Mapping[str, object]) -> tuple[tuple[str, object], ...]:
    """Sort options by name; a dictionary, as of `extern_libs`, becomes pairs."""
    return tuple(
        (name, tuple(value.items()) if isinstance(value, dict) else value)
        for name, value in sorted(options.items())
    )
