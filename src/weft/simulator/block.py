"""The state of a block of threads while it runs: the values of its threads, memories, waits.

A value is an array whose first axis is the threads, or has size 1 if all threads have the same
value. A step runs for the active threads; the values of the others do not change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from weft.simulator.counters import Count, Counters, global_count
from weft.simulator.diagnostics import History
from weft.simulator.llvm_ir.types import Operand
from weft.simulator.matrix.pending_registers import PendingRegisters, Wgmma
from weft.simulator.matrix.tensor_memory_state import TensorMemory
from weft.simulator.memory.memory import Memory
from weft.simulator.synchronization.barrier_state import LdsBarrier, Mbarrier

__all__ = ["AsyncCopies", "Block", "Launch", "NotReady", "PendingRead", "Step", "Value"]

WARP_GROUP = 128
"""Threads that execute one wgmma."""

Step: TypeAlias = "Callable[[Block], None]"
"""Executes one instruction for the active threads of a block."""

Value: TypeAlias = "np.ndarray | tuple[np.ndarray, ...]"
"""An array of a value per thread, or the arrays of a struct's members."""


class NotReady(Exception):
    """A wait is not satisfied yet. The step had no effect and runs again later.

    Attributes:
        condition: What it waits for, in words.
        address: Address of the mbarrier, None for other barriers.
        mbarrier: The mbarrier.
    """

    def __init__(
        self, condition: str, address: int | None = None, mbarrier: Mbarrier | None = None
    ) -> None:
        super().__init__(condition)
        self.condition = condition
        self.address = address
        self.mbarrier = mbarrier


class PendingRead(Exception):
    """A step reads registers that an unfinished wgmma writes. The step had no effect."""


@dataclass(frozen=True, slots=True)
class Launch:
    """What all blocks of a launch share.

    Attributes:
        grid: Number of programs along x, y and z; a program is a block or a cluster.
        chip: LLVM's name of an AMD processor, "" for NVIDIA.
        dispatch_packet: Address of the packet that describes the launch to AMD kernels.
        strings: The module's string constants by name.
        output: Lines that the kernel printed.
        counters: Counts what the launch executes, None if it is not counted.
    """

    grid: tuple[int, int, int]
    chip: str
    dispatch_packet: int
    strings: Mapping[str, str]
    output: list[str]
    counters: Counters | None = None


@dataclass(slots=True)
class AsyncCopies:
    """Asynchronous copies that have not completed.

    Attributes:
        cp_async: Warp → its commit groups of cp.async copies; the last group is open. A copy takes
            a mask of threads, completes for those, and returns the bytes of shared memory that it
            wrote.
        bulk: Thread → its bulk commit groups of TMA stores; the last group is open.
        amd: (kind of wait counter, warp) → copies of AMD chips in issue order.
    """

    cp_async: dict[int, list[list[Callable[[np.ndarray], np.ndarray]]]] = field(
        default_factory=dict
    )
    bulk: dict[int, list[list[Callable[[], None]]]] = field(default_factory=dict)
    amd: dict[tuple[str, int], list[Callable[[], None]]] = field(default_factory=dict)


@dataclass(slots=True)
class Block:
    """A block of threads.

    Attributes:
        launch: What all blocks share.
        threads: Number of threads.
        warp_size: Threads of a warp.
        program: Position of the block, or of its cluster, in the grid.
        global_memory: The arrays of the launch.
        shared: Shared memory.
        active: The threads that execute the current step.
        previous_label: Label of the basic block from which each thread branched to its current
            one, for phis.
        values: Values by name.
        cluster: The blocks of its cluster by rank, this one included.
        rank: Position in the cluster.
        exited: Threads that have returned.
        sleeping: Threads that yield to others until those have run.
        idle_polls: Number of sleeps since the last arrival at a barrier.
        finished: Whether all threads have returned.
        copies: Asynchronous copies that have not completed.
        wgmma_groups: Warp group → its wgmma groups; the last group is open. Each item is an
            instruction and the sets of bytes that it reads.
        pending: Registers that unfinished wgmma instructions write.
        tensor_memory: Tensor memory, None before the first use.
        mbarriers: mbarriers by address.
        lds_barriers: gfx1250's barriers in LDS by address.
        polls: Warp → address of the barrier in LDS that it polled last, and number of the
            instruction.
        unfenced_tensormaps: Addresses of descriptors in global memory that were written and not
            fenced yet.
        messages: Lines that an AMD kernel is printing: a format, then words of 64 bits.
        history: The instructions of the kernel, and the one that runs.
    """

    launch: Launch
    threads: int
    warp_size: int
    program: tuple[int, int, int]
    global_memory: Memory
    shared: Memory
    active: np.ndarray
    previous_label: np.ndarray
    values: dict[str, Value] = field(default_factory=dict)
    cluster: Sequence[Block] = ()
    rank: int = 0
    exited: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))
    sleeping: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))
    idle_polls: int = 0
    finished: bool = False
    copies: AsyncCopies = field(default_factory=AsyncCopies)
    wgmma_groups: dict[int, list[list[tuple[Wgmma, list[np.ndarray]]]]] = field(
        default_factory=dict
    )
    pending: PendingRegisters = field(default_factory=PendingRegisters)
    tensor_memory: TensorMemory | None = None
    mbarriers: dict[int, Mbarrier] = field(default_factory=dict)
    lds_barriers: dict[int, LdsBarrier] = field(default_factory=dict)
    polls: dict[int, tuple[int, int]] = field(default_factory=dict)
    unfenced_tensormaps: set[int] = field(default_factory=set)
    messages: list[list[str | np.ndarray]] = field(default_factory=list)
    history: History = field(default_factory=History)

    def __post_init__(self) -> None:
        if self.shared.races is not None:
            self.history = self.shared.races.history
        self.sleeping = np.zeros(self.threads, bool)
        self.exited = np.zeros(self.threads, bool)

    def per_thread(self, operand: Operand) -> np.ndarray:
        """Read an operand, one value for each thread."""
        return np.broadcast_to(self.get(operand), self.threads)

    def by_warp(self, values: np.ndarray) -> np.ndarray:
        """Reshape values of threads to [warp, lane]; a block may be smaller than a warp."""
        return values.reshape(-1, min(self.warp_size, self.threads))

    @property
    def active_warps(self) -> int:
        """Number of warps with an active thread."""
        return int(self.by_warp(self.active).any(axis=1).sum())

    def count(self, kind: str, bits: int = 0, threads: np.ndarray | None = None) -> None:
        """Count an execution of the current instruction.

        Args:
            kind: Its kind.
            bits: The bits that a lane moves.
            threads: The threads that take part, None for the active ones.
        """
        counters = self.launch.counters
        if counters is not None:
            lanes = self.by_warp(self.active if threads is None else threads)
            requests = int(lanes.any(axis=1).sum())
            counters.add(self.history.current, kind, bits, Count(0, requests))

    def count_shared(
        self,
        kind: str,
        size: int,
        addresses: np.ndarray,
        threads: np.ndarray | None = None,
        *,
        writes: bool = False,
        bits: int = 0,
    ) -> None:
        """Count an execution of an access to shared memory.

        Args:
            kind: Its kind.
            size: Bytes at each address.
            addresses: Address per thread.
            threads: The threads that supply addresses, None for the active ones.
            writes: Whether it writes.
            bits: The bits that a thread moves, if they are not those at its address.
        """
        counters = self.launch.counters
        if counters is not None:
            rows, lanes = self._access(addresses, threads)
            count = counters.shared_count(rows, lanes, size, "write" if writes else "read")
            counters.add(self.history.current, kind, bits or 8 * size, count)

    def count_global(
        self, kind: str, size: int, addresses: np.ndarray, threads: np.ndarray | None = None
    ) -> None:
        """Count an execution of an access to global memory; arguments as of `count_shared`."""
        counters = self.launch.counters
        if counters is not None:
            rows, lanes = self._access(addresses, threads)
            counters.add(self.history.current, kind, 8 * size, global_count(rows, lanes, size))

    def count_copy(
        self,
        size: int,
        source: np.ndarray,
        target: np.ndarray,
        threads: np.ndarray,
        reading: np.ndarray,
    ) -> None:
        """Count an asynchronous copy of each thread from global to shared memory.

        Args:
            size: Bytes per thread.
            source: Address in global memory per thread.
            target: Address in shared memory per thread.
            threads: The threads that copy.
            reading: Those of them that read global memory; the others write zeros.
        """
        counters = self.launch.counters
        if counters is None:
            return
        rows, lanes = self._access(target, threads)
        write = counters.shared_count(rows, lanes, size, "write")
        read = global_count(*self._access(source, threads & reading), size)
        count = replace(read, requests=write.requests) + replace(write, requests=0)
        counters.add(self.history.current, "async copy", 8 * size, count)

    def count_tile(self, thread: int, addresses: np.ndarray, inside: np.ndarray, size: int) -> None:
        """Count a copy of a tile.

        Args:
            thread: The thread that issues it.
            addresses: Address of each element in global memory.
            inside: The elements that are inside of the tensor.
            size: Bytes of an element.
        """
        counters = self.launch.counters
        if counters is not None and 0 <= thread < self.threads:
            count = global_count(addresses.reshape(1, -1), inside.reshape(1, -1), size)
            counters.add(self.history.current, "tile copy", 0, replace(count, requests=1))

    def _access(
        self, addresses: np.ndarray, threads: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Arrange addresses and the threads that take part by warp and lane."""
        rows = np.broadcast_to(addresses, self.threads)
        return self.by_warp(rows), self.by_warp(self.active if threads is None else threads)

    def active_warp_groups(self) -> set[int]:
        """Compute the numbers of the warp groups with an active thread."""
        return set((np.flatnonzero(self.active) // WARP_GROUP).tolist())

    def get(self, operand: Operand) -> np.ndarray:
        """Read an operand: [thread or 1, …].

        Raises:
            PendingRead: An unfinished wgmma writes it.
        """
        if isinstance(operand, str) and self.pending:
            if self.pending.is_pending(operand, self.active_warp_groups()):
                raise PendingRead(operand)
        return self.peek(operand)

    def peek(self, operand: Operand) -> np.ndarray:
        """Read an operand to move it, even if an unfinished wgmma writes it."""
        if not isinstance(operand, str):
            return operand
        value = self.values[operand]
        assert isinstance(value, np.ndarray), f"{operand} is a struct"
        return value

    def get_members(self, name: str) -> tuple[np.ndarray, ...]:
        """Read the members of a struct."""
        value = self.values[name]
        assert isinstance(value, tuple), f"{name} is not a struct"
        return value

    def set(self, name: str, value: np.ndarray) -> None:
        """Define a value for the active threads."""
        if self.pending:
            self.pending.define(name, self.active_warp_groups())
        if self.active.all():
            self.values[name] = value
            return
        old = self.values.get(name)
        full = np.broadcast_to(value, (self.threads, *value.shape[1:]))
        if old is None:
            self.values[name] = full.copy()
            return
        active = self.active.reshape(-1, *[1] * (value.ndim - 1))
        self.values[name] = np.where(active, full, old)

    def set_members(self, name: str, members: tuple[np.ndarray, ...]) -> None:
        """Define a struct for the active threads."""
        if self.pending:
            groups = self.active_warp_groups()
            for member in range(len(members)):
                self.pending.define(f"{name}#{member}", groups)
        old = self.values.get(name)
        if old is None or self.active.all():
            self.values[name] = members
            return
        self.values[name] = tuple(
            np.where(self.active, np.broadcast_to(new, self.threads), before)
            for new, before in zip(members, old, strict=True)
        )

    def set_registers(self, name: str, registers: Sequence[np.ndarray]) -> None:
        """Define the result of a call: a value if there is one register, else a struct."""
        if len(registers) == 1:
            self.set(name, registers[0])
        elif registers:
            self.set_members(name, tuple(registers))

    def pending_wgmmas(self, operand: Operand) -> tuple[Wgmma, ...]:
        """List the unfinished wgmma instructions that write an operand."""
        return self.pending.writers(operand) if isinstance(operand, str) else ()

    def copy_pending(self, target: str, *sources: Operand) -> None:
        """Mark a moved value as pending on the same wgmma instructions as its sources."""
        if self.pending:
            writers = [wgmma for source in sources for wgmma in self.pending_wgmmas(source)]
            self.pending.define(target, self.active_warp_groups(), writers)
