"""Launches that somebody watches: `weft bench` runs a program, and sees what it launches.

with observed(lambda kernel, grid, args, kwargs: print(kernel.name)):
    program()                       # no kernel runs: what watches decides
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["Observer", "Watch", "observed"]

Observer = Callable[[Any, Any, tuple[Any, ...], dict[str, Any]], Any]
"""Takes the kernel, the grid, and the arguments by position and by name, in a launch's place."""


class Watch:
    """Who watches launches now: `by`, None for nobody."""

    by: Observer | None = None


@contextmanager
def observed(by: Observer | None) -> Iterator[None]:
    """Let a function stand in for every launch while the block runs; None: launch as ever."""
    before, Watch.by = Watch.by, by
    try:
        yield
    finally:
        Watch.by = before
