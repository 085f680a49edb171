"""`triton.profiler` (Proton): the time of each kernel, by the scopes that launch it.

    start("matmul", hook="triton")        # programs: import triton.profiler as proton
    with scope("warm", {"flops": 2e9}):
        kernel[grid](…)
    finalize()                            # matmul.hatchet; see viewer.py

A kernel of weft is timed from its launch to its end, on a GPU by two events on its stream. A scope
without such kernels is timed itself, so that work of other libraries counts. With hook="triton" the
metadata of a kernel's `launch_metadata` (name, flops, bytes) counts, too.
"""

from __future__ import annotations

import sys
from types import ModuleType

from typing_extensions import override

from weft.compat.profiler import context, data, hooks, metric, mode, specs
from weft.compat.profiler.scopes import cpu_timed_scope, enter_scope, exit_scope, scope
from weft.compat.profiler.sessions import (
    DEFAULT_PROFILE_NAME,
    activate,
    deactivate,
    finalize,
    profile,
    start,
)
from weft.compat.profiler.states import enter_state, exit_state, metadata_state, state

__all__ = [
    "DEFAULT_PROFILE_NAME",
    "activate",
    "context",
    "cpu_timed_scope",
    "data",
    "deactivate",
    "enter_scope",
    "enter_state",
    "exit_scope",
    "exit_state",
    "finalize",
    "hooks",
    "metric",
    "metadata_state",
    "mode",
    "profile",
    "scope",
    "specs",
    "start",
    "state",
]


class _Package(ModuleType):
    """A package with modules and functions of the same names: `profile`, `scope`, `state`.

    The import of such a module does not replace the function.
    """

    @override
    def __setattr__(self, name: str, value: object) -> None:
        if isinstance(value, ModuleType) and name in ("profile", "scope", "state"):
            return
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
