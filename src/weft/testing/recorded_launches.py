"""The launches of a program: what each moves and computes, how long it takes, and how long it must.

    recorder = Recorder(gpu=None)
    with observed(recorder):
        program()
    for launch in recorder.launches:
        counted(launch)                 # bytes and operations, by the interpreter's own count
        timed(launch, 100.0)            # ms

A program's arrays may lie anywhere. A small launch on arrays of the host runs on the embedded CPU
device, as the program would without all this; for a large one that is measured on a GPU the arrays
are copied there, and back, so that the program goes on with what it expects. Launches of one kernel
on the same kinds of arguments and the same grid count once.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from weft.autotuner.timing import on_gpu, wall_clock
from weft.errors import LaunchError
from weft.interpreter import LaunchStatistics
from weft.kernel.jit import JITFunction
from weft.kernel.specialization import specialise
from weft.launch.arrays import as_numpy, is_array, is_descriptor
from weft.launch.binding import bind
from weft.launch.devices import opened
from weft.launch.drivers.cpu import grid_sizes, prepare
from weft.launch.interception import observed
from weft.launch.tensor_descriptor import described_by
from weft.targets.boards import Board

__all__ = ["Bound", "Count", "Launch", "Recorder", "bound_of", "counted", "timed"]

_MOST_PROGRAMS, _MOST_BYTES = 4096, 1 << 26  # beyond these, a sample of the programs is counted
_SAMPLE = 64
_WIDER = {
    "tf32": "f32",
    "f8": "f16",
    "f4": "f16",
}  # as products are made where there is no such unit


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch, with arrays of its own.

    values: by parameter, as the kernel was given them, on the device.  options: num_warps, ….
    inputs: the same in this process's memory, as they were before.
    """

    kernel: JITFunction
    grid: tuple[int, int, int]
    values: Mapping[str, Any]
    inputs: Mapping[str, Any]
    options: Mapping[str, Any]
    signature: str
    gpu: int | None

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """The arrays among the inputs, by name."""
        return dict(_arrays(self.inputs))

    def run(self) -> None:
        """Launch it again."""
        with observed(None):
            self.kernel[self.grid](**self.values, **self.options)


@dataclass(frozen=True, slots=True)
class Count:
    """What a launch moves and computes.

    read, written: bytes.  operations: of products, by the type of their operands.
    programs: how many were counted, of `of`; of a sample, arrays that are reached count whole.
    updated: arrays that are read and written, and must be put back before another run.
    """

    read: int
    written: int
    operations: Mapping[str, float]
    programs: int
    of: int
    updated: tuple[str, ...]

    @property
    def moved(self) -> int:
        """Bytes that memory must give and take."""
        return self.read + self.written


@dataclass(frozen=True, slots=True)
class Bound:
    """The least time of a launch on a board: by its memory, or by products of a type.

    by: "memory", or the type of the operands.
    """

    milliseconds: float
    by: str


@dataclass(slots=True)
class Recorder:
    """Make launches on a device, and keep one of each form: stands in for them when `observed`.

    gpu: the number of the GPU that they run on; None for the embedded CPU device.
    wanted: keep only launches of the kernel of this name; "" for all.
    """

    gpu: int | None
    wanted: str = ""
    launches: list[Launch] = field(default_factory=list)
    _seen: set[object] = field(default_factory=set)

    def __call__(
        self, kernel: JITFunction, grid: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Launch on the device.

        Raises: LaunchError: an array that cannot be copied to the GPU.
        """
        values, options = bind(kernel, args, kwargs)
        sizes = grid_sizes(kernel, grid, values | options)
        inputs = {name: _mapped(_in_memory, value) for name, value in values.items()}
        there: dict[int, Any] = {}  # an array that is passed twice stays one

        def place(array: Any) -> Any:
            if id(array) not in there:
                there[id(array)] = self._placed(array)
            return there[id(array)]

        placed = values
        if self.gpu is not None and _is_large(sizes, inputs):
            placed = {name: _mapped(place, value) for name, value in values.items()}
        with observed(None):
            result = kernel[sizes](**placed, **options)
        for name, value in values.items():
            _copy_back(placed[name], value)
        signature = specialise(kernel, list(inputs.values()))
        key = (kernel, signature.key, sizes, tuple(sorted(options.items())), _shapes(inputs))
        if key not in self._seen and self.wanted in ("", kernel.name):
            self._seen.add(key)
            own = {name: _mapped(self._copied, value) for name, value in inputs.items()}
            self.launches.append(
                Launch(kernel, sizes, own, inputs, options, str(signature), self.gpu)
            )
        return result

    def _placed(self, array: Any) -> Any:
        """Return an array where the launch runs: itself, if it is there."""
        if self.gpu is None or _is_on_gpu(array):
            return array
        return self._copied(array)

    def _copied(self, array: Any) -> Any:
        if self.gpu is None:
            return _in_memory(array)
        return _to_gpu(as_numpy(array, "an array"), self.gpu)


def counted(launch: Launch) -> Count:
    """Return what a launch moves and computes, as the interpreter counts it.

    Of a large launch some programs count, spread over the grid, or the first where a program waits
    for others; operations are then in proportion.
    """
    total = prod(launch.grid)
    values = opened({name: _mapped(_in_memory, each) for name, each in launch.inputs.items()})
    signature = specialise(launch.kernel, list(values.values()))
    program = prepare(launch.kernel, signature, launch.options)
    arrays, statistics = launch.arrays, LaunchStatistics()
    large = _is_large(launch.grid, launch.inputs)
    chosen = _sample(total, program.kernel.program.in_order) if large else range(total)
    program.launch(launch.grid, values, statistics, chosen)
    traffic = statistics.traffic()
    read = sum(_share(arrays, name, each.read, large) for name, each in traffic.items())
    written = sum(_share(arrays, name, each.written, large) for name, each in traffic.items())
    scale = total / len(chosen) if len(chosen) else 1.0
    return Count(
        read,
        written,
        {kind: found * scale for kind, found in statistics.operations.items()},
        len(chosen),
        total,
        tuple(name for name, each in traffic.items() if each.read and each.written),
    )


def _is_large(grid: tuple[int, int, int], inputs: Mapping[str, Any]) -> bool:
    """Tell whether a launch is more than the interpreter should run in full."""
    return (
        prod(grid) > _MOST_PROGRAMS
        or sum(array.nbytes for _, array in _arrays(inputs)) > _MOST_BYTES
    )


def _sample(total: int, in_order: bool) -> Sequence[int]:
    if total <= _SAMPLE:
        return range(total)
    return range(_SAMPLE) if in_order else [total * n // _SAMPLE for n in range(_SAMPLE)]


def _share(arrays: Mapping[str, np.ndarray], name: str, found: int, whole: bool) -> int:
    return arrays[name].nbytes if found and whole else found


def bound_of(count: Count, board: Board) -> Bound:
    """Return the least time that a board needs for what was counted."""
    bounds = [Bound(count.moved / board.memory_gb_per_s * 1e-6, "memory")]
    for kind, operations in count.operations.items():
        tera = board.tera(kind)
        if tera is None and kind in _WIDER:
            tera = board.tera(_WIDER[kind])
        if tera is not None:
            bounds.append(Bound(operations / tera * 1e-9, kind))
    return max(bounds, key=lambda each: each.milliseconds)


def timed(launch: Launch, budget: float, updated: Sequence[str] = ()) -> float:
    """Return the median ms of a launch.

    Args: budget: ms to spend; a quarter of it before measuring.  updated: arrays that are put back
          before each run, which is not timed.
    """
    pairs = [
        (array, source)
        for name, array in _arrays(launch.values)
        if name in updated
        for source in [_placed_like(launch, name)]
    ]

    def restore() -> None:
        for array, source in pairs:
            array[...] = source

    before = restore if pairs else None
    if launch.gpu is None:
        times = wall_clock(launch.run, (0.5,), budget / 4, budget, before)
    else:
        times = on_gpu(launch.run, launch.gpu, (0.5,), budget / 4, budget, before=before)
    return times[0]


def _placed_like(launch: Launch, name: str) -> Any:
    source = launch.arrays[name]
    return source if launch.gpu is None else _to_gpu(source, launch.gpu)


def _mapped(change: Callable[[Any], Any], value: Any) -> Any:
    """Return an argument with its arrays changed: those of tuples and descriptors, too."""
    if isinstance(value, tuple):
        items = [_mapped(change, item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if is_descriptor(value):
        return described_by(value, change(value.base))
    return change(value) if is_array(value) else value


def _arrays(values: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return name and array of each, as messages of the CPU device name them."""
    found: list[tuple[str, Any]] = []
    for name, value in values.items():
        if isinstance(value, tuple):
            found += _arrays({f"{name}[{at}]": item for at, item in enumerate(value)})
        elif is_descriptor(value):
            found.append((name, value.base))
        elif is_array(value):
            found.append((name, value))
    return found


def _shapes(values: Mapping[str, Any]) -> tuple[tuple[int, ...], ...]:
    return tuple(array.shape for _, array in _arrays(values))


def _is_on_gpu(array: Any) -> bool:
    return getattr(getattr(array, "device", None), "type", "") == "cuda"


def _in_memory(array: Any) -> np.ndarray:
    """Return a numpy copy of an array, strides and all."""
    here = array.cpu() if _is_on_gpu(array) else array  # lives until its bytes are copied
    return as_numpy(here, "an array").copy(order="K")


def _to_gpu(array: np.ndarray, gpu: int) -> Any:
    """Return a tensor of torch's with the elements of an array.

    Raises: LaunchError: torch is missing, or the array has gaps between its elements.
    """
    try:
        torch: Any = importlib.import_module("torch")
    except ImportError:
        raise LaunchError("a measurement on a GPU needs torch", found="no torch") from None
    if not array.flags.forc:
        raise LaunchError(
            "an array with gaps is not copied to a GPU",
            found=f"shape {array.shape}, strides {array.strides} of {array.dtype}",
            accepted=["a contiguous array"],
        )
    kind = getattr(torch, array.dtype.name, None)
    plain = array if array.dtype.kind in "biuf" else array.view(f"u{array.itemsize}")
    tensor = torch.from_numpy(plain).to(f"cuda:{gpu}", copy=True)
    return tensor if plain is array else tensor.view(kind)


def _copy_back(placed: Any, original: Any) -> None:
    """Give a program's own arrays what a launch wrote into their copies."""
    if placed is original:
        return
    for (_, source), (_, target) in zip(
        _arrays({"": placed}), _arrays({"": original}), strict=True
    ):
        if source is not target:
            as_numpy(target, "an array")[...] = _in_memory(source)
