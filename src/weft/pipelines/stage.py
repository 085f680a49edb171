"""What a pipeline is made of: stages with names, each a list of passes.

ttir      what the front end made, tidied up; no layouts
convert   every tensor gets its first layout
layout    accesses, dots and what lies between them get the layouts that pay
loops     software pipelining
final     what is left to do once loops have their shape
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from weft.passes import Pass

__all__ = ["LaunchOptions", "Stage"]


@dataclass(frozen=True, slots=True)
class Stage:
    """A part of a pipeline to stop after.

    Args: name: one of the above.  ir: the kind of IR that it leaves, "ttir" or "ttgir".
    """

    name: str
    passes: tuple[Pass, ...]
    ir: str = "ttgir"


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

    @property
    def matrix_instr_nonkdim(self) -> int:
        """The m and n of MFMA that is asked for, 0: chosen."""
        ...

    @property
    def kpack(self) -> int:
        """How many dots a thread reads operands for at once, along k."""
        ...
