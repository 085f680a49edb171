"""The dots and the instructions that they become."""

from __future__ import annotations

from dataclasses import dataclass

from weft.errors import Location

__all__ = ["Dot"]


@dataclass(frozen=True, slots=True)
class Dot:
    """One dot.

    Attributes:
        op: The name of the operation.
        value: The name of the result, "" if the accumulator is in tensor memory.
        location: The line of the kernel.
        type: Batch dimensions, m, n, k and the element type of a: "128x128x64xf16".
        loop_depth: The number of enclosing loops.
        instruction: The name of the instruction, "fma" without matrix units.
        tile: The m, n, k of one instruction; (1, 1, 1) for fma.
        per_warp: The number of instructions that one warp executes.
        warps: The number of warps along each dimension of the result.
        why: The rule that chose the instruction.
        rejected: The (instruction, reason) pairs of other candidates.
        facts: The (name, value) pairs that the rule used or chose, such as the warps per block,
            kWidth and isTransposed, each with its reason.
    """

    op: str
    value: str
    location: Location | None
    type: str
    loop_depth: int
    instruction: str
    tile: tuple[int, ...]
    per_warp: int
    warps: tuple[int, ...]
    why: str
    rejected: tuple[tuple[str, str], ...]
    facts: tuple[tuple[str, str], ...] = ()
