"""Intercept launches: `weft bench` runs a program and records what it launches.

with intercept_launches(lambda kernel, grid, args, kwargs: print(kernel.name)):
    program()                   # no kernel runs, unless the handler launches it
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["Interception", "LaunchHandler", "intercept_launches"]

LaunchHandler = Callable[[Any, object, tuple[object, ...], dict[str, Any]], object]
"""Takes the kernel, the grid, and the positional and keyword arguments of a launch."""


class Interception:
    """The handler of launches; None if launches are not intercepted."""

    handler: LaunchHandler | None = None


@contextmanager
def intercept_launches(handler: LaunchHandler | None) -> Iterator[None]:
    """Call a function in place of every launch in the block.

    Args:
        handler: The function; None to launch as usual inside of another such block.
    """
    previous, Interception.handler = Interception.handler, handler
    try:
        yield
    finally:
        Interception.handler = previous
