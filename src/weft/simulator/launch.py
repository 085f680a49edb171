"""Run the LLVM IR of a kernel, one program after the other; a program is a block or a cluster.

    run(text, grid=(4,), arguments=[x, y, 1000], warp_size=32, shared_bytes=0)

writes to the arrays in place, as a launch on a GPU does. `run_module` takes what code generation
returns; its errors name lines of the kernel's source.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from weft.errors import CodegenError, LaunchError
from weft.simulator.async_copy.tensormap import BYTES, Pointer, TensorMap
from weft.simulator.block import Block, Launch, Value
from weft.simulator.counters import Counters
from weft.simulator.llvm_ir.inlining import inline_calls
from weft.simulator.llvm_ir.parser import Function, parse
from weft.simulator.llvm_ir.types import dtype_of
from weft.simulator.memory.memory import Memory, Traffic
from weft.simulator.scheduler import run_cluster
from weft.simulator.segments import split
from weft.simulator.synchronization.cluster_order import ClusterOrder
from weft.simulator.synchronization.warp_order import WarpOrder
from weft.targets import Target

__all__ = ["LlvmText", "Report", "run", "run_module"]

_BLOCK_SIZE = ("nvvm.reqntid", "amdgpu-flat-work-group-size")
_CLUSTER_SIZE = ("nvvm.cluster_dim", "amdgpu-cluster-dims")
_WARP_SYNCHRONIZATION = (
    "mbarrier.",
    "barrier.cta.sync.aligned.count",
    "barrier.signal.var",
    "barrier.arrive",
)


@dataclass(frozen=True, slots=True)
class Report:
    """What a launch did.

    Attributes:
        global_memory: Accesses to global memory.
        shared_memory: Accesses to shared memory, of all blocks.
        barriers: Number of barriers that blocks passed.
        printed: Lines that the kernel printed.
        counters: What the launch executed, by source line; None if it was not counted.
    """

    global_memory: Traffic
    shared_memory: Traffic
    barriers: int
    printed: list[str] = field(default_factory=list)
    counters: Counters | None = None


class LlvmText(Protocol):
    """An LLVM module of code generation: `weft.codegen.LlvmModule`."""

    @property
    def shared_bytes(self) -> int:
        """Shared memory of a block."""
        ...

    @property
    def global_scratch_bytes(self) -> int:
        """Global scratch memory of a program."""
        ...

    @property
    def threads_per_warp(self) -> int:
        """Threads of a warp."""
        ...

    def text_with_locations(self) -> str:
        """Get the text, with comments that have the source locations of instructions."""
        ...


def run_module(
    module: LlvmText,
    *,
    grid: tuple[int, ...],
    arguments: Sequence[object],
    counted_for: Target | None = None,
) -> Report:
    """Run the kernel of a module of code generation; arguments, result and errors as of `run`."""
    return run(
        module.text_with_locations(),
        grid=grid,
        arguments=arguments,
        warp_size=module.threads_per_warp,
        shared_bytes=module.shared_bytes,
        scratch_bytes=module.global_scratch_bytes,
        counted_for=counted_for,
    )


def run(
    text: str,
    *,
    grid: tuple[int, ...],
    arguments: Sequence[object],
    warp_size: int,
    shared_bytes: int = 0,
    scratch_bytes: int = 0,
    counted_for: Target | None = None,
) -> Report:
    """Run a kernel.

    Args:
        text: An LLVM module that code generation printed.
        grid: Number of programs along x, y and z.
        arguments: Arrays or `Pointer`s into arrays for pointers, `TensorMap`s for descriptors,
            numbers for the rest.
        warp_size: Threads of a warp.
        shared_bytes: Shared memory of a block.
        scratch_bytes: Global scratch memory of a program. If not 0, the kernel has one more
            argument for it, the last.
        counted_for: The chip whose shared memory counts wavefronts; None to count nothing.

    Returns:
        Counts of accesses and barriers, and the printed lines.

    Raises:
        OutOfBoundsError: A thread accesses memory outside of all arrays.
        RaceError: Two accesses of the kernel race.
        DeadlockError: No thread can make progress.
        CodegenError: An instruction is not supported.
        LaunchError: The arguments do not match the kernel's.
    """
    function = inline_calls(parse(text))
    sizes = (grid[0], grid[1] if len(grid) > 1 else 1, grid[2] if len(grid) > 2 else 1)
    programs = int(np.prod(sizes))
    scratch = [np.zeros(programs * scratch_bytes, np.uint8)] if scratch_bytes else []
    pointers, maps, arrays = _pointers_of([*arguments, *scratch])
    threads, cluster_size = _block_size(function), _cluster_size(function)
    packet = _dispatch_packet(sizes, threads, cluster_size)
    memory = Memory.for_arrays("global", [array.nbytes for array in (*arrays, packet)])
    for index, array in enumerate((*arrays, packet)):
        memory.write_array(index, array)
    for tensor_map in maps:
        address = int(memory.starts[tensor_map.base]) + tensor_map.offset
        memory.write_array(tensor_map.array, tensor_map.map.encode(address))
    report = Report(memory.traffic, Traffic(), 0)
    launch = Launch(
        sizes,
        function.attributes.get("target-cpu", ""),
        int(memory.starts[len(arrays)]),
        function.strings,
        report.printed,
        None if counted_for is None else Counters(counted_for.shared_memory),
    )
    values = _argument_values(function, [*arguments, *scratch], pointers, memory)
    orders_warps = _orders_warps(function)
    blocks = _Blocks(
        launch,
        threads,
        cluster_size,
        warp_size,
        shared_bytes,
        memory,
        values,
        report,
        orders_warps,
    )
    kernel = split(function)
    barriers = 0
    with np.errstate(all="ignore"):  # infinities and NaN are values, as on a GPU
        for z, y, x in np.ndindex(sizes[2], sizes[1], sizes[0]):
            barriers += run_cluster(blocks.of_program((x, y, z)), kernel)
    encoded = {tensor_map.array for tensor_map in maps}
    for index, array in enumerate(arrays):
        if index not in encoded:
            array[...] = memory.read_array(index, array)
    return replace(report, barriers=barriers, counters=launch.counters)


@dataclass(frozen=True, slots=True)
class _Blocks:
    """Creates the blocks of each program.

    Attributes:
        launch: What all blocks share.
        threads: Threads of a block.
        cluster_size: Blocks of a program.
        warp_size: Threads of a warp.
        shared_bytes: Shared memory of a block.
        memory: Global memory.
        values: Values of the arguments.
        report: Collects the traffic of shared memory.
        orders_warps: Whether the kernel has synchronization of some warps of a block.
    """

    launch: Launch
    threads: int
    cluster_size: int
    warp_size: int
    shared_bytes: int
    memory: Memory
    values: Mapping[str, Value]
    report: Report
    orders_warps: bool

    def of_program(self, program: tuple[int, int, int]) -> list[Block]:
        """Create the blocks of a program."""
        blocks: list[Block] = []
        for rank in range(self.cluster_size):
            block = Block(
                launch=self.launch,
                threads=self.threads,
                warp_size=self.warp_size,
                program=program,
                global_memory=self.memory,
                shared=self._shared_memory(),
                active=np.ones(self.threads, bool),
                previous_label=np.full(self.threads, "entry", object),
                values=dict(self.values),
                cluster=blocks,
                rank=rank,
            )
            blocks.append(block)
        return blocks

    def _shared_memory(self) -> Memory:
        shared = Memory.shared(self.shared_bytes)
        shared.traffic = self.report.shared_memory
        if self.cluster_size > 1 and shared.races is not None:
            shared.races.cluster = ClusterOrder.of(
                self.shared_bytes, self.threads, shared.races.history
            )
        if self.orders_warps and shared.races is not None:
            shared.races.order = WarpOrder.of(
                self.shared_bytes,
                self.threads,
                self.warp_size,
                shared.races.writes,
                shared.races.reads,
            )
        return shared


def _orders_warps(function: Function) -> bool:
    """Check whether a kernel synchronizes some warps of a block, not only all of them."""
    return any(
        name in instruction.rest
        for block in function.blocks
        for instruction in block.instructions
        if instruction.opcode == "call"
        for name in _WARP_SYNCHRONIZATION
    )


def _dispatch_packet(grid: Sequence[int], threads: int, cluster_size: int) -> np.ndarray:
    """Create the packet from which AMD kernels read the sizes of a block and of the grid.

    Args:
        grid: Number of programs along x, y and z.
        threads: Threads of a block.
        cluster_size: Blocks of a program.

    Source: HSA Platform System Architecture Specification 1.2, kernel dispatch packet.
    """
    packet = np.zeros(32, np.uint16)
    packet[2:5] = threads, 1, 1
    packet[6:12].view(np.uint32)[:] = grid[0] * threads * cluster_size, grid[1], grid[2]
    return packet


@dataclass(frozen=True, slots=True)
class _MapArrays:
    """A tensor map, the numbers of the arrays that hold it and its tensor, and the offset there."""

    array: int
    base: int
    offset: int
    map: TensorMap


def _pointers_of(
    values: Sequence[object],
) -> tuple[dict[int, tuple[int, int]], list[_MapArrays], list[np.ndarray]]:
    """List the arrays that arguments point into; each tensor map gets one for its bytes.

    Returns:
        The number of the array and the offset for each argument that is a pointer, the maps, and
        all arrays.
    """
    arrays: list[np.ndarray] = []
    numbers: dict[int, int] = {}  # id of an array → its number

    def number(array: np.ndarray) -> int:
        if id(array) not in numbers:
            numbers[id(array)] = len(arrays)
            arrays.append(array)
        return numbers[id(array)]

    pointers: dict[int, tuple[int, int]] = {}
    maps: list[_MapArrays] = []
    for index, value in enumerate(values):
        if isinstance(value, TensorMap):
            base = Pointer.to(value.base)
            place = number(np.zeros(BYTES, np.uint8))
            maps.append(_MapArrays(place, number(base.array), base.offset, value))
            pointers[index] = (place, 0)
        elif isinstance(value, np.ndarray | Pointer):
            pointer = Pointer.to(value)
            pointers[index] = (number(pointer.array), pointer.offset)
    return pointers, maps, arrays


def _block_size(function: Function) -> int:
    """Find the number of threads of a block.

    Raises:
        CodegenError: The kernel has no attribute for it.
    """
    for key in _BLOCK_SIZE:
        if key in function.attributes:
            return int(function.attributes[key].split(",")[0])
    raise CodegenError("the kernel has no attribute for its block size", accepted=_BLOCK_SIZE)


def _cluster_size(function: Function) -> int:
    """Find the number of blocks of a cluster, 1 for kernels without clusters."""
    sizes = (function.attributes[key] for key in _CLUSTER_SIZE if key in function.attributes)
    return int(next(sizes, "1").split(",")[0])


def _argument_values(
    function: Function,
    arguments: Sequence[object],
    pointers: Mapping[int, tuple[int, int]],
    memory: Memory,
) -> dict[str, Value]:
    """Compute the values of the kernel's arguments: addresses of arrays, and numbers.

    Raises:
        LaunchError: The number of arguments is wrong.
    """
    if len(arguments) != len(function.arguments):
        raise LaunchError(
            f"{function.name} takes {len(function.arguments)} arguments", found=len(arguments)
        )
    values: dict[str, Value] = {}
    pairs = zip(function.arguments, arguments, strict=True)
    for index, ((name, type_), value) in enumerate(pairs):
        if index in pointers:
            array, offset = pointers[index]
            values[name] = memory.starts[array : array + 1] + offset
        else:
            values[name] = np.full(1, value, dtype_of(type_))
    return values
