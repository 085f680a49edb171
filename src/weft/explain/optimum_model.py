"""The optimum of the layouts of a kernel as data: costs, bound, and the values that differ."""

from __future__ import annotations

from dataclasses import dataclass

from weft.errors import Location

__all__ = ["COST_UNIT", "KeptLayouts", "LayoutDifference", "LayoutOptimum"]

COST_UNIT = "quarter cycles of one SM or CU for one program"


@dataclass(frozen=True, slots=True)
class LayoutDifference:
    """An operation whose layouts or cost differ between the kernel and the optimum.

    Attributes:
        op: The name of the operation.
        value: The name of its result, "" for a store.
        location: The line of the kernel.
        type: Shape and element type.
        shape: The shape.
        element_bits: The bits of an element; a pointer has 64.
        before: The names of its layouts in the kernel; several if it is computed more than once, or
            converted.
        after: The names of its layouts in the optimum.
        cost_before: Its cost in the kernel, with the conversions of its result and with loops.
        cost_after: Its cost in the optimum.
    """

    op: str
    value: str
    location: Location | None
    type: str
    shape: tuple[int, ...]
    element_bits: int
    before: tuple[str, ...]
    after: tuple[str, ...]
    cost_before: int
    cost_after: int

    @property
    def saving(self) -> int:
        """The cost that the optimum saves here; negative if another operation saves more."""
        return self.cost_before - self.cost_after


@dataclass(frozen=True, slots=True)
class KeptLayouts:
    """The layouts that `layouts="optimal"` compiles with.

    Attributes:
        choice: "heuristic", "refined" or "optimal": the option that has the same layouts.
        reason: The rule that decides, with its numbers.
        facts: The (name, "before → after") pairs that the rule compares; none if no cheaper layouts
            were found.
    """

    choice: str
    reason: str
    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class LayoutOptimum:
    """What the layouts of a kernel cost, and what the cheapest ones would; see `COST_UNIT`.

    Attributes:
        triton: The cost of the layouts that Triton's heuristics choose; None if weft did not run
            the passes.
        weft: The cost of the kernel that is reported on.
        refined: The cost after weft's own passes, `layouts="refined"`; None if it does not apply.
        cost: The cost of the cheapest assignment that was found.
        bound: No assignment of the candidate layouts costs less.
        layouts: The (name, text) pairs of the layouts that only the optimum has.
        named: The (name, text) pairs of all layouts that the differences name.
        differences: The operations that differ, those that save most first.
        kept: The layouts that `layouts="optimal"` compiles with; None for IR that has stages to
            pass, and for a Gluon kernel, whose layouts are its author's.
    """

    triton: int | None
    weft: int
    refined: int | None
    cost: int
    bound: int
    layouts: tuple[tuple[str, str], ...]
    named: tuple[tuple[str, str], ...]
    differences: tuple[LayoutDifference, ...]
    kept: KeptLayouts | None = None

    @property
    def is_proved(self) -> bool:
        """Whether no assignment of the candidate layouts costs less than `cost`."""
        return self.bound >= self.cost

    @property
    def gap(self) -> float:
        """How much more the kernel costs than the cheapest assignment, as a fraction of it."""
        return self.weft / self.cost - 1 if self.cost else 0.0

    @property
    def largest_gap(self) -> float:
        """How much more the kernel costs than the bound, as a fraction of it."""
        return self.weft / self.bound - 1 if self.bound else 0.0
