"""Run a kernel over a grid, many program instances at a time."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import prod

import numpy as np
from rich.console import Console
from rich.progress import Progress
from xdsl.dialects.builtin import ModuleOp

from weft.errors import LaunchError
from weft.interpreter.arguments import bind
from weft.interpreter.batch import Batch, Launch
from weft.interpreter.dtypes import I32
from weft.interpreter.memory import Memory
from weft.interpreter.program import Program, program_of

TILE_BUDGET = 512 * 1024  # bytes of one tile of all instances of a batch: stays in the L2 cache
MOST_INSTANCES = 16384
PATIENCE = 2.0  # seconds before a progress bar shows


def run(
    module: ModuleOp,
    kernel_name: str,
    grid: Sequence[int],
    args: Sequence[object],
    *,
    progress: bool | None = None,
    tile_budget: int = TILE_BUDGET,
) -> None:
    """Run every program of a grid; arrays are written in place.

    Args: module: TTIR, or TTGIR whose layouts the interpreter ignores.  grid: one to three sizes.
          args: an array for each pointer (the pointer is the address of its element (0, 0, …), of
          whatever strides), a number for each scalar, in the order of the kernel's parameters.
          progress: show a bar on standard error; None: if that is a terminal.
          tile_budget: bytes that the largest tile of a batch may take; sets its size.
    Raises: LaunchError: unknown kernel, operation or function of a library; grid or arguments
            that do not fit; a failed assertion.  OutOfBoundsError: an access outside of its array.
    """
    program = program_of(module)
    entry = program.function(kernel_name).regions[0].blocks[0]
    sizes = _grid(grid)
    memory = Memory()
    values = bind(kernel_name, entry.args, args, memory)
    function = program.compiled(kernel_name)
    launch = Launch(kernel_name, sizes, memory)
    with np.errstate(all="ignore"), _bar(progress, prod(sizes), kernel_name) as done:
        for batch in _batches(launch, _batch_size(program, tile_budget)):
            function.call(batch, values)
            done(batch.size)


def _grid(grid: Sequence[int]) -> tuple[int, int, int]:
    fits = 1 <= len(grid) <= 3 and all(
        isinstance(size, int | np.integer) and 0 <= size < 1 << 31 for size in grid
    )
    if not fits:
        raise LaunchError(
            "a grid is one to three sizes", found=tuple(grid), accepted=["0 to 2147483647 each"]
        )
    x, y, z = (*(int(size) for size in grid), *(1,) * (3 - len(grid)))
    return x, y, z


def _batch_size(program: Program, tile_budget: int) -> int:
    if program.in_order():
        return 1
    return min(max(tile_budget // program.tile_bytes(), 1), MOST_INSTANCES)


def _batches(launch: Launch, size: int) -> Iterator[Batch]:
    width, height, _ = launch.grid
    total = prod(launch.grid)
    for start in range(0, total, size):
        number = np.arange(start, min(start + size, total))
        ids = (number % width, number // width % height, number // (width * height))
        x, y, z = (axis[:1] if (axis == axis[0]).all() else axis for axis in ids)
        yield Batch(launch, len(number), (x.astype(I32), y.astype(I32), z.astype(I32)))


@contextmanager
def _bar(progress: bool | None, total: int, title: str):
    """Give a function that counts finished programs, and shows them once it takes long."""
    shown = sys.stderr.isatty() if progress is None else progress
    started = time.monotonic()
    bar = Progress(console=Console(stderr=True), transient=True, disable=not shown)
    task = bar.add_task(title, total=total)
    running = False

    def done(count: int) -> None:
        nonlocal running
        bar.advance(task, count)
        if shown and not running and time.monotonic() - started > PATIENCE:
            bar.start()
            running = True

    try:
        yield done
    finally:
        if running:
            bar.stop()
