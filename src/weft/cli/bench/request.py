"""The arguments of `weft bench`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Request"]


@dataclass(frozen=True, slots=True)
class Request:
    """The arguments of the command line.

    Attributes:
        file: A Python file, with "::KERNEL" for one kernel.
        arguments: Arguments of the program.
        call: An expression to evaluate in the file instead of running it.
        device: "cpu" or "cuda"; None for the GPU if there is one.
        target: A board, or a chip, whose limits apply; None for the GPU's.
        budget: ms to spend on each measurement.
        as_json: Whether to print JSON.
        plot: Path of an SVG file; None for none.
    """

    file: str
    arguments: Sequence[str] = ()
    call: str | None = None
    device: str | None = None
    target: str | None = None
    budget: float = 100.0
    as_json: bool = False
    plot: str | None = None
