"""What a pipeline is made of: stages with names, each a list of passes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from weft.passes import Pass

__all__ = ["LaunchOptions", "Stage"]


@dataclass(frozen=True, slots=True)
class Stage:
    """A part of a pipeline to stop after; its name is that of the IR it leaves."""

    name: str
    passes: tuple[Pass, ...]


class LaunchOptions(Protocol):
    """What a pipeline reads of a launch's options."""

    @property
    def num_warps(self) -> int:
        """Warps per block."""
        ...

    @property
    def num_ctas(self) -> int:
        """Blocks per cluster."""
        ...
