"""Prune the configurations of autotune before measuring: `prune_configs_by`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from weft.autotuner.config import Config
from weft.errors import AutotunerError, LaunchError, did_you_mean

__all__ = ["Pruning"]

_ENTRIES = ("perf_model", "top_k", "early_config_prune")


@dataclass(frozen=True, slots=True)
class Pruning:
    """How configurations are pruned.

    Attributes:
        kernel: Name of the kernel, for messages.
        early_config_prune: Maps the configurations and the arguments to the configurations to keep.
        perf_model: Maps the arguments to an estimated time.
        top_k: The number, or share, of configurations to keep by estimated time.
    """

    kernel: str
    early_config_prune: Callable[..., Sequence[Config]] | None = None
    perf_model: Callable[..., float] | None = None
    top_k: float = 1.0

    @classmethod
    def of(cls, kernel: str, entries: Mapping[str, Any]) -> Pruning:
        """Read `prune_configs_by`.

        Raises:
            LaunchError: An unknown entry, or a value that is not a function.
        """
        # torch.compile passes the attribute's name for `top_k`; Triton ignores it.
        entries = {name: value for name, value in entries.items() if name != "configs_top_k"}
        for name, value in entries.items():
            if name not in _ENTRIES:
                raise LaunchError(
                    f"{kernel}: prune_configs_by has an unknown entry",
                    found=name,
                    accepted=_ENTRIES,
                    hint=did_you_mean(name, _ENTRIES),
                )
            if name != "top_k" and value is not None and not callable(value):
                raise LaunchError(
                    f"{kernel}: {name} of autotune must be a function", found=repr(value)[:80]
                )
        return cls(kernel, **entries)

    def prune(
        self, configs: list[Config], named: Mapping[str, object], kwargs: Mapping[str, object]
    ) -> list[Config]:
        """List the configurations to measure.

        Args:
            configs: All configurations.
            named: The arguments of the launch by name.
            kwargs: Its keyword arguments.

        Raises:
            AutotunerError: No configuration is left.
            LaunchError: `top_k` is out of range.
        """
        remaining = configs
        if self.early_config_prune is not None:
            positional = {name: value for name, value in named.items() if name not in kwargs}
            remaining = list(self.early_config_prune(remaining, positional, **kwargs))
            if not remaining:
                raise AutotunerError(
                    "No valid autotuner configs after pruning",
                    found=f"an empty list for {self.kernel}",
                    hint="`early_config_prune` should return at least one config",
                )
        count = self._count(len(configs))
        perf_model = self.perf_model
        if perf_model is None or len(remaining) <= count:
            return remaining
        return sorted(remaining, key=lambda each: perf_model(**{**named, **each.all_kwargs()}))[
            :count
        ]

    def _count(self, config_count: int) -> int:
        top_k = self.top_k
        if isinstance(top_k, float) and 0 < top_k <= 1.0:
            return max(int(config_count * top_k), 1)
        if isinstance(top_k, int) and top_k > 0:
            return top_k
        raise LaunchError(
            f"{self.kernel}: Error while pruning configs, top_k must be either 1) a float <= 1.0 "
            "or 2) an int",
            found=repr(top_k),
            accepted=["an int from 1", "a float above 0.0 up to 1.0"],
        )
