"""What `weft bench` was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Request"]


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for on the command line.

    file: with "::KERNEL" perhaps.  call: Python to evaluate in the file in place of running it.
    target: a board, or a chip, whose limits count.  budget: ms for each measurement.
    """

    file: str
    arguments: Sequence[str] = ()
    call: str | None = None
    device: str | None = None
    target: str | None = None
    budget: float = 100.0
    as_json: bool = False
    plot: str | None = None
