"""Asynchronous operations of one program: copies, MMAs and mbarriers.

    copy 0 → buffer 0     issued: buffer 0 has undefined elements
    commit
    copy 1 → buffer 1     issued: buffer 1 has undefined elements
    commit
    wait {num = 1}        copy 0 is complete: buffer 0 has its elements
    load buffer 0

An operation completes as late as the waits allow, and the memory that it writes is undefined from
its start on. So a wait that is missing or waits for too little, and a buffer that is overwritten
while it is still read, change the results of a kernel: undefined floats are NaN. A wait that
nothing completes is an error.

Source: PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy", "mbarrier".
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from weft.errors import LaunchError, Location
from weft.interpreter.values import Bundle

__all__ = ["AsyncOperations", "undefined"]

Complete = Callable[[], None]
_PATTERN = 0xA5  # the bytes of undefined integers


def undefined(dtype: np.dtype) -> np.generic:
    """Construct the value of undefined elements: NaN, or an integer that stands out."""
    if dtype.kind in "iub":
        return np.frombuffer(bytes([_PATTERN] * dtype.itemsize), dtype)[0]
    return np.full(1, np.nan).astype(dtype)[0]


@dataclass(slots=True)
class _Mbarrier:
    """The state of an mbarrier.

    Attributes:
        count: The arrivals that complete a phase.
        arrivals: The arrivals that the current phase still lacks.
        size: The bytes that the current phase still lacks.
        phase: The parity of the current phase.
        copies: TMA copies that will complete bytes of it.
    """

    count: int
    arrivals: int
    size: int = 0
    phase: int = 0
    copies: deque[Complete] = field(default_factory=deque)

    def complete_phase(self) -> None:
        """Start the next phase if nothing is pending."""
        if self.arrivals == 0 and self.size == 0:
            self.phase ^= 1
            self.arrivals = self.count


class AsyncOperations:
    """The asynchronous operations of one program that are not complete.

    Attributes:
        descriptors: The TMA descriptors that the program made, by their addresses.
    """

    def __init__(self) -> None:
        self.descriptors: dict[int, Bundle] = {}
        self._copies: list[Complete] = []
        self._groups: deque[list[Complete]] = deque()
        self._mmas: deque[Complete] = deque()
        self._stores: deque[Complete] = deque()
        self._mbarriers: dict[int, _Mbarrier] = {}

    # ------------------------------------------------------------------------------- cp.async
    def copy(self, buffer: np.ndarray, data: np.ndarray) -> None:
        """Start a copy into a buffer, as part of the next group."""
        self._copies.append(_write_later(buffer, data))

    def commit_group(self) -> None:
        """Make a group of the copies that were started since the last one."""
        self._groups.append(self._copies)
        self._copies = []

    def wait_for_groups(self, pending: int) -> None:
        """Complete all but the last `pending` groups of copies."""
        while len(self._groups) > pending:
            for complete in self._groups.popleft():
                complete()

    # ---------------------------------------------------------------------------------- MMAs
    def start_mma(self, complete: Complete) -> None:
        """Start an MMA, or another operation of the tensor cores, which run in order."""
        self._mmas.append(complete)

    def wait_for_mmas(self, pending: int) -> None:
        """Complete all but the last `pending` MMAs."""
        while len(self._mmas) > pending:
            self._mmas.popleft()()

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
        self._mbarriers[_address(barrier)] = _Mbarrier(count, count)

    def inval_mbarrier(self, barrier: np.ndarray) -> None:
        """Invalidate an mbarrier."""
        self._mbarriers.pop(_address(barrier), None)

    def arrive(
        self, barrier: np.ndarray, count: int, location: Location | None, size: int = 0
    ) -> None:
        """Arrive on an mbarrier.

        Args:
            barrier: The memory of the mbarrier.
            count: The number of arrivals.
            location: The source location, for errors.
            size: The bytes of copies that the phase waits for from now on.
        """
        mbarrier = self._mbarrier(barrier, location)
        if mbarrier.arrivals < count:
            raise LaunchError(
                "too many arrivals on an mbarrier",
                location=location,
                found=f"{count}, where the phase lacks {mbarrier.arrivals}",
            )
        mbarrier.arrivals -= count
        mbarrier.size += size
        mbarrier.complete_phase()

    def copy_with_mbarrier(
        self,
        buffer: np.ndarray,
        data: np.ndarray,
        barrier: np.ndarray,
        size: int,
        location: Location | None,
    ) -> None:
        """Start a TMA copy that completes `size` bytes of an mbarrier."""
        write, mbarrier = _write_later(buffer, data), self._mbarrier(barrier, location)

        def complete() -> None:
            write()
            mbarrier.size -= size
            mbarrier.complete_phase()

        mbarrier.copies.append(complete)

    def wait_for_phase(self, barrier: np.ndarray, phase: int, location: Location | None) -> None:
        """Wait until the phase of an mbarrier with a parity is complete.

        Raises:
            LaunchError: Nothing that was started completes it.
        """
        mbarrier = self._mbarrier(barrier, location)
        while mbarrier.phase == phase:
            if mbarrier.copies:
                mbarrier.copies.popleft()()
            elif self._mmas:
                self._mmas.popleft()()
            else:
                raise LaunchError(
                    "deadlock: nothing completes the phase of the mbarrier that the program "
                    "waits for",
                    location=location,
                    found=f"parity {phase}, which lacks {mbarrier.arrivals} arrivals and "
                    f"{mbarrier.size} bytes",
                )

    def finish(self) -> None:
        """Complete the copies to global memory at the end of the program."""
        self.wait_for_stores(0)

    def _mbarrier(self, barrier: np.ndarray, location: Location | None) -> _Mbarrier:
        mbarrier = self._mbarriers.get(_address(barrier))
        if mbarrier is None:
            raise LaunchError("the mbarrier is not initialized", location=location)
        return mbarrier


def _write_later(buffer: np.ndarray, data: np.ndarray) -> Complete:
    """Make the elements of a buffer undefined until the result is called."""
    data = np.array(np.broadcast_to(data, buffer.shape))
    buffer[...] = undefined(buffer.dtype)

    def complete() -> None:
        buffer[...] = data

    return complete


def _address(barrier: np.ndarray) -> int:
    address: int = barrier.__array_interface__["data"][0]
    return address
