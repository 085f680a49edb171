"""Conversions within a thread: nothing at all, or registers called otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft.layouts.linear_layout import LinearLayout
from weft.layouts.plans.cost import Cost

if TYPE_CHECKING:
    import numpy as np

__all__ = ["RegisterPlan"]


@dataclass(frozen=True, slots=True)
class RegisterPlan:
    """Take each register of the target from a register of the same thread.

    Fields: source, target: the layouts.  registers: for each of the target, that of the source.
    """

    source: LinearLayout
    target: LinearLayout
    registers: tuple[int, ...]

    @property
    def kind(self) -> str:
        """Return "nothing" where every register stays, else "registers"."""
        same = self.registers == tuple(range(self.source.in_size("register")))
        return "nothing" if same else "registers"

    @property
    def cost(self) -> Cost:
        """Return the registers that change their place; a compiler renames them for nothing."""
        return Cost(moves=sum(place != number for number, place in enumerate(self.registers)))

    def execute(self, values: np.ndarray) -> np.ndarray:
        """Return the target's values, [register, lane, warp, block], from the source's."""
        return values[list(self.registers)]
