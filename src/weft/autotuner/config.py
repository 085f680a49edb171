"""`weft.Config`: a configuration for autotune to try."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from weft.errors import warn_ignored

__all__ = ["Config", "PreHook"]

PreHook = Callable[[dict[str, Any]], object]
"""Takes the arguments of a launch by name."""

_OPTIONS = ("num_warps", "num_ctas", "num_stages", "maxnreg", "ir_override")


class Config:
    """Meta-parameters and compile options to launch a kernel with.

    Attributes:
        kwargs: Values of the kernel's meta-parameters.
        num_warps: Warps of a block; None for the default.
        num_stages: Depth of the software pipeline; None for the default.
        num_ctas: Blocks of a cluster; None for the default.
        maxnreg: Most registers of a thread; None for no limit.
        pre_hook: Called with the arguments by name before every launch in this configuration.
        ir_override: A file in place of what a stage of the compilation returns.
    """

    __slots__ = (
        "ir_override", "kwargs", "maxnreg", "num_ctas", "num_stages", "num_warps", "pre_hook"
    )  # fmt: skip

    def __init__(
        self,
        kwargs: Mapping[str, Any],
        num_warps: int | None = 4,
        num_stages: int | None = 3,
        num_ctas: int | None = 1,
        maxnreg: int | None = None,
        pre_hook: PreHook | None = None,
        ir_override: str | None = None,
    ) -> None:
        self.kwargs = dict(kwargs)
        self.num_warps = num_warps
        self.num_stages = num_stages
        self.num_ctas = num_ctas
        self.maxnreg = maxnreg
        self.pre_hook = pre_hook
        self.ir_override = ir_override
        merged = self.all_kwargs()
        for name, value in self.kwargs.items():
            if name in _OPTIONS and merged[name] != value:
                reason = f"the argument {name}={merged[name]!r} of the Config replaces it"
                warn_ignored(f"{name}={value!r} in kwargs has no effect: {reason}")

    def all_kwargs(self) -> dict[str, Any]:
        """Collect everything that is passed to the launch."""
        options = {name: getattr(self, name) for name in _OPTIONS}
        return {
            **self.kwargs,
            **{name: value for name, value in options.items() if value is not None},
        }

    def __str__(self) -> str:
        """Format it in one line."""
        return ", ".join(f"{name}: {value}" for name, value in self.all_kwargs().items())

    def _identity(self) -> tuple[object, ...]:
        return (*sorted(self.all_kwargs().items()), self.pre_hook)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Config) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __repr__(self) -> str:
        return f"Config({', '.join(f'{k}={v!r}' for k, v in self.all_kwargs().items())})"
