"""Compare the cheapest assignment of a function with the module's own, operation by operation.

    tt.load %x     #blocked → #optimal      816 → 256      128 bits per thread → 32
    tt.store       #blocked → #optimal     1224 → 384

The costs are those of an operation and of the conversions of its results, all executions together:
they add up to the costs of the two assignments.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from msgspec import Struct

from weft.ir import ttg, types
from weft.ir.builtin import Operation, SSAValue
from weft.layouts import Encoding
from weft.optimum.alternatives import layouts_of_member
from weft.optimum.assignment import FunctionOptimum
from weft.optimum.costs import OperationCosts
from weft.optimum.operation_kinds import Kind
from weft.optimum.program import Node
from weft.optimum.trip_counts import block_weight

__all__ = ["Difference", "differences"]


class Difference(Struct, frozen=True):
    """An operation in both assignments.

    Attributes:
        op: The operation; the loop or conditional of a carried value.
        value: Its first tensor result, None for a store.
        layouts_before: The layouts of that result, or of the operands of a store, in the module.
        layouts_after: Those in the cheapest assignment.
        cost_before: The cost in the module, conversions of the results included.
        cost_after: The cost in the cheapest assignment.
    """

    op: Operation
    value: SSAValue | None
    layouts_before: tuple[Encoding, ...]
    layouts_after: tuple[Encoding, ...]
    cost_before: int
    cost_after: int


def differences(function: FunctionOptimum, costs: OperationCosts) -> Iterator[Difference]:
    """Yield each operation whose layouts or costs differ between the two assignments.

    Args:
        function: The cheapest assignment, before the module is rewritten.
        costs: The costs of the module.
    """
    before = _conversions_before(function, costs)
    after: dict[int, int] = defaultdict(int)
    for conversion in function.solution.converted:
        after[conversion[0]] += function.problem.conversions[conversion]
    for index, node in enumerate(function.program.nodes):
        difference = Difference(
            node.op,
            function.program.values[node.results[-1]].members[0] if node.results else None,
            _layouts_before(function, node),
            _layouts_after(function, index),
            _cost_before(node, costs) + sum(before[number] for number in node.results),
            sum(each.cost for each in function.computed(index))
            + sum(after[number] for number in node.results),
        )
        is_same = difference.cost_before == difference.cost_after
        if not is_same or set(difference.layouts_before) != set(difference.layouts_after):
            yield difference


def _conversions_before(function: FunctionOptimum, costs: OperationCosts) -> dict[int, int]:
    """Price the module's conversions, by the number of the value."""
    prices: dict[int, int] = defaultdict(int)
    for value, number in function.program.numbers.items():
        op = value.owner
        if not isinstance(op, ttg.ConvertLayoutOp):
            continue
        source, target = types.encoding(op.src.type), types.encoding(op.result.type)
        assert source is not None
        assert target is not None
        assert op.parent is not None
        shape, element = types.shape(value.type), types.element(value.type)
        price = costs.conversion(shape, element, source, target) or 0
        prices[number] += price * block_weight(op.parent)
    return prices


def _cost_before(node: Node, costs: OperationCosts) -> int:
    if node.kind in (Kind.CARRIED, Kind.ARGUMENT):
        return 0
    total = 0
    for op in node.members:
        assert op.parent is not None
        total += (costs.operation(op, *layouts_of_member(op)) or 0) * block_weight(op.parent)
    return total


def _layouts_before(function: FunctionOptimum, node: Node) -> tuple[Encoding, ...]:
    if node.results:
        members = function.program.values[node.results[-1]].members
        encodings = [types.encoding(member.type) for member in members]
    else:
        encodings = list(layouts_of_member(node.op)[0])
    return tuple(dict.fromkeys(each for each in encodings if each is not None))


def _layouts_after(function: FunctionOptimum, index: int) -> tuple[Encoding, ...]:
    node = function.program.nodes[index]
    if node.results:
        return function.layouts(node.results[-1])
    operands = (layout for each in function.computed(index) for layout in each.operands)
    return tuple(dict.fromkeys(operands))
