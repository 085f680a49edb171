"""`--as-triton` of the subcommands, and the environment variable WEFT_AS_TRITON."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from weft.knobs import is_on

__all__ = ["VARIABLE", "triton_name"]

VARIABLE = "WEFT_AS_TRITON"


@contextmanager
def triton_name(is_requested: bool) -> Iterator[None]:
    """Let `import triton` find weft in the block, if the option or the variable asks for it."""
    if not is_requested and not is_on(os.environ.get(VARIABLE, "")):
        yield
        return
    from weft.compat.as_triton import as_triton  # imports importlib.metadata, which is slow

    with as_triton(in_children=True):
        yield
