"""Batches of program instances that run together, and the launch that they share.

    grid (8, 2, 1), batches of 4     Batch(launch, 4, ids=([0 1 2 3], [0], [0])), …

An id that is the same for all instances of a batch has size 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from weft.interpreter.access_observer import AccessObserver
from weft.interpreter.async_operations import AsyncOperations
from weft.interpreter.launch_statistics import LaunchStatistics
from weft.interpreter.memory import Memory
from weft.interpreter.values import Index


@dataclass(frozen=True, slots=True)
class Launch:
    """What all instances of one launch share.

    Attributes:
        kernel: The name of the kernel.
        grid: The number of programs along x, y and z.
        memory: The arrays of the launch.
        statistics: Counts traffic and operations; None if they are not wanted.
        observer: Checks accesses; None if they are not checked.
    """

    kernel: str
    grid: tuple[int, int, int]
    memory: Memory
    statistics: LaunchStatistics | None = None
    observer: AccessObserver | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """Some program instances of a launch.

    Attributes:
        launch: The launch.
        size: The number of instances.
        ids: The program ids along x, y and z, each of shape (size,) or (1,).
        async_operations: What is not complete. Programs with such operations run one by one.
    """

    launch: Launch
    size: int
    ids: tuple[np.ndarray, np.ndarray, np.ndarray]
    async_operations: AsyncOperations = field(default_factory=AsyncOperations)

    def with_async_operations(self, operations: AsyncOperations) -> Batch:
        """Construct the batch of a partition: the same instances, other asynchronous operations."""
        return Batch(self.launch, self.size, self.ids, operations)

    def take(self, index: Index, size: int) -> Batch:
        """Select `size` of the instances."""
        x, y, z = (axis if len(axis) == 1 else axis[index] for axis in self.ids)
        return Batch(self.launch, size, (x, y, z), self.async_operations)

    def program(self, instance: int) -> tuple[int, int, int]:
        """Look up the program id of one instance."""
        x, y, z = (int(axis[instance if len(axis) > 1 else 0]) for axis in self.ids)
        return x, y, z
