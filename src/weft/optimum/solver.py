"""Solve an assignment problem exactly: as an integer program, by HiGHS.

    x[c, o]       option o of choice c is selected                          binary
    y[v, i, j]    value v is converted from layout i to layout j            in [0, 1]

    minimize    Σ cost · x  +  Σ cost · y
    such that   x[c, o]    ≤  Σ x that compute (v, j)  +  Σ_i y[v, i, j]    each operand (v, j)
                y[v, i, j] ≤  Σ x that compute (v, i)
                Σ_o x[c, o] = 1, ≤ 1 or ≥ 1                                 once, required

For binary x each y is 0 or 1 in some cheapest solution, as every layout that is needed takes the
cheapest conversion by itself; so only x is declared integer. This is uncapacitated facility
location with options as facilities, whose linear relaxation is close (Erlenkotter 1978).

HiGHS is exact up to tolerances, and costs are integers: a gap below 1 proves optimality.

It stops by a count, not by the clock: when it has asked often enough whether to stop. With one
thread it asks at the same points of each run, so a problem has the same solution on every run.
"""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field

from weft.errors import WeftError
from weft.optimum.problem import (
    Available,
    Problem,
    Solution,
    cost_of,
    free_options,
    is_feasible,
)

if TYPE_CHECKING:
    import highspy

__all__ = ["DEFAULT_EFFORT", "solve"]

DEFAULT_EFFORT = 3_000_000
"""The work of a solution: the columns of the matrix times how often HiGHS asks whether to stop.

This is about 20 seconds for the largest functions.
"""

_Conversion = tuple[int, int, int]
_GAP = 0.99  # below the distance of two integers
_HALF = 0.5


def solve(
    problem: Problem,
    *,
    start: Sequence[Sequence[int]] | None = None,
    effort: int = DEFAULT_EFFORT,
) -> Solution:
    """Find the cheapest solution of a problem, or a bound when the effort is spent.

    Args:
        problem: The problem.
        start: The selected options of a known solution, which the result does not exceed.
        effort: The work of the solver, as of `DEFAULT_EFFORT`.

    Raises:
        WeftError: highspy is not installed, or the problem has no solution.
    """
    program = _IntegerProgram.of(problem)
    begin = time.perf_counter()
    values, bound = program.solve(start, effort)
    elapsed = time.perf_counter() - begin
    candidates = [program.selected(values)] if values is not None else []
    if start is not None:
        candidates.append(tuple(tuple(sorted(numbers)) for numbers in start))
    solutions = [
        (cost_of(problem, needed, converted), needed, converted)
        for selected in candidates
        for needed, converted in [_without_unused(problem, selected)]
        if is_feasible(problem, needed, converted)
    ]
    if not solutions:
        raise WeftError("no assignment of layouts was found", found=f"effort {effort}")
    cost, selected, converted = min(solutions, key=lambda solution: solution[0])
    return Solution(selected, converted, cost, min(cost, bound), elapsed)


def _without_unused(
    problem: Problem, selected: Sequence[Sequence[int]]
) -> tuple[tuple[tuple[int, ...], ...], tuple[_Conversion, ...]]:
    """Drop selected options that nothing needs, and convert each operand at the least cost."""
    computed = dict(free_options(problem.choices))
    for index, numbers in enumerate(selected):
        for number in numbers:
            for result in problem.choices[index].options[number].results:
                computed.setdefault(result, (index, number))
    layouts: dict[int, list[int]] = defaultdict(list)
    for value, layout in computed:
        layouts[value].append(layout)
    needed: set[tuple[int, int]] = set()
    converted: set[_Conversion] = set()
    worklist = [
        (index, number)
        for index, numbers in enumerate(selected)
        for number in numbers
        if problem.choices[index].required
    ]
    while worklist:
        pair = worklist.pop()
        if pair in needed:
            continue
        needed.add(pair)
        for operand in problem.choices[pair[0]].options[pair[1]].operands:
            source = operand
            if operand not in computed:
                value, target = operand
                sources = [
                    (problem.conversions[value, layout, target], layout)
                    for layout in layouts[value]
                    if (value, layout, target) in problem.conversions
                ]
                if not sources:
                    continue  # infeasible: the caller checks
                source = value, min(sources)[1]
                converted.add((value, source[1], target))
            worklist.append(computed[source])
    chosen = tuple(
        tuple(number for number in range(len(choice.options)) if (index, number) in needed)
        for index, choice in enumerate(problem.choices)
    )
    return chosen, tuple(sorted(converted))


class _IntegerProgram(Struct):
    """The matrix of a problem.

    Attributes:
        problem: The problem.
        columns: The column of each option, by choice.
        costs: The cost of each column.
        conversion_columns: The column of each conversion.
        free: What is available at no cost, without a column.
        rows: For each row, its least and greatest value and its (column, coefficient) pairs.
    """

    problem: Problem
    columns: list[list[int]] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)
    conversion_columns: dict[_Conversion, int] = field(default_factory=dict)
    free: set[Available] = field(default_factory=set)
    rows: list[tuple[float, float, list[tuple[int, float]]]] = field(default_factory=list)

    @classmethod
    def of(cls, problem: Problem) -> _IntegerProgram:
        """Write a problem as rows and columns."""
        program = cls(problem)
        program.free = set(free_options(problem.choices))
        producers: dict[Available, list[int]] = defaultdict(list)
        for choice in problem.choices:
            columns: list[int] = []
            for option in choice.options:
                column = len(program.costs)
                columns.append(column)
                program.costs.append(option.cost)
                for result in dict.fromkeys(option.results):
                    producers[result].append(column)
            program.columns.append(columns)
        program._add_conversions(producers)
        program._add_operands(producers)
        program._add_counts()
        return program

    def _add_conversions(self, producers: dict[Available, list[int]]) -> None:
        needed = {
            operand
            for choice in self.problem.choices
            for option in choice.options
            for operand in option.operands
            if operand not in self.free
        }
        for (value, source, target), cost in self.problem.conversions.items():
            if (value, target) not in needed or (value, source) not in producers:
                continue
            column = self.conversion_columns[value, source, target] = len(self.costs)
            self.costs.append(cost)
            row = [(column, 1.0)] + [(each, -1.0) for each in producers[value, source]]
            self.rows.append((-math.inf, 0.0, row))

    def _add_operands(self, producers: dict[Available, list[int]]) -> None:
        suppliers: dict[Available, list[int]] = defaultdict(list)
        for result, columns in producers.items():
            suppliers[result] += columns
        for (value, _, target), column in self.conversion_columns.items():
            suppliers[value, target].append(column)
        for choice, columns in zip(self.problem.choices, self.columns, strict=True):
            users: dict[tuple[int, Available], list[int]] = defaultdict(list)
            for option, column in zip(choice.options, columns, strict=True):
                for operand in dict.fromkeys(option.operands):
                    if operand in self.free:
                        continue
                    # At most one option is selected: one row for all with this operand is tighter.
                    users[-1 if choice.once else column, operand].append(column)
            for (_, operand), using in users.items():
                row = [(each, 1.0) for each in using]
                row += [(each, -1.0) for each in suppliers[operand] if each not in using]
                self.rows.append((-math.inf, 0.0, row))

    def _add_counts(self) -> None:
        for choice, columns in zip(self.problem.choices, self.columns, strict=True):
            if choice.once or choice.required:
                low = 1.0 if choice.required else 0.0
                high = 1.0 if choice.once else math.inf
                self.rows.append((low, high, [(column, 1.0) for column in columns]))

    # ------------------------------------------------------------------------------------ HiGHS
    def solve(
        self, start: Sequence[Sequence[int]] | None, effort: int
    ) -> tuple[Sequence[float] | None, int]:
        """Run HiGHS; return the columns' values, None without a solution, and the bound."""
        solver = _new_solver()
        most, requests = effort // max(1, len(self.costs)), 0

        def count(event: highspy.HighsCallbackEvent) -> None:
            nonlocal requests
            requests += 1
            if requests > most:
                event.interrupt()

        solver.cbMipInterrupt += count
        solver.passModel(self._model())
        if start is not None:
            solver.setSolution(self._start(start))
        solver.run()
        info = solver.getInfo()
        bound = info.mip_dual_bound
        least = math.ceil(bound - (1 - _GAP)) if math.isfinite(bound) else 0
        has_solution = info.primal_solution_status == 2  # feasible
        return (list(solver.getSolution().col_value) if has_solution else None), least

    def _model(self) -> highspy.HighsLp:
        import highspy
        import numpy as np

        lp = highspy.HighsLp()
        options = sum(len(columns) for columns in self.columns)
        count = len(self.costs)
        lp.num_col_, lp.num_row_ = count, len(self.rows)
        lp.col_cost_ = np.array(self.costs, dtype=float)
        lp.col_lower_, lp.col_upper_ = np.zeros(count), np.ones(count)
        lp.row_lower_ = np.array([low for low, _, _ in self.rows], dtype=float)
        lp.row_upper_ = np.array([high for _, high, _ in self.rows], dtype=float)
        kinds = highspy.HighsVarType
        lp.integrality_ = [kinds.kInteger] * options + [kinds.kContinuous] * (count - options)
        matrix = lp.a_matrix_
        matrix.format_ = highspy.MatrixFormat.kRowwise
        lengths = [len(row) for _, _, row in self.rows]
        matrix.start_ = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
        entries = [entry for _, _, row in self.rows for entry in row]
        matrix.index_ = np.array([column for column, _ in entries], dtype=np.int32)
        matrix.value_ = np.array([value for _, value in entries], dtype=float)
        return lp

    def _start(self, selected: Sequence[Sequence[int]]) -> highspy.HighsSolution:
        import highspy

        values = [0.0] * len(self.costs)
        for columns, numbers in zip(self.columns, selected, strict=True):
            for number in numbers:
                values[columns[number]] = 1.0
        for conversion in _without_unused(self.problem, selected)[1]:
            if conversion in self.conversion_columns:
                values[self.conversion_columns[conversion]] = 1.0
        solution = highspy.HighsSolution()
        solution.col_value = values
        return solution

    def selected(self, values: Sequence[float]) -> tuple[tuple[int, ...], ...]:
        """List the selected options of each choice."""
        return tuple(
            tuple(number for number, column in enumerate(columns) if values[column] > _HALF)
            for columns in self.columns
        )


def _new_solver() -> highspy.Highs:
    try:
        import highspy
    except ImportError:
        raise WeftError(
            "the optimal assignment of layouts needs HiGHS",
            found="no module highspy",
            hint="pip install 'weft[optimum]'",
        ) from None
    solver = highspy.Highs()
    options: Iterable[tuple[str, object]] = (
        ("output_flag", False),
        ("threads", 1),
        ("random_seed", 0),
        ("mip_rel_gap", 0.0),
        ("mip_abs_gap", _GAP),
    )
    for name, value in options:
        solver.setOptionValue(name, value)
    return solver
