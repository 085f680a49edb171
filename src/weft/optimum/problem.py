"""The assignment of layouts as a problem on numbers, without IR.

    value 0, layouts 0 and 1      choice 0 computes (0, 0) at cost 5 or (0, 1) at cost 9
                                  choice 1 stores from (0, 1) at cost 2
                                  converting value 0 from layout 0 to 1 costs 3

    cheapest: compute (0, 0), convert, store                               5 + 3 + 2 = 10

A choice selects alternatives: exactly one, at most one, or any number of them. An alternative that
is selected needs each of its operands in its layout: computed in it, or converted from a layout in
which the value is computed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

__all__ = [
    "Available",
    "Choice",
    "Option",
    "Problem",
    "Solution",
    "cost_of",
    "free_options",
    "is_feasible",
]

Available = tuple[int, int]
"""(a value, the number of one of its layouts)."""


class Option(Struct, frozen=True):
    """An alternative of a choice.

    Attributes:
        operands: What it needs.
        results: What it computes.
        cost: Its cost.
    """

    operands: tuple[Available, ...]
    results: tuple[Available, ...]
    cost: int


class Choice(Struct, frozen=True):
    """The alternatives of an operation.

    Attributes:
        options: The alternatives.
        once: Whether at most one is selected.
        required: Whether at least one is selected.
    """

    options: tuple[Option, ...]
    once: bool
    required: bool


class Problem(Struct, frozen=True):
    """Choices, and what conversions between layouts of a value cost.

    Attributes:
        choices: The choices.
        conversions: For each (value, from, to), the cost; a missing one is impossible.
    """

    choices: tuple[Choice, ...]
    conversions: Mapping[tuple[int, int, int], int]


class Solution(Struct, frozen=True):
    """Selected options and conversions.

    Attributes:
        selected: For each choice, the selected options in ascending order.
        converted: The (value, from, to) conversions.
        cost: The sum of their costs.
        bound: No solution costs less.
        seconds: The time that the solver took.
    """

    selected: tuple[tuple[int, ...], ...]
    converted: tuple[tuple[int, int, int], ...]
    cost: int
    bound: int
    seconds: float = 0.0

    @property
    def is_optimal(self) -> bool:
        """Whether the solver proved that no solution costs less."""
        return self.bound >= self.cost


def free_options(choices: Sequence[Choice]) -> dict[Available, tuple[int, int]]:
    """Find what costs nothing: results of options without cost whose operands cost nothing.

    Constants and address arithmetic are free in any layout, so a solver need not consider them.
    This is a greatest fixpoint: a loop-carried value is free if its update is, given that it is.

    Returns:
        For each result, the (choice, option) that computes it.
    """
    remaining = [
        (index, number, option)
        for index, choice in enumerate(choices)
        for number, option in enumerate(choice.options)
        if option.cost == 0 and option.results and not choice.once
    ]
    while True:
        free: dict[Available, tuple[int, int]] = {}
        for index, number, option in remaining:
            for result in option.results:
                free.setdefault(result, (index, number))
        computable = [
            each for each in remaining if all(operand in free for operand in each[2].operands)
        ]
        if len(computable) == len(remaining):
            return free
        remaining = computable


def cost_of(
    problem: Problem,
    selected: Sequence[Sequence[int]],
    converted: Sequence[tuple[int, int, int]],
) -> int:
    """Add up the costs of selected options and conversions."""
    options = sum(
        choice.options[number].cost
        for choice, numbers in zip(problem.choices, selected, strict=True)
        for number in numbers
    )
    return options + sum(problem.conversions[each] for each in converted)


def is_feasible(
    problem: Problem,
    selected: Sequence[Sequence[int]],
    converted: Sequence[tuple[int, int, int]],
) -> bool:
    """Check whether every selected option has its operands, and each choice enough options."""
    chosen = [
        choice.options[number]
        for choice, numbers in zip(problem.choices, selected, strict=True)
        for number in numbers
    ]
    computed = {result for option in chosen for result in option.results}
    if any((value, source) not in computed for value, source, _ in converted):
        return False
    available = computed | {(value, target) for value, _, target in converted}
    return all(operand in available for option in chosen for operand in option.operands) and all(
        (len(numbers) <= 1 or not choice.once) and (len(numbers) >= 1 or not choice.required)
        for choice, numbers in zip(problem.choices, selected, strict=True)
    )
