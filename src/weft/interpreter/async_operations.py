"""Asynchronous operations of one program: copies, MMAs and mbarriers.

    copy 0 → buffer 0     issued: buffer 0 has undefined elements
    commit
    copy 1 → buffer 1     issued: buffer 1 has undefined elements
    commit
    wait {num = 1}        copy 0 is complete: buffer 0 has its elements
    load buffer 0

An operation completes as late as the waits allow; `deferred_accesses` has what it reads and writes
until then. A wait that nothing completes is an error.

Each partition of a warp-specialized program waits for its own copies, and shares the mbarriers with
the others (`partitions`).

Source: PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy", "mbarrier"; AMD's
CDNA5 ISA, "Tensor data mover".
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from weft.errors import LaunchError, Location
from weft.interpreter.deferred_accesses import CompleteOnce, write_later
from weft.interpreter.mbarrier import Complete, Mbarrier
from weft.interpreter.partitions import PartitionScheduler
from weft.interpreter.values import Bundle

__all__ = ["AsyncOperations"]


@dataclass(slots=True)
class _Mma:
    """An operation of the tensor cores, or an arrival that waits for those before it.

    Attributes:
        complete: Computes its result.
        signals: The mbarrier that it arrives on.
    """

    complete: Complete
    signals: Mbarrier | None = None


@dataclass(slots=True)
class _Shared:
    """What the partitions of a program share.

    Attributes:
        descriptors: The TMA descriptors that the program made, by their addresses.
        mbarriers: The mbarriers, by their addresses.
        partitions: The asynchronous operations of each partition.
        scheduler: Runs the partitions, None while there are none.
    """

    descriptors: dict[int, Bundle] = field(default_factory=dict)
    mbarriers: dict[int, Mbarrier] = field(default_factory=dict)
    partitions: list[AsyncOperations] = field(default_factory=list)
    scheduler: PartitionScheduler | None = None


class AsyncOperations:
    """The asynchronous operations of one program, or one partition, that are not complete.

    Args:
        shared: The state of the program; None for a new program.
    """

    def __init__(self, shared: _Shared | None = None) -> None:
        self._shared = shared or _Shared()
        self._shared.partitions.append(self)
        self._copies: list[CompleteOnce] = []
        self._groups: deque[list[CompleteOnce]] = deque()
        self._mmas: deque[_Mma] = deque()
        self._stores: deque[Complete] = deque()
        self._tensor_copies: deque[deque[Complete]] = deque()
        self._loads: list[tuple[np.ndarray, Complete]] = []

    @property
    def descriptors(self) -> dict[int, Bundle]:
        """The TMA descriptors that the program made, by their addresses."""
        return self._shared.descriptors

    # ------------------------------------------------------------------------------ partitions
    def run_partitions(
        self, bodies: dict[str, Callable[[AsyncOperations], None]], location: Location | None
    ) -> None:
        """Run partitions concurrently, and return when all have ended.

        Args:
            bodies: What each partition runs, by its name. The first one continues with the
                operations of this object.
            location: The source location, for errors.

        Raises:
            LaunchError: All partitions wait.
        """
        if self._shared.scheduler is not None:
            raise LaunchError("a partition cannot have partitions", location=location)
        scheduler = self._shared.scheduler = PartitionScheduler()
        own = [self, *(AsyncOperations(self._shared) for _ in list(bodies)[1:])]
        try:
            scheduler.run(
                {
                    name: lambda body=body, state=state: body(state)
                    for (name, body), state in zip(bodies.items(), own, strict=True)
                }
            )
        finally:
            self._shared.scheduler = None

    def switch(self) -> None:
        """Let another partition run, so that a signal which is too early has its effect."""
        if self._shared.scheduler is not None:
            self._shared.scheduler.switch()

    # --------------------------------------------------------------- cp.async, direct-to-LDS
    def copy(self, buffer: np.ndarray, data: np.ndarray) -> None:
        """Start a copy into a buffer, as part of the next group."""
        self.start_copy(write_later(buffer, data))

    def start_copy(self, complete: Complete) -> None:
        """Start another copy as part of the next group."""
        self._copies.append(CompleteOnce(complete))

    def commit_group(self) -> None:
        """Make a group of the copies that were started since the last one."""
        self._groups.append(self._copies)
        self._copies = []

    def wait_for_groups(self, pending: int) -> None:
        """Complete all but the last `pending` groups of copies."""
        while len(self._groups) > pending:
            for complete in self._groups.popleft():
                complete()

    def wait_for_copies(self) -> None:
        """Complete all copies, those without a group included."""
        self.wait_for_groups(0)
        copies, self._copies = self._copies, []
        for complete in copies:
            complete()

    def pending_copies(self) -> list[CompleteOnce]:
        """List the copies that are not complete, those without a group included."""
        # A loop that waits through mbarriers never removes copies, so this does.
        while self._groups and all(copy.is_complete for copy in self._groups[0]):
            self._groups.popleft()
        self._copies = [copy for copy in self._copies if not copy.is_complete]
        copies = (copy for group in (*self._groups, self._copies) for copy in group)
        return [copy for copy in copies if not copy.is_complete]

    def arrive_after_copies(
        self, barrier: np.ndarray, count: int, location: Location | None, *, expected: bool
    ) -> None:
        """Arrive on an mbarrier when the copies that were started before are complete.

        Args:
            barrier: The memory of the mbarrier.
            count: The number of arrivals.
            location: The source location, for errors.
            expected: Whether the mbarrier's count includes these arrivals; else the phase waits
                for them in addition to its count.
        """
        mbarrier = self.mbarrier(barrier, location)
        if not expected:
            mbarrier.arrivals += count
        mbarrier.arrive_later(self.pending_copies(), count, location)

    # ------------------------------------------------------------- asynchronous references
    def load(self, buffer: np.ndarray, data: np.ndarray) -> None:
        """Start a load into a buffer of an asynchronous reference."""
        self._loads.append((buffer, write_later(buffer, data)))

    def take_loads(self, buffers: Sequence[np.ndarray]) -> list[Complete]:
        """Remove the pending loads into some buffers, and list what completes them."""
        loads, self._loads = self._loads, []
        selected: list[Complete] = []
        for target, complete in loads:
            if any(np.may_share_memory(target, buffer) for buffer in buffers):
                selected.append(complete)
            else:
                self._loads.append((target, complete))
        return selected

    # ------------------------------------------------------------------------------------ TDM
    def start_tensor_copy(self, instructions: Sequence[Complete]) -> None:
        """Start a TDM copy.

        Args:
            instructions: Complete the instructions of each wave, in order.
        """
        self._tensor_copies.append(deque(instructions))

    def wait_for_tensor_copies(self, pending: int) -> None:
        """Complete all but the last `pending` TDM copies."""
        while len(self._tensor_copies) > pending:
            for complete in self._tensor_copies.popleft():
                complete()

    def wait_for_tensor_instructions(self, pending: int) -> None:
        """Complete all but the last `pending` instructions of TDM copies."""
        while sum(map(len, self._tensor_copies)) > pending:
            first = self._tensor_copies[0]
            first.popleft()()
            if not first:
                self._tensor_copies.popleft()

    # ---------------------------------------------------------------------------------- MMAs
    def start_mma(self, complete: Complete) -> None:
        """Start an MMA, or another operation of the tensor cores, which run in order."""
        self._mmas.append(_Mma(complete))

    def arrive_after_mmas(
        self, mbarrier: Mbarrier, location: Location | None, count: int = 1
    ) -> None:
        """Arrive on an mbarrier when the MMAs that were started before are complete."""
        self._mmas.append(_Mma(lambda: mbarrier.arrive(count, location), mbarrier))

    def wait_for_mmas(self, pending: int) -> None:
        """Complete all but the last `pending` MMAs."""
        while len(self._mmas) > pending:
            self._mmas.popleft().complete()

    # ----------------------------------------------------------------------------- TMA stores
    def start_store(self, complete: Complete) -> None:
        """Start a copy from a buffer to global memory."""
        self._stores.append(complete)

    def wait_for_stores(self, pending: int) -> None:
        """Complete all but the last `pending` copies to global memory."""
        while len(self._stores) > pending:
            self._stores.popleft()()

    # ----------------------------------------------------------------------------- mbarriers
    def init_mbarrier(self, barrier: np.ndarray, count: int) -> None:
        """Initialize an mbarrier."""
        self._shared.mbarriers[_address(barrier)] = Mbarrier(count)

    def inval_mbarrier(self, barrier: np.ndarray) -> None:
        """Invalidate an mbarrier."""
        self._shared.mbarriers.pop(_address(barrier), None)

    def mbarrier(self, barrier: np.ndarray, location: Location | None) -> Mbarrier:
        """Look up the mbarrier in some memory.

        Raises:
            LaunchError: It is not initialized.
        """
        mbarrier = self._shared.mbarriers.get(_address(barrier))
        if mbarrier is None:
            raise LaunchError("the mbarrier is not initialized", location=location)
        return mbarrier

    def copy_with_mbarrier(
        self,
        buffer: np.ndarray,
        data: np.ndarray,
        barrier: np.ndarray,
        size: int,
        location: Location | None,
    ) -> None:
        """Start a TMA copy that completes `size` bytes of an mbarrier."""
        write, mbarrier = write_later(buffer, data), self.mbarrier(barrier, location)

        def complete() -> None:
            write()
            mbarrier.complete_bytes(size)

        mbarrier.copies.append(complete)

    def wait_for_phase(self, mbarrier: Mbarrier, phase: int, location: Location | None) -> None:
        """Wait until the phase of an mbarrier with a parity is complete.

        Raises:
            LaunchError: Nothing that was started completes it.
        """
        scheduler = self._shared.scheduler

        def can_continue() -> bool:
            return mbarrier.phase != phase or self._signals(mbarrier) is not None

        while mbarrier.phase == phase:
            complete = self._signals(mbarrier)
            if complete is not None:
                complete()
            elif scheduler is not None:
                scheduler.wait_until(can_continue, lambda: mbarrier.describe(phase), location)
            else:
                raise LaunchError(
                    "deadlock: nothing completes the phase of the mbarrier that the program "
                    "waits for",
                    location=location,
                    found=mbarrier.describe(phase),
                )

    def _signals(self, mbarrier: Mbarrier) -> Complete | None:
        """Find a pending operation that will arrive on an mbarrier: the oldest one."""
        if mbarrier.copies:
            return lambda: mbarrier.copies.popleft()()
        for partition in self._shared.partitions:
            mmas = partition._mmas
            for number, mma in enumerate(mmas):
                if mma.signals is mbarrier:
                    pending = len(mmas) - number - 1
                    return partial(partition.wait_for_mmas, pending)
        return None

    def finish(self) -> None:
        """Complete the copies at the end of the program: some write global memory."""
        for partition in self._shared.partitions:
            partition.wait_for_stores(0)
            partition.wait_for_tensor_copies(0)
            partition.wait_for_copies()


def _address(barrier: np.ndarray) -> int:
    address: int = barrier.__array_interface__["data"][0]
    return address
