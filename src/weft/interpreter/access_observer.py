"""What observes the accesses of a checked launch: the sanitizer."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from xdsl.ir import Operation

from weft.interpreter.memory import Memory

__all__ = ["AccessObserver"]


class AccessObserver(Protocol):
    """Is called before each access of a program. Programs run one by one.

    Addresses have the shape of the tile, with an axis of one program before it; `active` are the
    lanes that access memory.
    """

    def begin_launch(self, kernel: str, memory: Memory) -> None:
        """Start a launch."""
        ...

    def begin_program(self, program: tuple[int, int, int]) -> None:
        """Start a program."""
        ...

    def load(self, op: Operation, size: int, addresses: np.ndarray, active: np.ndarray) -> None:
        """Observe a load of elements of `size` bytes."""
        ...

    def store(
        self, op: Operation, addresses: np.ndarray, active: np.ndarray, data: np.ndarray
    ) -> None:
        """Observe a store."""
        ...

    def atomic(self, op: Operation, addresses: np.ndarray) -> None:
        """Observe an atomic operation at the addresses of its active lanes."""
        ...
