"""The error for an unknown name of a module of the language."""

from __future__ import annotations

from collections.abc import Iterable

from weft.errors import CompilationError, did_you_mean


class UnknownNameError(CompilationError, AttributeError):
    """An unknown name of the language; an AttributeError too, so that `hasattr` works."""


def unknown_name(module: str, name: str, names: Iterable[str]) -> UnknownNameError:
    """Create the error for an unknown name, with similar names as a hint.

    Args:
        module: The module as a kernel writes it, "tl" or "tl.math".
        name: The unknown name.
        names: All names of the module.
    """
    return UnknownNameError(
        f"unknown function {module}.{name}",
        found=f"{module}.{name}",
        accepted=(f"a name of {module}",),
        hint=did_you_mean(name, names),
    )
