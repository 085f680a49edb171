"""Run launches in the simulator of another chip.

    with weft.testing.simulate("cuda:90") as simulation:
        matmul[(4, 4)](a, b, c, …)      # RaceError, DeadlockError, OutOfBoundsError, …
    simulation.launches                 # the kernel and the counts of each launch

    with weft.testing.simulate("cuda:90", counters=True) as simulation:
        …
    simulation.launches[0].report.counters.by_line()[31]     # {("global load", 128): Count(…)}

Each launch is compiled for the chip, and its LLVM IR runs on the arrays of the program: all lanes
of a block, with the chip's barriers and asynchronous copies. Arrays that share memory share it in
the simulator, too. Addresses in arrays (tables of pointers) are not those of the simulator.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from weft.compiler.argument_formats import (
    DESCRIPTOR_PREFIX,
    DescriptorForm,
    descriptor_form,
    type_formats,
)
from weft.compiler.artifact import TensorMapInfo
from weft.compiler.entry import formats_of_entry, tensor_maps_of
from weft.compiler.machine_code import lower_ttgir
from weft.compiler.signature import Signature
from weft.errors import LaunchError
from weft.kernel.compile import compile
from weft.kernel.compiled_kernel import CompiledKernel
from weft.kernel.jit import JITFunction
from weft.kernel.specialization import specialize
from weft.launch.argument_views import view_arguments
from weft.launch.array_types import Descriptor
from weft.launch.arrays import address, as_numpy, item_at
from weft.launch.binding import bind
from weft.launch.devices import arrays_in
from weft.launch.drivers.cpu import check_all_on_host
from weft.launch.grid import grid_sizes
from weft.launch.interception import intercept_launches
from weft.launch.values import python_number
from weft.simulator import Count, LineCount, Pointer, Report, TensorMap, run_module
from weft.targets import Target, target

__all__ = ["Count", "LineCount", "SimulatedLaunch", "Simulation", "simulate"]

_ALIGNMENT = 128
"""Bytes; memory that the program allocated begins at a multiple in the simulator, as on a GPU."""
_SPECIALIZED = 16
"""Bytes; kernels are specialized by the remainder, which stays as it is."""
_ELEMENTS = {"u8": 0, "u16": 1, "u32": 2, "s32": 3, "u64": 4, "s64": 5, "f16": 6, "f32": 7}
_ELEMENTS |= {"f64": 9, "bf16": 10, "tf32": 11}
"""Number of an element type in the simulator's tensor maps."""
_SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}
"""Bytes of a swizzled row → swizzle mode."""


@dataclass(frozen=True, slots=True)
class SimulatedLaunch:
    """A launch that was simulated.

    Attributes:
        kernel: The name of the kernel.
        grid: The number of programs along x, y and z.
        report: Accesses to memory, barriers, lines that the kernel printed, and the counters.
    """

    kernel: str
    grid: tuple[int, int, int]
    report: Report


@dataclass(frozen=True, slots=True)
class Simulation:
    """Runs launches in the simulator; the handler of intercepted launches.

    Attributes:
        chip: The chip.
        launches: The launches so far.
        counters: Whether to count what launches execute.
    """

    chip: Target
    counters: bool = False
    launches: list[SimulatedLaunch] = field(default_factory=list)
    _compiled: dict[object, CompiledKernel] = field(default_factory=dict)

    def __call__(
        self, kernel: JITFunction, grid: object, args: tuple[object, ...], kwargs: dict[str, Any]
    ) -> CompiledKernel:
        """Compile a kernel for the chip, and simulate its launch.

        Raises:
            LaunchError: An array is not in this process's memory.
            RaceError: Two accesses of the kernel race.
            DeadlockError: No thread can make progress.
            OutOfBoundsError: A thread accesses memory outside of all arrays.
            CodegenError: The kernel cannot be lowered, or the simulator lacks an instruction.
        """
        values, options = bind(kernel, args, kwargs)
        values = view_arguments(values)
        check_all_on_host(values)
        sizes = grid_sizes(kernel, grid, values | options)
        signature = specialize(kernel, list(values.values()))
        key = (kernel, signature.key, tuple(sorted(options.items())))
        compiled = self._compiled.get(key)
        if compiled is None:
            compiled = compile(kernel, signature=signature, target=self.chip, options=options)
            self._compiled[key] = compiled
        module = compiled.module("ttgir")
        llvm = lower_ttgir(module, compiled.metadata.options)
        memory = _ArrayMemory.of(values)
        maps = tensor_maps_of(module, self.chip)
        formats = formats_of_entry(module, signature, self.chip)
        arguments = list(_entry_arguments(list(values.values()), signature, formats, maps, memory))
        report = run_module(
            llvm,
            grid=sizes,
            arguments=arguments,
            counted_for=self.chip if self.counters else None,
        )
        memory.copy_back()
        print("\n".join(report.printed), end="\n" if report.printed else "")
        self.launches.append(SimulatedLaunch(kernel.name, sizes, report))
        return compiled


@contextmanager
def simulate(chip: str | Target, *, counters: bool = False) -> Iterator[Simulation]:
    """Run the launches in the block in the simulator.

    Args:
        chip: The target: "cuda:90", "hip:gfx942", "H100", ….
        counters: Whether to count instructions, sectors and wavefronts by source line; the counts
            are the `counters` of each launch's report.

    Yields:
        The simulation, which lists the launches.

    Raises:
        UnknownTargetError: There is no such target.
        LaunchError: The target is the CPU device.
    """
    resolved = chip if isinstance(chip, Target) else target(chip)
    if resolved.backend not in ("cuda", "hip"):
        raise LaunchError(
            "the simulator runs the code of GPUs",
            found=resolved.name,
            accepted=["cuda:90", "hip:gfx942", "another GPU of `weft targets`"],
        )
    simulation = Simulation(resolved, counters)
    with intercept_launches(simulation):
        yield simulation


@dataclass(frozen=True, slots=True)
class _Range:
    """Memory of the program that one or several arrays are in, and its copy.

    Attributes:
        start: The first address of the arrays.
        size: Bytes from the first to the last element.
        padding: Bytes of the copy before the first element, which keep the alignment.
        copy: The copy.
    """

    start: int
    size: int
    padding: int
    copy: np.ndarray


class _ArrayMemory:
    """The memory of the arrays of a launch. Arrays that overlap are in one range."""

    def __init__(self, ranges: Sequence[_Range]) -> None:
        self._ranges = ranges

    @staticmethod
    def of(values: Mapping[str, object]) -> _ArrayMemory:
        """Copy the memory of all arrays among the arguments."""
        bounds = [
            (*np.lib.array_utils.byte_bounds(array), _offset(array))
            for name, each in arrays_in(values)
            if (array := as_numpy(each, name)).size
        ]
        spans: list[tuple[int, int, int]] = []
        for low, high, offset in sorted(bounds):
            if spans and low < spans[-1][1]:
                spans[-1] = (spans[-1][0], max(high, spans[-1][1]), spans[-1][2])
            else:
                spans.append((low, high, offset))
        ranges: list[_Range] = []
        for low, high, offset in spans:
            padding = offset % _ALIGNMENT
            copy = np.zeros(padding + high - low, np.uint8)
            copy[padding:] = _bytes_at(low, high - low)
            ranges.append(_Range(low, high - low, padding, copy))
        return _ArrayMemory(ranges)

    def pointer(self, array: object) -> Pointer:
        """Find the pointer to an array's first element."""
        first = address(array)
        for each in self._ranges:
            if each.start <= first < each.start + each.size:
                return Pointer(each.copy, each.padding + first - each.start)
        return Pointer(np.zeros(0, np.uint8), 0)  # an array without elements

    def copy_back(self) -> None:
        """Copy the memory to the arrays of the program."""
        for each in self._ranges:
            data = each.copy[each.padding :]
            memory = _bytes_at(each.start, each.size)
            if not np.array_equal(memory, data):
                memory[:] = data


def _offset(array: np.ndarray) -> int:
    """Compute the distance of an array's memory from its allocation, modulo the alignment."""
    low, _ = np.lib.array_utils.byte_bounds(array)
    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    allocation, _ = np.lib.array_utils.byte_bounds(owner)
    return low - allocation if allocation % _SPECIALIZED == 0 else low


def _bytes_at(start: int, size: int) -> np.ndarray:
    buffer = (ctypes.c_char * size).from_address(start)
    return np.frombuffer(memoryview(buffer), np.uint8)


def _entry_arguments(
    values: Sequence[object],
    signature: Signature,
    formats: Sequence[str],
    tensor_maps: Sequence[TensorMapInfo],
    memory: _ArrayMemory,
) -> Iterator[object]:
    """Yield the arguments of the entry: those that a driver would encode."""
    maps, remaining = iter(tensor_maps), list(formats)
    for path, type_name in signature.runtime_arguments():
        value = item_at(values[path[0]], path[1:])
        if type_name.startswith(DESCRIPTOR_PREFIX):
            form = descriptor_form(remaining)
            info = next(maps) if form == "TMA" else None
            yield from _descriptor_arguments(value, form, info, memory)  # pyright: ignore
            del remaining[: len(type_formats(type_name, form))]
            continue
        del remaining[0]
        if type_name.startswith("*"):
            yield memory.pointer(value)
        else:
            yield _number(value, type_name)


def _descriptor_arguments(
    value: Descriptor, form: DescriptorForm, info: TensorMapInfo | None, memory: _ArrayMemory
) -> Iterator[object]:
    sizes, strides = [int(size) for size in value.shape], [int(step) for step in value.strides]
    pads_with_nan = getattr(value, "padding", "zero") == "nan"
    rounds_to_tf32 = bool(getattr(value, "round_f32_to_tf32", False))
    base = memory.pointer(value.base)
    if form == "TDM":
        yield from (base, *sizes, *strides)
        return
    if info is None:
        yield from (base, *sizes, *strides, pads_with_nan, rounds_to_tf32, *sizes, *strides)
        return
    item_size = as_numpy(value.base, "base").itemsize
    steps = [step * item_size for step in strides]
    yield TensorMap(
        base,
        _ELEMENTS["tf32" if rounds_to_tf32 and info.element == "f32" else info.element],
        info.box[::-1],
        sizes[::-1],
        steps[-2::-1] if len(steps) > 1 else (),
        _SWIZZLES[info.swizzle_bytes],
        pads_with_nan,
    )
    yield from (*sizes, *strides)


def _number(value: object, type_name: str) -> float:
    """Convert a number: unsigned integers to signed ones of the same bits."""
    number = value if isinstance(value, bool | int | float) else python_number(value)
    if number is None:
        raise LaunchError(f"an argument must be a number of type {type_name}", found=value)
    bits = int(type_name[1:]) if type_name[0] in "iu" and type_name[1:].isdigit() else 0
    if bits > 1 and number >= 1 << (bits - 1):
        return number - (1 << bits)
    return number
