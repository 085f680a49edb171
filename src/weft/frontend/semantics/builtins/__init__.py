"""The meaning of every declared function: a table from its name to the function that emits it.

A new function is a declaration in `weft.language` and a row in the table of its family here. An
implementation takes the emitter and the declared parameters, constants opened; what it returns is
a kernel value, a Python tuple of them, a constant, or None.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weft.frontend.semantics.builtins import (
    assembly,
    atomics,
    creation,
    debugging,
    descriptors,
    elementwise,
    hints,
    libdevice,
    math,
    matrices,
    memory,
    programs,
    reductions,
    shapes,
    target,
)

BUILTINS: dict[str, Callable[..., Any]] = {
    **assembly.TABLE,
    **atomics.TABLE,
    **creation.TABLE,
    **debugging.TABLE,
    **descriptors.TABLE,
    **elementwise.TABLE,
    **hints.TABLE,
    **libdevice.TABLE,
    **math.TABLE,
    **matrices.TABLE,
    **memory.TABLE,
    **programs.TABLE,
    **reductions.TABLE,
    **shapes.TABLE,
    **target.TABLE,
}
