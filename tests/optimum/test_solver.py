"""The solver finds what trying every assignment finds."""

from __future__ import annotations

from itertools import chain, combinations, product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.optimum.problem import Choice, Option, Problem, cost_of, is_feasible

pytest.importorskip("highspy")

from weft.optimum.solver import solve  # needs highspy

LAYOUTS = 3


def subsets(choice: Choice) -> list[tuple[int, ...]]:
    """List the selections that a choice allows."""
    numbers = range(len(choice.options))
    most = 1 if choice.once else len(choice.options)
    least = 1 if choice.required else 0
    return list(chain.from_iterable(combinations(numbers, n) for n in range(least, most + 1)))


def cheapest_conversions(problem: Problem, selected: tuple[tuple[int, ...], ...]) -> int | None:
    """Price the conversions that a selection needs, None if one is impossible."""
    options = [
        choice.options[number]
        for choice, numbers in zip(problem.choices, selected, strict=True)
        for number in numbers
    ]
    computed = {result for option in options for result in option.results}
    needed = {operand for option in options for operand in option.operands} - computed
    total = 0
    for value, target in needed:
        prices = [
            problem.conversions[value, layout, target]
            for other, layout in computed
            if other == value and (value, layout, target) in problem.conversions
        ]
        if not prices:
            return None
        total += min(prices)
    return total


def brute_force(problem: Problem) -> int | None:
    """Try every assignment."""
    costs = [
        cost_of(problem, selected, ()) + conversions
        for selected in product(*map(subsets, problem.choices))
        if (conversions := cheapest_conversions(problem, selected)) is not None
    ]
    return min(costs, default=None)


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Draw a chain of operations: each computes a value from earlier ones, the last ones store."""
    values = draw(st.integers(1, 4))
    layouts = st.integers(0, LAYOUTS - 1)
    prices = st.integers(0, 9)
    choices: list[Choice] = []
    for value in range(values):
        earlier = st.lists(st.tuples(st.integers(0, value - 1), layouts), max_size=2)
        options = draw(
            st.lists(
                st.builds(
                    lambda operands, layout, cost, value=value: Option(
                        tuple(operands), ((value, layout),), cost
                    ),
                    earlier if value else st.just([]),
                    layouts,
                    prices,
                ),
                min_size=1,
                max_size=3,
            )
        )
        choices.append(Choice(tuple(options), draw(st.booleans()), required=False))
    operands = st.lists(st.tuples(st.integers(0, values - 1), layouts), min_size=1, max_size=2)
    stores = draw(
        st.lists(
            st.builds(lambda each, cost: Option(tuple(each), (), cost), operands, prices),
            min_size=1,
            max_size=2,
        )
    )
    choices.append(Choice(tuple(stores), once=True, required=True))
    conversions = {
        (value, source, target): draw(prices)
        for value in range(values)
        for source in range(LAYOUTS)
        for target in range(LAYOUTS)
        if source != target
    }
    return Problem(tuple(choices), conversions)


@settings(deadline=None, max_examples=60)
@given(problems())
def test_the_solver_finds_the_minimum_of_all_assignments(problem: Problem):
    expected = brute_force(problem)
    assert expected is not None
    solution = solve(problem)
    assert solution.cost == expected
    assert solution.is_optimal
    assert is_feasible(problem, solution.selected, solution.converted)
    assert cost_of(problem, solution.selected, solution.converted) == solution.cost


def producer(*costs: int, once: bool = False) -> Choice:
    """Return an operation that computes value 0 in layouts 0, 1, … at the given costs."""
    options = tuple(Option((), ((0, layout),), cost) for layout, cost in enumerate(costs))
    return Choice(options, once, required=False)


def test_a_conversion_replaces_an_expensive_computation():
    produce = Choice(
        (Option((), ((0, 0),), 5), Option((), ((0, 1),), 9)), once=False, required=False
    )
    store = Choice((Option(((0, 1),), (), 2),), once=True, required=True)
    solution = solve(Problem((produce, store), {(0, 0, 1): 3, (0, 1, 0): 3}))
    assert solution.selected == ((0,), (0,))
    assert solution.converted == ((0, 0, 1),)
    assert (solution.cost, solution.bound) == (10, 10)


def test_a_value_is_computed_twice_if_that_costs_less_than_a_conversion():
    produce = Choice(
        (Option((), ((0, 0),), 1), Option((), ((0, 1),), 1)), once=False, required=False
    )
    store = Choice((Option(((0, 0), (0, 1)), (), 0),), once=True, required=True)
    solution = solve(Problem((produce, store), {(0, 0, 1): 7, (0, 1, 0): 7}))
    assert solution.selected[0] == (0, 1)
    assert solution.cost == 2


def test_what_is_computed_once_is_converted():
    produce = Choice(
        (Option((), ((0, 0),), 1), Option((), ((0, 1),), 1)), once=True, required=False
    )
    store = Choice((Option(((0, 0), (0, 1)), (), 0),), once=True, required=True)
    solution = solve(Problem((produce, store), {(0, 0, 1): 7, (0, 1, 0): 6}))
    assert solution.selected[0] == (1,)
    assert solution.cost == 7


def test_the_start_is_never_exceeded():
    produce = Choice(
        (Option((), ((0, 0),), 5), Option((), ((0, 1),), 9)), once=False, required=False
    )
    store = Choice((Option(((0, 1),), (), 2),), once=True, required=True)
    problem = Problem((produce, store), {(0, 0, 1): 3, (0, 1, 0): 3})
    assert solve(problem, start=[[1], [0]], effort=0).cost <= 11


def test_a_solution_is_the_same_on_every_run():
    """The limit is a count of the solver's, so a search that it ends ends at the same point."""
    problem = hard_problem()
    start = [[0]] * len(problem.choices)
    runs = [solve(problem, start=start, effort=60 * 400) for _ in range(3)]
    first = runs[0]
    assert not first.is_optimal
    for other in runs[1:]:
        assert (other.selected, other.converted) == (first.selected, first.converted)
        assert (other.cost, other.bound) == (first.cost, first.bound)


def test_more_effort_proves_more():
    problem = hard_problem()
    start = [[0]] * len(problem.choices)
    bounds = [solve(problem, start=start, effort=effort).bound for effort in (0, 24_000, 10**8)]
    assert bounds == sorted(bounds)
    assert bounds[0] < bounds[-1]


def hard_problem() -> Problem:
    """Return a problem that the relaxation alone does not solve: sums of several values."""
    random = Random(0)
    values, layouts = 14, 5
    choices = [
        Choice(
            tuple(Option((), ((v, n),), random.randint(1, 40)) for n in range(layouts)),
            once=False,
            required=False,
        )
        for v in range(values)
    ]
    for _ in range(24):
        operands = random.sample(range(values), 3)
        options = tuple(
            Option(tuple((v, n) for v in operands), (), random.randint(0, 9))
            for n in range(layouts)
        )
        choices.append(Choice(options, once=True, required=True))
    conversions = {
        (v, a, b): random.randint(5, 40)
        for v in range(values)
        for a in range(layouts)
        for b in range(layouts)
        if a != b
    }
    return Problem(tuple(choices), conversions)
