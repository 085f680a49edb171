"""Sizes of a launch grid, and the two functions that most grids are computed with."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

from weft.errors import LaunchError, did_you_mean
from weft.language.kernel_function import KernelFunction

Grid = tuple[int, int, int]


def cdiv(x: int, y: int) -> int:
    """Divide and round up: the number of tiles of size `y` that cover `x` elements."""
    return -(-x // y)


def next_power_of_2(n: int) -> int:
    """Return the smallest power of two that is at least `n`; 0 for `n` = 0, as Triton's."""
    return 1 << (n - 1).bit_length() if n > 0 else 0


def grid_sizes(kernel: KernelFunction, grid: Any, arguments: Mapping[str, Any]) -> Grid:
    """Return the numbers of programs along x, y and z.

    Args: grid: one to three sizes, or a function from the arguments by name to them.
    Raises: LaunchError: it is neither, or a size is no int from 0.
    """
    given: Any = _called(kernel, grid, arguments) if callable(grid) else grid
    given = given.tolist() if hasattr(given, "tolist") else given
    sizes: tuple[Any, ...] = tuple(given) if isinstance(given, Sequence) else (given,)
    if not 1 <= len(sizes) <= 3:
        raise _grid_error(kernel, sizes)
    for size in sizes:
        if isinstance(size, bool) or not hasattr(size, "__index__") or operator.index(size) < 0:
            raise _grid_error(kernel, sizes)
    x, y, z = (*map(operator.index, sizes), 1, 1)[:3]
    return x, y, z


def _called(kernel: KernelFunction, grid: Any, arguments: Mapping[str, Any]) -> Any:
    try:
        return grid(dict(arguments))
    except KeyError as error:
        raise LaunchError(
            f"{kernel.name}: the function of the grid asks for an argument that there is not",
            found=error.args[0],
            accepted=arguments,
            hint=did_you_mean(str(error.args[0]), arguments),
        ) from error


def _grid_error(kernel: KernelFunction, sizes: Sequence[object]) -> LaunchError:
    return LaunchError(
        f"{kernel.name}: the grid is one to three counts of programs",
        found=repr(sizes[0] if len(sizes) == 1 else tuple(sizes)),
        accepted=["(programs,)", "(x, y)", "(x, y, z)", "a function from the arguments to these"],
    )
