"""Python's garbage collector, kept out of a compile.

IR and modules only grow while a kernel is compiled, and the collector would walk them again and
again to find nothing: 5 % of a first compile.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["uncollected"]


@contextmanager
def uncollected() -> Iterator[None]:
    """Put collecting off to the end of the block."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
