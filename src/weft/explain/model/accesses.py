"""The accesses to global and to shared memory."""

from __future__ import annotations

from dataclasses import dataclass

from weft.errors import Location

__all__ = ["Access", "SharedAccess"]


@dataclass(frozen=True, slots=True)
class Access:
    """One access to global memory.

    Attributes:
        op: The name of the operation.
        value: The name of the loaded value, or of the pointers of a store.
        location: The line of the kernel.
        type: The shape and element type of the accessed tensor.
        layout: The name of the layout of the pointers.
        loop_depth: The number of enclosing loops.
        vector_bits: The bits that one instruction of a thread accesses.
        limit: The cause of that width: "widest", "order", "divisibility", "contiguity", "mask" or
            "share".
        limited_by: The limit in words.
        requests: The instructions of all warps.
        sectors: The 32-byte sectors that the requests touch.
        ideal_sectors: The sectors that would hold the accessed bytes without gaps.
    """

    op: str
    value: str
    location: Location | None
    type: str
    layout: str
    loop_depth: int
    vector_bits: int
    limit: str
    limited_by: str
    requests: int
    sectors: int
    ideal_sectors: int

    @property
    def sectors_per_request(self) -> float:
        """The mean number of sectors that one instruction of a warp touches."""
        return self.sectors / self.requests


@dataclass(frozen=True, slots=True)
class SharedAccess:
    """One explicit access to shared memory.

    Attributes:
        op: The name of the operation.
        location: The line of the kernel.
        type: The shape and element type of the tensor.
        kind: "read" or "write".
        layout: The name of the tensor's layout.
        memory: The name of the buffer's layout.
        loop_depth: The number of enclosing loops.
        bits: The bits that one instruction of a thread accesses.
        accesses: The instructions of all warps.
        wavefronts: The passes over the banks that they take.
        conflicts: The wavefronts that bank conflicts add.
    """

    op: str
    location: Location | None
    type: str
    kind: str
    layout: str
    memory: str
    loop_depth: int
    bits: int
    accesses: int
    wavefronts: int
    conflicts: int
