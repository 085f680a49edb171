"""What hooks around launches are told: `weft.knobs.runtime.launch_enter_hook` and its sibling."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from weft import knobs
from weft.language.kernel_function import KernelFunction

__all__ = ["LaunchMetadata", "hooked"]


class LaunchMetadata:
    """What a launch hook is told of the launch.

    Args: data: "name" of the kernel, its "function" and the "stream".
          more: computes what the kernel's `launch_metadata` adds, when somebody asks.
    """

    def __init__(self, data: dict[str, Any], more: Callable[[], Mapping[str, Any]] | None) -> None:
        self.data = data
        self._more = more

    def get(self) -> dict[str, Any]:
        """Return all there is to say."""
        if self._more is not None:
            self.data = {**self.data, **self._more()}
            self._more = None
        return self.data


def hooked(
    start: Callable[[], None],
    kernel: KernelFunction,
    data: dict[str, Any],
    grid: tuple[int, int, int],
    metadata: Callable[[], object],
    values: Mapping[str, Any],
) -> None:
    """Start a kernel between the hooks that there are.

    Args: data: as of LaunchMetadata.  metadata: gives what is known of the compiled kernel.
          values: the arguments by parameter; these three are the kernel's `launch_metadata`'s.
    """
    hooks = knobs.runtime
    if not hooks.launch_enter_hook and not hooks.launch_exit_hook:
        start()
        return
    more: Callable[..., Mapping[str, Any]] | None = getattr(kernel, "launch_metadata", None)
    asked = None if more is None else (lambda: more(grid, metadata(), dict(values)))
    said = LaunchMetadata(data, asked)
    hooks.launch_enter_hook(said)
    start()
    hooks.launch_exit_hook(said)
