"""Conversions within a thread: registers are renamed, or nothing happens at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from weft.layouts.linear_layout import LinearLayout
from weft.layouts.plans.cost import Cost

if TYPE_CHECKING:
    from weft.layouts.plans.instruction_semantics import Values

__all__ = ["RegisterPlan"]


class RegisterPlan(Struct, frozen=True):
    """Each register of the target is a register of the same thread.

    Attributes:
        source: the layout before.
        target: the layout after.
        registers: for each register of the target, that of the source.
    """

    source: LinearLayout
    target: LinearLayout
    registers: tuple[int, ...]

    @property
    def kind(self) -> str:
        """The kind of plan: "nothing" if every register keeps its number, else "registers"."""
        is_identity = self.registers == tuple(range(self.source.in_size("register")))
        return "nothing" if is_identity else "registers"

    @property
    def cost(self) -> Cost:
        """The registers that get another number."""
        return Cost(moves=sum(old != new for new, old in enumerate(self.registers)))

    def execute(self, values: Values) -> Values:
        """Return the target's values, [register, lane, warp, block], from the source's."""
        return values[list(self.registers)]
