"""Run the LLVM IR of a kernel, program by program; a program is a block, or a cluster of blocks.

    run(text, grid=(4,), arguments=[x, y, 1000], warp_size=32, shared_bytes=0)

changes the arrays in place, as a launch does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from weft.errors import CodegenError, LaunchError
from weft.simulator import block as state
from weft.simulator.async_copy.tensormap import BYTES, TensorMap
from weft.simulator.block import Operand, constant
from weft.simulator.llvm_ir.inlining import inlined
from weft.simulator.llvm_ir.instructions import compile_instruction
from weft.simulator.llvm_ir.parser import Function, Instruction, read
from weft.simulator.llvm_ir.types import dtype_of, parse_type
from weft.simulator.memory.memory import Memory, Traffic
from weft.simulator.scheduler import Part, run_cluster
from weft.simulator.synchronization.cluster_order import Meetings

__all__ = ["Report", "run"]

# Barriers by number and, where not all threads take part, how many do.
_BARRIERS = (
    re.compile(r"@llvm\.nvvm\.barrier\.cta\.sync\.(?:aligned\.)?all\(i32 (\d+)(\b)\)"),
    re.compile(r"@llvm\.nvvm\.barrier\.cta\.sync\.aligned\.count\(i32 (\d+), i32 (\d+)\)"),
    re.compile(r"@llvm\.amdgcn\.s\.barrier\((\b|)(\b|)\)"),
)
# The same of AMD's named barriers, which count warps, numbered behind the others; a wait follows.
_NAMED = re.compile(
    r"@llvm\.amdgcn\.s\.barrier\.signal\.var\(ptr addrspace\(3\) @group\.(\d+), i32 (\d+)\)"
)
_FIRST_NAMED, _LANES = 100, 32
_THREADS = ("nvvm.reqntid", "amdgpu-flat-work-group-size")
_TRIES = ("mbarrier.try_wait", "barrier.cluster.wait", "llvm.amdgcn.s.barrier.wait")
_CLUSTERS = ("nvvm.cluster_dim", "amdgpu-cluster-dims")


@dataclass(frozen=True, slots=True)
class Report:
    """What a launch did: accesses to memory, barriers passed, and lines printed."""

    global_memory: Traffic
    shared_memory: Traffic
    barriers: int
    printed: list[str] = field(default_factory=list)


def run(
    text: str,
    *,
    grid: tuple[int, ...],
    arguments: Sequence[object],
    warp_size: int,
    shared_bytes: int = 0,
    scratch_bytes: int = 0,
) -> Report:
    """Run a kernel.

    Args: text: an LLVM module that code generation wrote.  arguments: arrays for pointers,
          `TensorMap`s for descriptors, numbers for the rest.  scratch_bytes: global memory that
          each program needs for itself; it is one more argument, the last.
    Returns: counts.
    Raises: OutOfBoundsError: an access outside; CodegenError: an instruction that is not known,
            threads that wait for each other for ever; LaunchError: arguments that do not fit.
    """
    function = inlined(read(text))
    sizes = (grid[0], grid[1] if len(grid) > 1 else 1, grid[2] if len(grid) > 2 else 1)
    programs = int(np.prod(sizes))
    scratch = [np.zeros(programs * scratch_bytes, np.uint8)] if scratch_bytes else []
    arguments, maps, arrays = _tensor_maps([*arguments, *scratch])
    given = [*arrays, _dispatch_packet(sizes, _threads(function), _blocks(function))]
    memory = Memory.of("global", [array.nbytes for array in given])
    for index, array in enumerate(given):
        memory.write_array(index, array)
    for index, base, found in maps:
        memory.write_array(index, found.encoded(int(memory.starts[base])))
    report = Report(memory.traffic, Traffic(), 0)
    launch = _Launch(
        function,
        sizes,
        warp_size,
        shared_bytes,
        memory,
        int(memory.starts[len(arrays)]),
        _arguments(function, arguments, memory),
        report,
    )
    parts, at = _parts(function)
    barriers = 0
    for z, y, x in np.ndindex(sizes[2], sizes[1], sizes[0]):
        barriers += run_cluster(launch.cluster((x, y, z)), parts, at)
    described = {index for index, _, _ in maps}
    for index, array in enumerate(arrays):
        if index not in described:
            array[...] = memory.read_array(index, array)
    return replace(report, barriers=barriers)


@dataclass(frozen=True, slots=True)
class _Launch:
    """What the blocks of a launch have in common.

    grid: of programs.  memory: global.  packet: where AMD's kernels find the sizes.  values: of the
    arguments.
    """

    function: Function
    grid: tuple[int, int, int]
    warp_size: int
    shared_bytes: int
    memory: Memory
    packet: int
    values: dict[str, np.ndarray | tuple[np.ndarray, ...]]
    report: Report

    def cluster(self, place: tuple[int, int, int]) -> list[state.Block]:
        """Return the blocks of a program, which know of each other, before they run."""
        blocks: list[state.Block] = []
        threads = _threads(self.function)
        for rank in range(_blocks(self.function)):
            block = state.Block(
                threads=threads,
                lanes=self.warp_size,
                place=place,
                grid=self.grid,
                memory=self.memory,
                shared=self._shared(threads),
                mask=np.ones(threads, bool),
                before=np.full(threads, "entry", object),
                dispatch_packet=self.packet,
                values=dict(self.values),
                chip=self.function.attributes.get("target-cpu", ""),
                texts=self.function.texts,
                printed=self.report.printed,
                cluster=blocks,
                rank=rank,
            )
            blocks.append(block)
        return blocks

    def _shared(self, threads: int) -> Memory:
        shared = Memory.shared(self.shared_bytes)
        shared.traffic = self.report.shared_memory
        if _blocks(self.function) > 1 and shared.races is not None:
            shared.races.meetings = Meetings.of(self.shared_bytes, threads)
        return shared


def _dispatch_packet(grid: Sequence[int], threads: int, blocks: int) -> np.ndarray:
    """Return what AMD's kernels read of their launch: sizes of a block and of the grid, in threads.

    Args: grid: of programs.  blocks: of a program.

    Source: HSA Platform System Architecture Specification 1.2, kernel dispatch packet.
    """
    packet = np.zeros(32, np.uint16)
    packet[2:5] = threads, 1, 1
    packet[6:12].view(np.uint32)[:] = grid[0] * threads * blocks, grid[1], grid[2]
    return packet


def _tensor_maps(
    given: Sequence[object],
) -> tuple[list[object], list[tuple[int, int, TensorMap]], list[np.ndarray]]:
    """Put descriptors into arrays of their own, and the tensors that they describe behind all.

    Returns: the arguments, (number of a descriptor's array, its tensor's, itself), all arrays.
    """
    arguments = [
        np.zeros(BYTES, np.uint8) if isinstance(value, TensorMap) else value for value in given
    ]
    arrays = [value for value in arguments if isinstance(value, np.ndarray)]
    bases: dict[int, int] = {}
    maps = []
    places = iter(range(len(arrays)))
    for before, after in zip(given, arguments, strict=True):
        index = next(places) if isinstance(after, np.ndarray) else -1
        if not isinstance(before, TensorMap):
            continue
        if id(before.base) not in bases:
            bases[id(before.base)] = len(arrays)
            arrays.append(before.base)
        maps.append((index, bases[id(before.base)], before))
    return arguments, maps, arrays


def _threads(function: Function) -> int:
    for key in _THREADS:
        if key in function.attributes:
            return int(function.attributes[key].split(",")[0])
    raise CodegenError("the kernel does not say its threads", accepted=_THREADS)


def _blocks(function: Function) -> int:
    """Return how many blocks a cluster has."""
    found = (function.attributes[key] for key in _CLUSTERS if key in function.attributes)
    return int(next(found, "1").split(",")[0])


def _arguments(
    function: Function, given: Sequence[object], memory: Memory
) -> dict[str, np.ndarray | tuple[np.ndarray, ...]]:
    if len(given) != len(function.arguments):
        raise LaunchError(
            f"{function.name} takes {len(function.arguments)} arguments", found=len(given)
        )
    values: dict[str, np.ndarray | tuple[np.ndarray, ...]] = {}
    arrays = 0
    for (name, type_), value in zip(function.arguments, given, strict=True):
        if isinstance(value, np.ndarray):
            values[name] = memory.starts[arrays : arrays + 1]
            arrays += 1
        else:
            values[name] = np.full(1, value, dtype_of(type_))
    return values


def _parts(function: Function) -> tuple[list[Part], dict[str, int]]:
    """Return the parts in order, and where each block begins."""
    parts: list[Part] = []
    at: dict[str, int] = {}
    for block in function.blocks:
        at[block.label] = len(parts)
        part = Part(block.label, [], [], None)
        for one in block.instructions:
            if one.word in ("br", "ret"):
                part.ends = one
            elif one.word == "phi":
                part.phis.append(_phi(one))
            elif one.word == "call" and (barrier := _barrier(one.rest)) is not None:
                part.barrier = barrier
                parts.append(part)
                part = Part(block.label, [], [], None)
            else:
                if one.word == "call" and any(name in one.rest for name in _TRIES):
                    parts.append(part)  # a wait begins a part, so that it can be tried again
                    part = Part(block.label, [], [], None)
                part.steps.append(compile_instruction(one))
                part.lines.append(one)
        if part.ends is None:
            raise CodegenError(f"block {block.label} does not end", found=block.label)
        parts.append(part)
    return parts, at


def _barrier(text: str) -> tuple[int, int] | None:
    """Return the number of the barrier that a call waits at, and its threads, 0 for all."""
    for pattern in _BARRIERS:
        if (found := pattern.search(text)) is not None:
            return int(found[1] or 0), int(found[2] or 0)
    if (found := _NAMED.search(text)) is not None:
        return _FIRST_NAMED + int(found[1]), _LANES * int(found[2])
    return None


def _phi(one: Instruction) -> tuple[str, dict[str, Operand]]:
    type_, rest = parse_type(one.rest)
    incoming: dict[str, Operand] = {}
    for pair in rest.strip("[] ").split(" ], [ "):
        value, _, label = pair.rpartition(", %")
        incoming[label.strip()] = constant(value.strip(), type_)
    return one.result, incoming
