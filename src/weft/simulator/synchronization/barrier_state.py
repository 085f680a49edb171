"""The state of barriers in shared memory: NVIDIA's mbarriers, and gfx1250's barriers in LDS.

The instructions on them are in mbarrier.py and lds_barrier.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from weft.errors import CodegenError
from weft.simulator.diagnostics import NO_STEP

__all__ = ["LdsBarrier", "Mbarrier"]


@dataclass(slots=True)
class Mbarrier:
    """An mbarrier.

    Attributes:
        count: Arrivals of a phase.
        pending_arrivals: Arrivals that the current phase still expects.
        phase: Number of completed phases.
        pending_bytes: Bytes that copies have yet to complete (the transaction count).
        copies: Copies that complete on the barrier and have not: each completes one and returns
            which threads have synchronized with it.
        commits: The same for tcgen05.commit; the barrier may be invalidated before they complete.
        visible_to: Which threads have synchronized with the copies of the last phase.
        visible_phase: The phase of `visible_to`.
        earlier_copies: The same of copies that completed on another barrier: arriving threads had
            synchronized with them, or the matrix instructions that arrive here read them.
        step: Number of the instruction that initialized the mbarrier.
        arrival_clock: What the arrivals so far observed (see `WarpOrder`), None without any.
        phase_clock: The same of the arrivals up to the last complete phase.
    """

    count: int
    pending_arrivals: int
    phase: int = 0
    pending_bytes: int = 0
    copies: list[Callable[[], np.ndarray]] = field(default_factory=list)
    commits: list[Callable[[], np.ndarray]] = field(default_factory=list)
    visible_to: list[np.ndarray] = field(default_factory=list)
    visible_phase: int = 0
    earlier_copies: list[np.ndarray] = field(default_factory=list)
    step: int = NO_STEP
    arrival_clock: np.ndarray | None = None
    phase_clock: np.ndarray | None = None

    @property
    def is_unused(self) -> bool:
        """Whether nothing has arrived, and no copy or commit is outstanding."""
        is_idle = not (self.phase or self.pending_bytes or self.copies or self.commits)
        return is_idle and self.pending_arrivals == self.count

    def arrive(self, arrivals: int) -> None:
        """Count arrivals, and complete the phase if they are the last.

        Raises:
            CodegenError: They are more than the phase expects.
        """
        if arrivals > self.pending_arrivals:
            raise CodegenError(
                "more arrivals at a barrier than it expects",
                found=arrivals,
                accepted=[self.count],
            )
        self.pending_arrivals -= arrivals
        self.complete_phase()

    def complete_phase(self) -> None:
        """Start the next phase if neither arrivals nor bytes are pending."""
        if not self.pending_arrivals and not self.pending_bytes:
            self.phase += 1
            self.pending_arrivals = self.count
            self.phase_clock = self.arrival_clock

    def observe(self, clock: np.ndarray) -> None:
        """Add what an arrival observed to what waits for its phase observe."""
        if self.arrival_clock is not None:
            clock = np.maximum(clock, self.arrival_clock)
        self.arrival_clock = clock

    def complete_copies(self) -> None:
        """Complete all copies and commits."""
        if self.copies or self.commits:
            if self.visible_phase != self.phase:
                self.visible_to, self.visible_phase = [], self.phase
            self.visible_to += [complete() for complete in (*self.copies, *self.commits)]
            self.copies.clear()
            self.commits.clear()


@dataclass(slots=True)
class LdsBarrier:
    """What is known of a barrier in LDS besides its 64 bits.

    Attributes:
        copies: Copies that will arrive: kind of wait counter, warp, and what completes the copy.
        visible_to: Which threads have synchronized with the copies that arrived.
        arrivers: Threads that arrived.
        clock: What they observed (see `WarpOrder`), None without any.
    """

    copies: list[tuple[str, int, Callable[[], None]]] = field(default_factory=list)
    visible_to: list[np.ndarray] = field(default_factory=list)
    arrivers: set[int] = field(default_factory=set)
    clock: np.ndarray | None = None
