"""Find the cheapest layout assignment of a module, and what the module's own one costs.

optimum = optimize(module, target("cuda:90"))
optimum.current, optimum.cost, optimum.bound        # quarter cycles of a program
apply(optimum)                                      # rewrite the module
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from weft.analysis.axis_info import axis_info
from weft.ir import tt, ttg, types
from weft.ir.builtin import Block, ModuleOp, Operation
from weft.ir.module_attributes import lookup_threads_per_warp
from weft.ir.rewriting import walk
from weft.layouts import Encoding
from weft.optimum.alternatives import Alternative, alternatives, layouts_of_member
from weft.optimum.candidates import Candidates, find_candidates
from weft.optimum.costs import OperationCosts
from weft.optimum.narrowing import narrow_masked_accesses
from weft.optimum.operation_kinds import Kind
from weft.optimum.problem import Choice, Option, Problem, Solution, free_options
from weft.optimum.program import Node, Program, is_in_flight, number_values
from weft.optimum.seeds import find_seeds
from weft.optimum.solver import DEFAULT_EFFORT, solve
from weft.optimum.trip_counts import block_weight
from weft.targets import Target

__all__ = ["FunctionOptimum", "Optimum", "function_cost", "module_cost", "optimize"]


class FunctionOptimum(Struct):
    """The cheapest assignment of a function.

    Attributes:
        program: The function.
        candidates: The layouts of each value, numbered in this order.
        alternatives: Those of each node.
        problem: The same as numbers.
        solution: The cheapest assignment that was found.
    """

    program: Program
    candidates: list[tuple[Encoding, ...]]
    alternatives: list[tuple[Alternative, ...]]
    problem: Problem
    solution: Solution

    def computed(self, node: int) -> Iterator[Alternative]:
        """Yield the selected alternatives of a node."""
        for number in self.solution.selected[node]:
            yield self.alternatives[node][number]

    def layouts(self, value: int) -> tuple[Encoding, ...]:
        """List the layouts in which a value exists, converted ones last."""
        node = self.program.values[value].node
        assert node is not None
        position = self.positions[id(node)]
        slot = node.results.index(value)
        computed = [each.results[slot] for each in self.computed(position)]
        computed += [
            self.candidates[value][target]
            for number, _, target in self.solution.converted
            if number == value
        ]
        return tuple(dict.fromkeys(computed))

    @property
    def positions(self) -> dict[int, int]:
        """The index of each node, by identity."""
        return {id(node): index for index, node in enumerate(self.program.nodes)}


class Optimum(Struct):
    """The cheapest assignment of a module, in quarter cycles of one SM for a program.

    Attributes:
        module: The module.
        functions: The functions that were optimized.
        current: The cost of the module's own assignment.
        cost: The cost of the cheapest assignment that was found.
        bound: No assignment of the candidates costs less.
        seconds: The time that the solver took.
    """

    module: ModuleOp
    functions: tuple[FunctionOptimum, ...]
    current: int
    cost: int
    bound: int
    seconds: float

    @property
    def is_optimal(self) -> bool:
        """Whether the solver proved that no assignment of the candidates costs less."""
        return self.bound >= self.cost

    @property
    def gap(self) -> float:
        """How much more the module costs than the assignment found, as a fraction of it."""
        return self.current / self.cost - 1 if self.cost else 0.0


def optimize(
    module: ModuleOp,
    chip: Target,
    *,
    effort: int = DEFAULT_EFFORT,
    limit: int | None = None,
) -> Optimum:
    """Find the cheapest layout assignment of a module, which is not changed.

    A function with several blocks is not optimized; its cost counts on both sides.

    Args:
        module: TTGIR.
        chip: The target.
        effort: The work of the solver for a function, as of `DEFAULT_EFFORT`.
        limit: Candidate layouts of a value, those of the module not counted; None for a number by
            the size of the function.

    Raises:
        WeftError: highspy is not installed.
    """
    costs = OperationCosts.of(module, chip)
    functions: list[FunctionOptimum] = []
    current = total = bound = 0
    elapsed = 0.0
    for function in (op for op in module.body.block.ops if isinstance(op, tt.FuncOp)):
        cost = function_cost(function, costs)
        current += cost
        program = number_values(function)
        if program is None or not program.nodes:
            total += cost
            bound += cost
            continue
        result = _optimize_function(module, program, costs, effort, limit)
        functions.append(result)
        total += result.solution.cost
        bound += result.solution.bound
        elapsed += result.solution.seconds
    return Optimum(module, tuple(functions), current, total, bound, elapsed)


def module_cost(module: ModuleOp, chip: Target) -> int:
    """Add up the costs of the operations and conversions of a module as it is."""
    costs = OperationCosts.of(module, chip)
    functions = (op for op in module.body.block.ops if isinstance(op, tt.FuncOp))
    return sum(function_cost(function, costs) for function in functions)


def function_cost(function: tt.FuncOp, costs: OperationCosts) -> int:
    """Add up the costs of the operations and conversions of a function as it is."""
    total = 0
    weights: dict[Block, int] = {}
    for op in walk(function):
        price = _operation_cost(op, costs)
        if price:
            block = op.parent
            assert block is not None
            if block not in weights:
                weights[block] = block_weight(block)
            total += price * weights[block]
    return total


def _operation_cost(op: Operation, costs: OperationCosts) -> int:
    if isinstance(op, ttg.ConvertLayoutOp):
        source, target = types.encoding(op.src.type), types.encoding(op.result.type)
        assert source is not None
        assert target is not None
        shape, element = types.shape(op.src.type), types.element(op.src.type)
        return costs.conversion(shape, element, source, target) or 0
    operands, results = layouts_of_member(op)
    if op.regions and not isinstance(op, tt.ReduceOp | tt.ScanOp):
        return 0
    return costs.operation(op, operands, results) or 0


def _optimize_function(
    module: ModuleOp, program: Program, costs: OperationCosts, effort: int, limit: int | None
) -> FunctionOptimum:
    seeds = find_seeds(program, axis_info(module), lookup_threads_per_warp(module))
    candidates = find_candidates(program, seeds, limit, _narrowed(program, costs))
    table = [alternatives(program, node, candidates, costs) for node in program.nodes]
    problem = _problem(program, candidates, table, costs)
    solution = solve(problem, start=_current(program, table), effort=effort)
    layouts = [tuple(each) for each in candidates]
    return FunctionOptimum(program, layouts, table, problem, solution)


def _narrowed(program: Program, costs: OperationCosts) -> list[tuple[int, Encoding]]:
    """List the layouts of values after `weft-narrow-masked-accesses`, so that they compete."""
    undo = narrow_masked_accesses(program.function, costs, function_cost)
    layouts = [(number, types.encoding(value.type)) for value, number in program.numbers.items()]
    undo()
    return [(number, layout) for number, layout in layouts if layout is not None]


def _problem(
    program: Program,
    candidates: Candidates,
    table: list[tuple[Alternative, ...]],
    costs: OperationCosts,
) -> Problem:
    """Number the layouts of each value, and price every conversion that may be needed."""
    numbers = [{encoding: n for n, encoding in enumerate(each)} for each in candidates]
    choices: list[Choice] = []
    for node, rows in zip(program.nodes, table, strict=True):
        options: list[Option] = []
        for row in rows:
            operands = tuple(
                (v, numbers[v][layout])
                for v, layout in zip(node.operands, row.operands, strict=True)
            )
            results = tuple(
                (v, numbers[v][layout]) for v, layout in zip(node.results, row.results, strict=True)
            )
            options.append(Option(operands, results, row.cost))
        choices.append(Choice(tuple(options), node.once, node.required))
    free = free_options(choices)
    needed: list[set[int]] = [set() for _ in candidates]
    computed: list[set[int]] = [set() for _ in candidates]
    for option in (option for choice in choices for option in choice.options):
        for value, layout in option.operands:
            if (value, layout) not in free:
                needed[value].add(layout)
        for value, layout in option.results:
            computed[value].add(layout)
    conversions: dict[tuple[int, int, int], int] = {}
    existing = _existing_conversions(program)
    for value, layouts in zip(program.values, candidates, strict=True):
        encodings = tuple(layouts)
        for source in computed[value.number]:
            for target in needed[value.number] - {source}:
                pair = encodings[source], encodings[target]
                if pair not in existing[value.number] and (
                    is_in_flight(value) or not costs.fits(value.shape, value.element, *pair)
                ):
                    continue
                price = costs.conversion(value.shape, value.element, *pair)
                if price is not None:
                    conversions[value.number, source, target] = price * value.weight
    return Problem(tuple(choices), conversions)


def _existing_conversions(program: Program) -> list[set[tuple[Encoding, Encoding]]]:
    """List the conversions that the module has, by value."""
    pairs: list[set[tuple[Encoding, Encoding]]] = [set() for _ in program.values]
    for value, number in program.numbers.items():
        if isinstance(value.owner, ttg.ConvertLayoutOp):
            source, target = types.encoding(value.owner.src.type), types.encoding(value.type)
            assert source is not None
            assert target is not None
            pairs[number].add((source, target))
    return pairs


def _current(program: Program, table: list[tuple[Alternative, ...]]) -> list[list[int]]:
    """List the alternatives that the module has: the first ones of each node."""
    return [
        list(range(_existing_count(program, node, rows)))
        for node, rows in zip(program.nodes, table, strict=True)
    ]


def _existing_count(program: Program, node: Node, rows: tuple[Alternative, ...]) -> int:
    if node.kind is Kind.ARGUMENT:
        return 1
    if node.kind is Kind.CARRIED:
        members = program.values[node.results[-1]].members
        existing = {types.encoding(member.type) for member in members if member.owner is node.op}
        return sum(row.results[-1] in existing for row in rows)
    existing_pairs = {layouts_of_member(op) for op in node.members}
    return sum((row.operands, row.results) in existing_pairs for row in rows)
