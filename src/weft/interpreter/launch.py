"""Runs a kernel over a grid, many program instances at a time."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from weft.errors import LaunchError
from weft.interpreter.access_observer import AccessObserver
from weft.interpreter.arguments import bind
from weft.interpreter.compiled_module import CompiledModule, compiled_module_of
from weft.interpreter.dtypes import I32
from weft.interpreter.launch_statistics import LaunchStatistics
from weft.interpreter.memory import Find, Memory
from weft.interpreter.program_batch import Batch, Launch

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

TILE_BUDGET = 1 << 21  # bytes of the largest tile of a batch: Python costs little, caches suffice
MAX_INSTANCES = 16384
PROGRESS_DELAY = 2.0  # seconds until a progress bar is shown


@dataclass(frozen=True, slots=True)
class Kernel:
    """A compiled kernel, to be launched any number of times.

    Attributes:
        program: The compiled module.
        name: The name of the kernel's function.
    """

    program: CompiledModule
    name: str

    def run(
        self,
        grid: Sequence[int],
        args: Sequence[object],
        *,
        names: Sequence[str] | None = None,
        progress: bool | None = None,
        tile_budget: int = TILE_BUDGET,
        statistics: LaunchStatistics | None = None,
        programs: Sequence[int] | None = None,
        find: Find | None = None,
        observer: AccessObserver | None = None,
    ) -> None:
        """Run the programs of a grid; arrays are written in place.

        Args:
            grid: One to three sizes.
            args: One argument per parameter of the kernel: an array for a pointer, which is the
                address of element (0, 0, …) whatever the strides are; a number for a scalar.
            names: Names of the parameters for errors; None for those in the IR.
            progress: Whether to show a progress bar on standard error; None if it is a terminal.
            tile_budget: The bytes of the largest tile of a batch, which limit the batch size.
            statistics: Counts memory traffic and operations, if given.
            programs: The numbers of the programs to run, x fastest; None for all.
            find: Finds the array of a machine address that belongs to no argument.
            observer: Checks the accesses, if given; batches must then be single programs.

        Raises:
            LaunchError: The interpreter does not support an operation or library function; grid or
                arguments do not match the kernel; or an assertion fails.
            OutOfBoundsError: An access is outside of its array.
        """
        entry = self.program.function(self.name).regions[0].blocks[0]
        sizes = _grid(grid)
        memory = Memory(find)
        values = bind(self.name, entry.args, args, memory, names)
        function = self.program.compiled(self.name)
        launch = Launch(self.name, sizes, memory, statistics, observer)
        if observer is not None:
            observer.begin_launch(self.name, memory)
        numbers = np.arange(prod(sizes)) if programs is None else np.asarray(programs, np.int64)
        bar = _ProgressBar(progress, len(numbers), self.name)
        try:
            with np.errstate(all="ignore"):
                for batch in _batches(launch, numbers, _batch_size(self.program, tile_budget)):
                    if observer is not None:
                        observer.begin_program(batch.program(0))
                    function.call(batch, values)
                    batch.async_operations.finish()
                    bar.advance(batch.size)
        finally:
            bar.close()


def prepare(module: ModuleOp, kernel_name: str) -> Kernel:
    """Compile a kernel of a module as it is now; later changes have no effect on it.

    Args:
        module: TTIR, or TTGIR, whose layouts are ignored.
        kernel_name: The name of the kernel.

    Raises:
        LaunchError: The module has no such function.
    """
    program = compiled_module_of(module)
    program.function(kernel_name)
    return Kernel(program, kernel_name)


def run(
    module: ModuleOp,
    kernel_name: str,
    grid: Sequence[int],
    args: Sequence[object],
    *,
    progress: bool | None = None,
    tile_budget: int = TILE_BUDGET,
) -> None:
    """Run a kernel of a module as it is now; see `Kernel.run` for the arguments.

    A module is compiled at its first run, and again after a change.
    """
    prepare(module, kernel_name).run(grid, args, progress=progress, tile_budget=tile_budget)


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


def _batch_size(program: CompiledModule, tile_budget: int) -> int:
    if program.in_order:
        return 1
    return min(max(tile_budget // program.tile_bytes, 1), MAX_INSTANCES)


def _batches(launch: Launch, numbers: np.ndarray, size: int) -> Iterator[Batch]:
    width, height, _ = launch.grid
    for start in range(0, len(numbers), size):
        number = numbers[start : start + size]
        ids = (number % width, number // width % height, number // (width * height))
        x, y, z = (axis[:1] if (axis == axis[0]).all() else axis for axis in ids)
        yield Batch(launch, len(number), (x.astype(I32), y.astype(I32), z.astype(I32)))


class _ProgressBar:
    """Counts finished programs; shown if the launch takes long."""

    def __init__(self, progress: bool | None, total: int, title: str) -> None:
        self._shown = sys.stderr.isatty() if progress is None else progress
        self._total, self._title, self._completed = total, title, 0
        self._started = time.monotonic()
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def advance(self, count: int) -> None:
        """Add some finished programs."""
        self._completed += count
        if not self._shown:
            return
        if self._bar is None and time.monotonic() - self._started > PROGRESS_DELAY:
            from rich.console import Console
            from rich.progress import Progress

            self._bar = Progress(console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task(self._title, total=self._total)
            self._bar.start()
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=self._completed)

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.stop()
