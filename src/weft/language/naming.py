"""The error for a name that a module of the language does not have."""

from __future__ import annotations

from collections.abc import Iterable

from weft.errors import CompilationError, did_you_mean


class UnknownNameError(CompilationError, AttributeError):
    """A name that the language does not have; an AttributeError too, so that `hasattr` works."""


def unknown(module: str, name: str, known: Iterable[str]) -> UnknownNameError:
    """Return the error for `name`, with the names of `known` that are near.

    Args: module: as a kernel writes it, "tl" or "tl.math".
    """
    return UnknownNameError(
        f"unknown function {module}.{name}",
        found=f"{module}.{name}",
        accepted=(f"a name of {module}",),
        hint=did_you_mean(name, known),
    )
