"""Run a kernel over a grid, many program instances at a time."""

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
from weft.interpreter.arguments import bind
from weft.interpreter.compiled_module import CompiledModule, compiled_module_of
from weft.interpreter.dtypes import I32
from weft.interpreter.launch_statistics import LaunchStatistics
from weft.interpreter.memory import Find, Memory
from weft.interpreter.program_batch import Batch, Launch

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

TILE_BUDGET = 1 << 21  # bytes of the largest tile of a batch: enough to hide Python, in the cache
MOST_INSTANCES = 16384
PATIENCE = 2.0  # seconds before a progress bar shows


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel ready to be launched any number of times.

    Args: program: its module, compiled.  name: of its function.
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
    ) -> None:
        """Run every program of a grid; arrays are written in place.

        Args: grid: one to three sizes.  args: an array for each pointer (the pointer is the address
              of its element (0, 0, …), of whatever strides), a number for each scalar, in the
              order of the kernel's parameters.  names: what to call them; None: as the IR does.
              progress: show a bar on standard error; None: if that is a terminal.
              tile_budget: bytes that the largest tile of a batch may take; sets its size.
              statistics: counts what is read, written and computed.
              programs: which to run, x the fastest; None: all.
              find: gives the array that an address is in which belongs to none of the arguments.
        Raises: LaunchError: an operation or library function that the interpreter lacks; grid or
                arguments that do not fit; a failed assertion.  OutOfBoundsError: an access outside
                of its array.
        """
        entry = self.program.function(self.name).regions[0].blocks[0]
        sizes = _grid(grid)
        memory = Memory(find)
        values = bind(self.name, entry.args, args, memory, names)
        function = self.program.compiled(self.name)
        launch = Launch(self.name, sizes, memory, statistics)
        chosen = np.arange(prod(sizes)) if programs is None else np.asarray(programs, np.int64)
        bar = _Bar(progress, len(chosen), self.name)
        try:
            with np.errstate(all="ignore"):
                for batch in _batches(launch, chosen, _batch_size(self.program, tile_budget)):
                    function.call(batch, values)
                    bar.advance(batch.size)
        finally:
            bar.close()


def prepare(module: ModuleOp, kernel_name: str) -> Kernel:
    """Compile a kernel of a module; later changes of the module do not reach it.

    Args: module: TTIR, or TTGIR whose layouts the interpreter ignores.
    Raises: LaunchError: the module has no such function.
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
    """Run a kernel of a module as it is now; see `Kernel.run`.

    A module is compiled at its first run, and again when it was changed since.
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
    return min(max(tile_budget // program.tile_bytes, 1), MOST_INSTANCES)


def _batches(launch: Launch, chosen: np.ndarray, size: int) -> Iterator[Batch]:
    width, height, _ = launch.grid
    for start in range(0, len(chosen), size):
        number = chosen[start : start + size]
        ids = (number % width, number // width % height, number // (width * height))
        x, y, z = (axis[:1] if (axis == axis[0]).all() else axis for axis in ids)
        yield Batch(launch, len(number), (x.astype(I32), y.astype(I32), z.astype(I32)))


class _Bar:
    """Count finished programs, and show them once that takes long."""

    def __init__(self, progress: bool | None, total: int, title: str) -> None:
        self._shown = sys.stderr.isatty() if progress is None else progress
        self._total, self._title, self._done = total, title, 0
        self._started = time.monotonic()
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def advance(self, count: int) -> None:
        """Note that some programs have finished."""
        self._done += count
        if not self._shown:
            return
        if self._bar is None and time.monotonic() - self._started > PATIENCE:
            from rich.console import Console
            from rich.progress import Progress

            self._bar = Progress(console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task(self._title, total=self._total)
            self._bar.start()
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=self._done)

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
