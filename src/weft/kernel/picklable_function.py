"""How a kernel is pickled for another process.

`torch.compile` compiles in other processes. Before it pickles a kernel there, it assigns None to
`fn`, `__globals__` and `used_global_vals`, and a constant to `repr`; the other attributes describe
the kernel, and cannot be compiled.
"""

from __future__ import annotations

import threading
from functools import cached_property
from types import FunctionType
from typing import Any

from weft.language.kernel_function import KernelFunction

__all__ = ["PicklableFunction"]

# What belongs to the process that defines the kernel.
_LOCAL_FIELDS = (
    "__wrapped__",
    "_artifacts",
    "_globals",
    "_hash_lock",
    "_launch_cache",
    "cache",
    "pre_run_hooks",
)


class PicklableFunction(KernelFunction):
    """A kernel function whose description can be pickled."""

    @cached_property
    def __globals__(self) -> dict[str, Any]:
        """The globals of the Python function."""
        return self.fn.__globals__

    @cached_property
    def used_global_vals(self) -> dict[Any, Any] | None:
        """Triton's record of the globals that were read; weft has its own."""
        return {}

    @cached_property
    def _hash_lock(self) -> Any:  # RLock is no type
        return threading.RLock()

    def __getstate__(self) -> dict[str, object]:
        if isinstance(self.fn, FunctionType):
            _ = self.source  # another process cannot read it from `fn`
        state = {name: value for name, value in vars(self).items() if name not in _LOCAL_FIELDS}
        if self.fn is None:
            state |= {"naming": None, "launch_metadata": None}
        return state

    def __setstate__(self, state: dict[str, object]) -> None:
        vars(self).update(state)
