"""Detection of livelock: loops that wait for memory which no running program changes.

Programs that wait for memory run one by one (`compiled_function.needs_order`). If an iteration of
such a loop changes neither memory nor a loop-carried value, no later iteration does either, and the
launch would never end.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.errors import LaunchError, Location
from weft.interpreter.program_batch import Batch
from weft.interpreter.values import Value


class LivelockDetector:
    """Compares the state after each iteration of one execution of a loop.

    Args:
        location: The source location of the loop, for the error.
    """

    def __init__(self, location: Location | None) -> None:
        self._location = location
        self._previous: tuple[int, Sequence[Value]] | None = None

    def check(self, batch: Batch, values: Sequence[Value]) -> None:
        """Compare the state at the end of an iteration with that of the previous one.

        Args:
            batch: The instances that run the loop.
            values: What the loop carries.

        Raises:
            LaunchError: Nothing changed.
        """
        state = (batch.launch.memory.version, values)
        previous, self._previous = self._previous, state
        if (
            previous is not None
            and previous[0] == state[0]
            and all(map(_same, previous[1], values))
        ):
            raise LaunchError(
                "this loop waits for memory that no running program will change",
                location=self._location,
                found=f"program {batch.program(0)} of {batch.launch.kernel}",
                hint="programs run in the order of their ids here; wait only for earlier ones",
            )


def _same(one: Value, other: Value) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return np.array_equal(one, other)
    return one is other
