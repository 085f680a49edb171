"""The state of an mbarrier: the arrivals and bytes that its current phase lacks.

    init 2                phase 0 lacks 2 arrivals
    arrive                phase 0 lacks 1 arrival
    arrive, expect 64     phase 0 lacks 64 bytes
    TMA copy of 64 bytes  phase 0 is complete; phase 1 lacks 2 arrivals

Source: PTX ISA, "mbarrier".
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from weft.errors import LaunchError, Location

__all__ = ["Complete", "Mbarrier"]

Complete = Callable[[], None]


class Mbarrier:
    """An mbarrier.

    Args:
        count: The arrivals that complete a phase.

    Attributes:
        count: The arrivals that complete a phase.
        arrivals: The arrivals that the current phase still lacks.
        size: The bytes that the current phase still lacks.
        phase: The parity of the current phase.
        copies: Pending copies that will arrive or complete bytes.
    """

    __slots__ = ("arrivals", "copies", "count", "phase", "size")

    def __init__(self, count: int) -> None:
        self.count = count
        self.arrivals = count
        self.size = 0
        self.phase = 0
        self.copies: deque[Complete] = deque()

    def arrive(self, count: int, location: Location | None, size: int = 0) -> None:
        """Arrive.

        Args:
            count: The number of arrivals.
            location: The source location, for errors.
            size: The bytes of copies that the phase waits for from now on.
        """
        if self.arrivals < count:
            raise LaunchError(
                "too many arrivals on an mbarrier",
                location=location,
                found=f"{count}, where the phase lacks {self.arrivals}",
            )
        self.arrivals -= count
        self.size += size
        self._complete_phase()

    def arrive_later(
        self, copies: Sequence[Complete], count: int, location: Location | None
    ) -> None:
        """Arrive when copies are complete: a wait for the phase completes them.

        Args:
            copies: Complete the copies.
            count: The number of arrivals.
            location: The source location, for errors.
        """

        def complete() -> None:
            for copy in copies:
                copy()
            self.arrive(count, location)

        self.copies.append(complete)

    def complete_bytes(self, size: int) -> None:
        """Count the bytes of a copy."""
        self.size -= size
        self._complete_phase()

    def describe(self, phase: int) -> str:
        """Describe what a wait for a phase lacks."""
        return f"parity {phase}, which lacks {self.arrivals} arrivals and {self.size} bytes"

    def _complete_phase(self) -> None:
        """Start the next phase if the current one lacks nothing."""
        if self.arrivals == 0 and self.size == 0:
            self.phase ^= 1
            self.arrivals = self.count
