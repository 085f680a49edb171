"""The alternatives of a node: the layouts of its operands and results, and what each costs.

%y = tt.expand_dims %x     #slice<1, #blocked> → #blocked        0
                           #slice<1, #mma>     → #mma            0
%v = tt.load %p            #blocked            → #blocked        40
                           #blocked1           → #blocked1       136
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from weft.ir import types
from weft.ir.builtin import Operation, SSAValue
from weft.layouts import Encoding
from weft.optimum.candidates import Candidates
from weft.optimum.costs import OperationCosts
from weft.optimum.dot_tilings import dot_layouts
from weft.optimum.layout_relations import operand_layout, result_layout
from weft.optimum.legality import is_legal
from weft.optimum.operation_kinds import Kind
from weft.optimum.program import Node, Program

__all__ = ["Alternative", "Layouts", "alternatives", "layouts_of_member"]

Layouts = tuple[Encoding, ...]


class Alternative(Struct, frozen=True):
    """One way to compute a node.

    Attributes:
        operands: The layout of each tensor operand.
        results: The layout of each tensor result.
        cost: What all executions cost.
    """

    operands: Layouts
    results: Layouts
    cost: int


def alternatives(
    program: Program, node: Node, candidates: Candidates, costs: OperationCosts
) -> tuple[Alternative, ...]:
    """List the alternatives of a node, those of the module first.

    Args:
        program: The function.
        node: The node.
        candidates: The candidate layouts of each value.
        costs: The costs of the operations.
    """
    existing = dict.fromkeys(_existing(program, node))
    pairs = dict.fromkeys((*existing, *_possible(node, candidates)))
    table: list[Alternative] = []
    for operands, results in pairs:
        if node.kind in (Kind.CARRIED, Kind.ARGUMENT):
            table.append(Alternative(operands, results, 0))
            continue
        is_existing = (operands, results) in existing
        if not is_existing and not is_legal(node.op, operands, costs):
            continue
        price = costs.operation(node.op, operands, results)
        if price is None:
            if not is_existing:
                continue
            price = 0  # unknown, but the module has it
        table.append(Alternative(operands, results, price * node.weight))
    return tuple(table)


def layouts_of_member(op: Operation) -> tuple[Layouts, Layouts]:
    """Read the layouts of the tensor operands and results of an operation."""
    return _layouts(op.operands), _layouts(op.results)


def _layouts(values: Sequence[SSAValue]) -> Layouts:
    encodings = (types.encoding(value.type) for value in values if types.is_tensor(value.type))
    return tuple(encoding for encoding in encodings if encoding is not None)


def _existing(program: Program, node: Node) -> Iterator[tuple[Layouts, Layouts]]:
    """Yield the layouts with which the module computes a node."""
    if node.kind is Kind.CARRIED:
        # The members of the result are those of the loop, its duplicates in other layouts included.
        for member in program.values[node.results[-1]].members:
            if member.owner is node.op:
                encoding = types.encoding(member.type)
                assert encoding is not None
                yield (encoding,) * len(node.operands), (encoding,) * len(node.results)
    elif node.kind is Kind.ARGUMENT:
        yield (), _layouts((program.values[node.results[0]].members[0],))
    else:
        for op in node.members:
            yield layouts_of_member(op)


def _possible(node: Node, candidates: Candidates) -> Iterator[tuple[Layouts, Layouts]]:
    if node.kind in (Kind.SAME, Kind.CARRIED):
        for encoding in _common(candidates, (*node.operands, *node.results)):
            yield (encoding,) * len(node.operands), (encoding,) * len(node.results)
    elif node.kind is Kind.SOURCE:
        for encoding in _common(candidates, node.results):
            yield (), (encoding,)
    elif node.kind is Kind.SINK:
        for encoding in _common(candidates, node.operands):
            yield (encoding,) * len(node.operands), ()
    elif node.kind is Kind.INFERRED:
        yield from _inferred(node, candidates)
    elif node.kind is Kind.DOT:
        yield from _tiled(node, candidates)


def _inferred(node: Node, candidates: Candidates) -> Iterator[tuple[Layouts, Layouts]]:
    operands, results = _common(candidates, node.operands), _common(candidates, node.results)
    pairs = [(encoding, result_layout(node.op, encoding)) for encoding in operands]
    pairs += [
        (operand, encoding)
        for encoding in results
        if (operand := operand_layout(node.op, encoding)) is not None
    ]
    for operand, result in pairs:
        if operand in operands and (not node.results or result in results):
            assert not node.results or result is not None
            layouts = (result,) * len(node.results) if result is not None else ()
            yield (operand,) * len(node.operands), layouts


def _tiled(node: Node, candidates: Candidates) -> Iterator[tuple[Layouts, Layouts]]:
    for encoding in candidates[node.results[0]]:
        layouts = dot_layouts(node.op, encoding)
        if layouts is not None and all(
            layout in candidates[number]
            for number, layout in zip(node.operands, layouts[0], strict=True)
        ):
            yield layouts


def _common(candidates: Candidates, numbers: tuple[int, ...]) -> dict[Encoding, None]:
    """List the layouts that all of some values can have, in the order of the first value's."""
    if not numbers:
        return {}
    first, *others = (candidates[number] for number in numbers)
    return {encoding: None for encoding in first if all(encoding in other for other in others)}
