"""Python's garbage collector, kept out of a compile and of what is imported for it.

IR and modules only grow while a kernel is compiled, and the collector would walk them again and
again to find nothing: a tenth of a first compile.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["uncollected"]


@contextmanager
def uncollected() -> Iterator[None]:
    """Put collecting off to the end of the block.

    What a block makes that imports modules is mostly there to stay: it goes to the oldest
    generation, where it is looked at least often.
    """
    enabled, modules = gc.isenabled(), len(sys.modules)
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            if len(sys.modules) > modules and not gc.get_freeze_count():
                gc.freeze()
                gc.unfreeze()
            gc.enable()
