"""Stages: the named parts of a pipeline that a compilation can stop after.

ttir      simplify the front end's output; no layouts yet
convert   convert TTIR to TTGIR: every tensor gets a default layout
layout    choose layouts for memory accesses and dots, remove conversions between them
loops     software pipelining
final     everything that needs the final shape of loops
"""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from weft.passes import Pass

__all__ = ["LaunchOptions", "Stage"]


class Stage(Struct, frozen=True):
    """A named part of a pipeline.

    Attributes:
        name: One of the names above.
        passes: The passes, in order.
        ir: The kind of IR after the stage, "ttir" or "ttgir".
    """

    name: str
    passes: tuple[Pass, ...]
    ir: str = "ttgir"


class LaunchOptions(Protocol):
    """The launch options that a pipeline reads."""

    @property
    def num_warps(self) -> int:
        """Warps per CTA."""
        ...

    @property
    def num_ctas(self) -> int:
        """CTAs per cluster."""
        ...

    @property
    def num_stages(self) -> int:
        """Iterations of a loop in flight at once; 1 does not pipeline."""
        ...

    @property
    def matrix_instr_nonkdim(self) -> int:
        """The m and n of MFMA instructions; 0 lets the compiler choose."""
        ...

    @property
    def kpack(self) -> int:
        """Consecutive MFMA steps along k whose operands a lane loads at once."""
        ...
