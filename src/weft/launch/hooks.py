"""Run a launch between its hooks: `weft.knobs.runtime.launch_enter_hook` and `launch_exit_hook`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from weft import knobs
from weft.language.kernel_function import KernelFunction
from weft.launch.grid import Grid

__all__ = ["LaunchMetadata", "run_with_hooks"]

ComputeMetadata = Callable[[Grid, object, dict[str, Any]], Mapping[str, object]]
"""A kernel's `launch_metadata`: maps grid, kernel metadata and arguments to more metadata."""


class LaunchMetadata:
    """The argument of a launch hook.

    Attributes:
        data: "name" and "function" of the kernel, and the "stream".
    """

    def __init__(
        self, data: dict[str, Any], compute: Callable[[], Mapping[str, object]] | None
    ) -> None:
        self.data = data
        self._compute = compute

    def get(self) -> dict[str, Any]:
        """Get all metadata, with what the kernel's `launch_metadata` function adds."""
        if self._compute is not None:
            self.data = {**self.data, **self._compute()}
            self._compute = None
        return self.data


def run_with_hooks(
    launch: Callable[[], None],
    kernel: KernelFunction,
    data: dict[str, Any],
    grid: Grid,
    metadata: Callable[[], object],
    values: Mapping[str, object],
) -> None:
    """Launch a kernel between the hooks.

    Args:
        launch: Launches it.
        kernel: The kernel, which may have a `launch_metadata` function.
        data: As of LaunchMetadata.
        grid: The grid, for the `launch_metadata` function.
        metadata: Returns the kernel's metadata, for the same function.
        values: The arguments by parameter, for the same function.
    """
    hooks = knobs.runtime
    if not hooks.launch_enter_hook and not hooks.launch_exit_hook:
        launch()
        return
    compute: ComputeMetadata | None = getattr(kernel, "launch_metadata", None)
    launch_metadata = LaunchMetadata(
        data, None if compute is None else (lambda: compute(grid, metadata(), dict(values)))
    )
    hooks.launch_enter_hook(launch_metadata)
    launch()
    hooks.launch_exit_hook(launch_metadata)
