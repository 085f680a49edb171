"""Check launches on the CPU device by the sanitizer.

    with check_launches(Sanitizer()) as sanitizer:
        program()                   # its launches run program by program, and are checked
    sanitizer.findings

Kernels are compiled once more for this, with the assertions of debug mode (integer overflow).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from weft.interpreter.sanitizer import Sanitizer
    from weft.interpreter.sanitizer.compiler import CheckedKernel

__all__ = ["CheckedKernels", "Checking", "check_launches"]

Key = TypeVar("Key")


class CheckedKernels(Generic[Key]):
    """The kernels that were compiled for a sanitizer.

    Attributes:
        sanitizer: The sanitizer.
        kernels: The kernels, by the identity of those that are not checked, which stay alive.
    """

    def __init__(self, sanitizer: Sanitizer) -> None:
        self.sanitizer = sanitizer
        self.kernels: dict[int, tuple[Key, CheckedKernel]] = {}


class Checking:
    """The checked kernels while launches are checked; None otherwise."""

    kernels: CheckedKernels[object] | None = None


@contextmanager
def check_launches(sanitizer: Sanitizer) -> Iterator[Sanitizer]:
    """Check the launches on the CPU device in the block."""
    previous, Checking.kernels = Checking.kernels, CheckedKernels[object](sanitizer)
    try:
        yield sanitizer
    finally:
        Checking.kernels = previous
