"""The accesses of asynchronous operations to buffers, which happen when they complete.

    write_later(buffer, data)     the elements are undefined from the start of the copy
    complete()                    the elements are those of `data`

    read_later(buffer)            elements that change from here on are undefined in the result
    read()                        the elements at completion

So a wait that is missing or waits for too little, and a buffer that is overwritten while it is
still read, change the results of a kernel: undefined floats are NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from weft.interpreter.mbarrier import Complete

__all__ = ["CompleteOnce", "read_later", "undefined", "write_later", "write_parts_later"]

_PATTERN = 0xA5  # the bytes of undefined integers: unlikely to be right by chance


def undefined(dtype: np.dtype) -> np.generic:
    """Construct the value of undefined elements: NaN, or an integer of 0xA5 bytes."""
    if dtype.kind in "iub":
        return np.frombuffer(bytes([_PATTERN] * dtype.itemsize), dtype)[0]
    return np.full(1, np.nan).astype(dtype)[0]


class CompleteOnce:
    """Completes an operation at the first call; later calls have no effect.

    A copy can be waited for through its group and through an mbarrier.

    Args:
        complete: Completes the operation.
    """

    __slots__ = ("_complete",)

    def __init__(self, complete: Complete) -> None:
        self._complete: Complete | None = complete

    @property
    def is_complete(self) -> bool:
        """Whether the operation is complete."""
        return self._complete is None

    def __call__(self) -> None:
        """Complete the operation."""
        complete, self._complete = self._complete, None
        if complete is not None:
            complete()


def write_later(buffer: np.ndarray, data: np.ndarray) -> Complete:
    """Make the elements of a buffer undefined until the result is called."""
    data = np.array(np.broadcast_to(data, buffer.shape))
    buffer[...] = undefined(buffer.dtype)

    def complete() -> None:
        buffer[...] = data

    return complete


def write_parts_later(
    buffer: np.ndarray, data: np.ndarray, parts: Sequence[Sequence[int]]
) -> list[Complete]:
    """Make the elements of a buffer undefined until the results are called.

    Args:
        buffer: The buffer, with an axis of program instances.
        data: What is written.
        parts: The rows that each result writes.
    """
    data = np.array(np.broadcast_to(data, buffer.shape))
    buffer[...] = undefined(buffer.dtype)

    def writer(rows: Sequence[int]) -> Complete:
        def complete() -> None:
            buffer[:, rows] = data[:, rows]

        return complete

    return [writer(rows) for rows in parts]


def read_later(buffer: np.ndarray) -> Callable[[], np.ndarray]:
    """Read a buffer at any time until the result is called.

    Elements that are written in between are undefined: what an asynchronous operation reads must
    be there before it starts, and stay until it is complete.
    """
    before = buffer.copy()

    def read() -> np.ndarray:
        after = buffer.copy()
        if after.tobytes() != before.tobytes():
            size = f"V{after.itemsize}"
            after[before.view(size) != after.view(size)] = undefined(after.dtype)
        return after

    return read
