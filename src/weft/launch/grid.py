"""The grid of a launch: the number of programs along x, y and z."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import SupportsIndex, TypeGuard

from weft.errors import LaunchError, did_you_mean
from weft.language.constexpr import constexpr_function
from weft.language.kernel_function import KernelFunction

__all__ = ["Grid", "cdiv", "grid_sizes", "next_power_of_2"]

Grid = tuple[int, int, int]


@constexpr_function
def cdiv(x: int, y: int) -> int:
    """Divide and round up: the number of tiles of size `y` that cover `x` elements.

    Kernels call it on constants; `tl.cdiv` divides values at run time.
    """
    return -(-x // y)


@constexpr_function
def next_power_of_2(n: int) -> int:
    """Compute the smallest power of two that is at least `n`; 0 for `n` = 0, as in Triton."""
    return 1 << (n - 1).bit_length() if n > 0 else 0


def grid_sizes(kernel: KernelFunction, grid: object, arguments: Mapping[str, object]) -> Grid:
    """Compute the number of programs along x, y and z.

    Args:
        kernel: The kernel, for messages.
        grid: One to three sizes, or a function from the arguments by name to them.
        arguments: The arguments and options of the launch by name.

    Raises:
        LaunchError: The grid is neither, or a size is not an int from 0.
    """
    value = _call_grid(kernel, grid, arguments) if callable(grid) else grid
    to_list = getattr(value, "tolist", None)  # torch and numpy
    value = value if to_list is None else to_list()
    items: tuple[object, ...] = tuple(value) if isinstance(value, Sequence) else (value,)
    sizes = [item for item in items if _is_size(item)]
    if not 1 <= len(items) <= 3 or len(sizes) != len(items):
        raise LaunchError(
            f"{kernel.name}: grid must have 1 to 3 sizes, each an int from 0",
            found=repr(items[0] if len(items) == 1 else items),
            accepted=["(x,)", "(x, y)", "(x, y, z)", "a function from the arguments to these"],
        )
    x, y, z = (*map(operator.index, sizes), 1, 1)[:3]
    return x, y, z


def _is_size(value: object) -> TypeGuard[SupportsIndex]:
    index = getattr(value, "__index__", None)
    return not isinstance(value, bool) and index is not None and index() >= 0


def _call_grid(
    kernel: KernelFunction,
    grid: Callable[[dict[str, object]], object],
    arguments: Mapping[str, object],
) -> object:
    try:
        return grid(dict(arguments))
    except KeyError as error:
        raise LaunchError(
            f"{kernel.name}: the grid function reads an unknown argument",
            found=error.args[0],
            accepted=arguments,
            hint=did_you_mean(str(error.args[0]), arguments),
        ) from error
