"""The conversions between layouts that remain, and what needs the layouts."""

from __future__ import annotations

from dataclasses import dataclass

from weft.errors import Location

__all__ = ["Anchor", "Conversion"]


@dataclass(frozen=True, slots=True)
class Anchor:
    """An operation that needs a particular layout: a load, a store, a dot, a reduction.

    Attributes:
        op: The name of the operation.
        value: The name of its operand or result with the layout.
        layout: The name of the layout.
        location: The line of the kernel.
    """

    op: str
    value: str
    layout: str
    location: Location | None


@dataclass(frozen=True, slots=True)
class Conversion:
    """One remaining ttg.convert_layout.

    Attributes:
        value: The name of the result.
        location: The line of the kernel.
        type: Shape and element type: "64x32xf16".
        before: The name of the operand's layout.
        after: The name of the result's layout.
        size_bytes: The size of the whole tensor.
        loop_depth: The number of enclosing loops.
        plan: "nothing", "registers", "shuffle", "shared", "cluster" or "unknown".
        instructions: The (name, count) pairs that one warp executes.
        barriers: The number of barriers.
        shared_bytes: The scratch space in shared memory.
        passes: The wavefronts over the banks of shared memory, of all warps.
        conflicts: The wavefronts that bank conflicts add.
        cost: The estimated cycles of one warp, loops included.
        anchors: The operations that need the layout before and the layout after.
        removal: For each way to remove the conversion, its cost in one sentence.
    """

    value: str
    location: Location | None
    type: str
    before: str
    after: str
    size_bytes: int
    loop_depth: int
    plan: str
    instructions: tuple[tuple[str, int], ...]
    barriers: int
    shared_bytes: int
    passes: int
    conflicts: int
    cost: int
    anchors: tuple[Anchor | None, Anchor | None]
    removal: tuple[str, ...]
