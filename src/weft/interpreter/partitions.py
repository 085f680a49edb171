"""Run the partitions of a warp-specialized program, one at a time.

    default       wait full ─┐                       ┌─ continues
    partition0               └─ copy, arrive full ───┘

A partition runs until it waits for something that is not complete, or until it signals another one.
Then the next partition that can continue runs. So a signal that is too early lets another partition
overwrite a buffer that is still read, and the result is wrong. If no partition can continue, all of
them wait for each other: a deadlock, which names each wait.

Each partition has a thread, because it can wait within any number of loops and calls. A semaphore
for each lets only one of them run.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from weft.errors import LaunchError, Location

__all__ = ["PartitionScheduler"]


class _Abandoned(BaseException):
    """Ends a partition after another one failed."""


@dataclass(eq=False, slots=True)
class _Partition:
    """One partition.

    Attributes:
        name: Its name, for errors.
        turn: Released when the partition may run.
        can_continue: Checks whether what it waits for is complete; None if it does not wait.
        describe: Describes what it waits for.
        location: The source location of the wait.
    """

    name: str
    turn: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    can_continue: Callable[[], bool] | None = None
    describe: Callable[[], str] = str
    location: Location | None = None


class PartitionScheduler:
    """Runs partitions in turns."""

    def __init__(self) -> None:
        self._active: list[_Partition] = []
        self._current: _Partition | None = None
        self._error: BaseException | None = None
        self._ended = threading.Semaphore(0)

    def run(self, bodies: Mapping[str, Callable[[], None]]) -> None:
        """Run partitions until all have ended; the first one starts.

        Raises:
            BaseException: The first error of a partition.
        """
        self._active = [_Partition(name) for name in bodies]
        threads = [
            threading.Thread(
                # numpy keeps its error handling in the context
                target=contextvars.copy_context().run,
                args=(self._run_one, partition, body),
                name=partition.name,
                daemon=True,
            )
            for partition, body in zip(self._active, bodies.values(), strict=True)
        ]
        for thread in threads:
            thread.start()
        self._resume(self._active[0])
        for _ in threads:
            self._ended.acquire()
        if self._error is not None:
            raise self._error

    def switch(self) -> None:
        """Let the next partition that can continue run before the current one goes on."""
        own = self._current
        assert own is not None
        following = self._next(own)
        if following is not own:
            self._resume(following or own)
            self._await_turn(own)

    def wait_until(
        self,
        can_continue: Callable[[], bool],
        describe: Callable[[], str],
        location: Location | None,
    ) -> None:
        """Run other partitions until a condition holds.

        Args:
            can_continue: The condition.
            describe: Describes it, for errors.
            location: The source location of the wait, for errors.

        Raises:
            LaunchError: No partition can continue.
        """
        own = self._current
        assert own is not None
        own.can_continue, own.describe, own.location = can_continue, describe, location
        following = self._next(own)
        if following is None:
            raise self._deadlock(location)
        if following is not own:
            self._resume(following)
            self._await_turn(own)
        own.can_continue = None

    def _run_one(self, partition: _Partition, body: Callable[[], None]) -> None:
        try:
            self._await_turn(partition)
            body()
        except _Abandoned:
            pass
        except BaseException as error:
            self._error = self._error or error
        following = self._next(partition)
        self._active.remove(partition)
        if self._error is None and self._active and following in (None, partition):
            self._error = self._deadlock(self._active[0].location)
        if self._active:
            following = self._active[0] if self._error is not None else following
            assert following is not None
            self._resume(following)
        self._ended.release()

    def _next(self, own: _Partition) -> _Partition | None:
        """Find the next partition that can continue, in turns; the current one comes last."""
        start = self._active.index(own) + 1
        for partition in (*self._active[start:], *self._active[:start]):
            if partition.can_continue is None or partition.can_continue():
                return partition
        return None

    def _resume(self, partition: _Partition) -> None:
        self._current = partition
        partition.turn.release()

    def _await_turn(self, partition: _Partition) -> None:
        partition.turn.acquire()
        if self._error is not None:
            raise _Abandoned

    def _deadlock(self, location: Location | None) -> LaunchError:
        waits = [
            f"{each.name} waits{f' at {each.location}' if each.location else ''} for "
            f"{each.describe()}"
            for each in self._active
        ]
        return LaunchError(
            "deadlock: all partitions that have not ended wait for mbarriers",
            location=location,
            found="; ".join(waits),
        )
