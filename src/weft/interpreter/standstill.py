"""Find loops that wait in vain, so that a launch ends in an error and not never.

Programs that wait for memory run one by one (`function.needs_order`). If an iteration of such a
loop changed neither memory nor a value that the loop carries, the next one will not either.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.errors import LaunchError, Location
from weft.interpreter.batch import Batch
from weft.interpreter.values import Value


class Standstill:
    """Watch one run of a loop.

    Args: location: of the loop, for the error.
    """

    def __init__(self, location: Location | None) -> None:
        self._location = location
        self._before: tuple[int, Sequence[Value]] | None = None

    def check(self, batch: Batch, values: Sequence[Value]) -> None:
        """Compare the state at the end of an iteration with that of the one before.

        Raises: LaunchError: nothing changed.
        """
        now = (batch.launch.memory.version, values)
        before, self._before = self._before, now
        if before is not None and before[0] == now[0] and all(map(_same, before[1], values)):
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
