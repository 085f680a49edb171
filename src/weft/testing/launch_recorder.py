"""Record the launches of a program, with copies of their arguments, and time them.

    recorder = LaunchRecorder(gpu=None)
    with intercept_launches(recorder):
        program()
    for launch in recorder.launches:
        cost = launch_cost(launch)                      # bytes and operations (launch_cost.py)
        time_launch(launch, 100.0, cost.updated)        # ms

The arrays of a program may be on any device. A small launch on host arrays runs on the embedded CPU
device, as it would without the recorder. For a large one that is measured on a GPU, the arrays are
copied there and back, so that the program continues with the results that it expects. Launches of a
kernel with the same types of arguments and the same grid are recorded once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, cast

import numpy as np

from weft.autotuner.timing import time_on_cpu, time_on_gpu
from weft.compiler.signature import Signature
from weft.kernel.jit import JITFunction
from weft.kernel.specialization import specialize
from weft.launch.array_types import Array
from weft.launch.binding import bind
from weft.launch.grid import Grid, grid_sizes
from weft.launch.interception import intercept_launches
from weft.testing.argument_arrays import (
    Tensor,
    copy_back,
    copy_to_gpu,
    copy_to_host,
    host_arrays,
    is_on_gpu,
    map_arrays,
    named_arrays,
)

__all__ = ["LaunchRecorder", "RecordedLaunch", "is_large", "time_launch"]

# A launch beyond these limits is large: the interpreter should not run it in full.
_MAX_PROGRAMS, _MAX_BYTES = 4096, 1 << 26


@dataclass(frozen=True, slots=True)
class RecordedLaunch:
    """A launch with copies of its arguments.

    Attributes:
        kernel: The kernel.
        grid: The number of programs along x, y and z.
        values: The arguments by parameter, with arrays on the device that is measured.
        inputs: The same with numpy arrays, as they were before the launch.
        options: Compile options by name.
        specialization: The types, constants and hints of the arguments.
        gpu: The number of the GPU; None for the CPU device.
    """

    kernel: JITFunction
    grid: Grid
    values: Mapping[str, Any]
    inputs: Mapping[str, object]
    options: Mapping[str, object]
    specialization: Signature
    gpu: int | None

    @property
    def signature(self) -> str:
        """One-line form of the signature."""
        return str(self.specialization)

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """The arrays among the inputs by name."""
        return host_arrays(self.inputs)

    def run(self) -> None:
        """Launch again."""
        with intercept_launches(None):
            self.kernel[self.grid](**self.values, **self.options)


@dataclass(slots=True)
class LaunchRecorder:
    """A launch handler that launches and records.

    Attributes:
        gpu: The number of the GPU that kernels run on; None for the embedded CPU device.
        kernel_name: Record only launches of this kernel; "" for all.
        launches: The recorded launches.
    """

    gpu: int | None
    kernel_name: str = ""
    launches: list[RecordedLaunch] = field(default_factory=list)
    _keys: set[object] = field(default_factory=set)

    def __call__(
        self, kernel: JITFunction, grid: object, args: tuple[object, ...], kwargs: dict[str, object]
    ) -> object:
        """Launch on the device, and record the launch.

        Raises:
            LaunchError: An array cannot be copied to the GPU.
        """
        values, options = bind(kernel, args, kwargs)
        sizes = grid_sizes(kernel, grid, values | options)
        inputs = {name: map_arrays(copy_to_host, value) for name, value in values.items()}
        placed = self._place(values) if is_large(sizes, inputs) else values
        with intercept_launches(None):
            result = kernel[sizes](**placed, **options)
        for name, value in values.items():
            copy_back(placed[name], value)
        self._record(kernel, sizes, inputs, options)
        return result

    def _place(self, values: Mapping[str, object]) -> Mapping[str, object]:
        """Copy the arrays to the GPU. An array that is passed twice is copied once."""
        gpu = self.gpu
        if gpu is None:
            return values
        copies: dict[int, object] = {}

        def place(array: object) -> object:
            if id(array) not in copies:
                copies[id(array)] = array if is_on_gpu(array) else copy_to_gpu(array, gpu)
            return copies[id(array)]

        return {name: map_arrays(place, value) for name, value in values.items()}

    def _record(
        self,
        kernel: JITFunction,
        grid: Grid,
        inputs: Mapping[str, object],
        options: Mapping[str, object],
    ) -> None:
        signature = specialize(kernel, list(inputs.values()))
        shapes = tuple(array.shape for array in host_arrays(inputs).values())
        key = (kernel, signature.key, grid, tuple(sorted(options.items())), shapes)
        if key in self._keys or self.kernel_name not in ("", kernel.name):
            return
        self._keys.add(key)
        values = {name: map_arrays(self._copy, value) for name, value in inputs.items()}
        self.launches.append(
            RecordedLaunch(kernel, grid, values, inputs, options, signature, self.gpu)
        )

    def _copy(self, array: Array) -> np.ndarray | Tensor:
        return copy_to_host(array) if self.gpu is None else copy_to_gpu(array, self.gpu)


def is_large(grid: Grid, inputs: Mapping[str, object]) -> bool:
    """Check whether a launch is too large for the interpreter to run it in full."""
    size = sum(array.nbytes for array in host_arrays(inputs).values())
    return prod(grid) > _MAX_PROGRAMS or size > _MAX_BYTES


def time_launch(launch: RecordedLaunch, budget: float, updated: Sequence[str] = ()) -> float:
    """Measure the median time of a launch in ms.

    Args:
        launch: The launch.
        budget: ms to spend, and a quarter of it to warm up.
        updated: Arrays that are restored before each run, which is not timed.
    """
    restored = [
        (cast("np.ndarray | Tensor", array), _source(launch, name))
        for name, array in named_arrays(launch.values)
        if name in updated
    ]

    def restore() -> None:
        for array, source in restored:
            array[...] = source

    setup = restore if restored else None
    if launch.gpu is None:
        times = time_on_cpu(launch.run, (0.5,), budget / 4, budget, setup)
    else:
        times = time_on_gpu(launch.run, launch.gpu, (0.5,), budget / 4, budget, setup=setup)
    return times[0]


def _source(launch: RecordedLaunch, name: str) -> np.ndarray | Tensor:
    """Get an input array on the device that is measured."""
    array = launch.arrays[name]
    return array if launch.gpu is None else copy_to_gpu(array, launch.gpu)
