"""`--layouts` of the subcommands that run programs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from weft import knobs

__all__ = ["default_layouts"]


@contextmanager
def default_layouts(layouts: str | None) -> Iterator[None]:
    """Compile launches in the block with a value of the option `layouts`, if it is not None.

    Kernels that are launched with the option keep theirs.
    """
    if layouts is None:
        yield
        return
    with knobs.compilation.scope():
        knobs.compilation.layouts = layouts
        yield
