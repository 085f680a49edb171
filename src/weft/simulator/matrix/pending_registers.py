"""Registers that an unfinished wgmma writes.

    %p = wgmma …                    %p#0, %p#1 … are pending
    %a = extractvalue %p, 0         %a is pending too: it is moved, not read
    %b = fadd %a, 1.0               an error: nothing has waited for the wgmma
    %w = wgmma.wait_group 0 (%a)    %w may be read; %a may not, as ptxas may move its use up

A moved value is pending on the same instructions as its source. The result of a wait is pending
only on the groups that the wait leaves unfinished. "#" and a number name a member of a struct.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from weft.simulator.diagnostics import NO_STEP

__all__ = ["PendingRegisters", "Wgmma"]


@dataclass(slots=True)
class Wgmma:
    """One wgmma of a warp group.

    Attributes:
        group: Number of the warp group.
        is_complete: Whether a wait has covered it.
        step: Number of the instruction.
    """

    group: int
    is_complete: bool = False
    step: int = NO_STEP


class PendingRegisters:
    """Which unfinished wgmma instructions write which values."""

    __slots__ = ("_writers",)

    def __init__(self) -> None:
        self._writers: dict[str, tuple[Wgmma, ...]] = {}

    def __bool__(self) -> bool:
        return bool(self._writers)

    def begin(self, name: str, members: int, wgmma: Wgmma) -> None:
        """Mark the members of a struct as pending on a wgmma."""
        for member in range(members):
            key = f"{name}#{member}"
            self._writers[key] = (*self._of_other_groups(key, (wgmma.group,)), wgmma)

    def writers(self, name: str) -> tuple[Wgmma, ...]:
        """List the instructions that a value is pending on."""
        return self._writers.get(name, ())

    def is_pending(self, name: str, groups: Iterable[int]) -> bool:
        """Check whether a value is pending on an instruction of one of the warp groups."""
        writers = self._writers.get(name)
        return writers is not None and any(wgmma.group in groups for wgmma in writers)

    def define(self, name: str, groups: Iterable[int], writers: Iterable[Wgmma] = ()) -> None:
        """Set which instructions a value is pending on, for the warp groups that define it."""
        all_writers = (*self._of_other_groups(name, groups), *writers)
        if all_writers:
            self._writers[name] = all_writers
        else:
            self._writers.pop(name, None)

    def _of_other_groups(self, name: str, groups: Iterable[int]) -> tuple[Wgmma, ...]:
        return tuple(wgmma for wgmma in self._writers.get(name, ()) if wgmma.group not in groups)
