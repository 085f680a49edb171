"""The candidate layouts of each value: all that anchors' layouts reach through the function.

    %p = tt.load …           #blocked, #blocked1        its own layout, and other widths
    %q = tt.trans %p         transposes of these        inferred forward
    %s = tt.expand_dims %r   #blocked                   from a user below
    %r                       slices of #blocked         inferred backward

The layouts that the module has come first and always stay. The others follow in the order of
discovery until a value has `limit` candidates.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from msgspec import Struct

from weft.errors import LayoutError
from weft.ir import types
from weft.layouts import Encoding
from weft.optimum.dot_tilings import dot_layouts
from weft.optimum.layout_relations import operand_layout, result_layout
from weft.optimum.operation_kinds import Kind
from weft.optimum.program import Node, Program

__all__ = ["Candidates", "Seeds", "default_limit", "find_candidates"]

Candidates = list[dict[Encoding, None]]
"""The candidate layouts of each value, by its number, in the order of discovery."""

Seeds = Iterable[tuple[int, Encoding]]
"""Values and layouts from which others are inferred."""

_MOST, _LEAST = 12, 6
_OF_FUNCTION = 960


def default_limit(program: Program) -> int:
    """Choose how many candidates a value has beside those of the module.

    There are 12 in functions of up to 80 tensors, and fewer in larger ones, but at least 6.
    """
    return max(_LEAST, min(_MOST, _OF_FUNCTION // max(1, len(program.values))))


def find_candidates(
    program: Program, seeds: Seeds, limit: int | None = None, others: Seeds = ()
) -> Candidates:
    """Find the candidate layouts of every value of a function.

    Args:
        program: The function.
        seeds: Layouts to propagate beside those of the module.
        limit: The candidates of a value, those of the module not counted; None for the default.
        others: Candidates that are not counted, either.
    """
    propagation = _Propagation.of(program, default_limit(program) if limit is None else limit)
    for number, value in enumerate(program.values):
        for member in value.members:
            encoding = types.encoding(member.type)
            if encoding is not None:
                propagation.keep(number, encoding)
    for number, encoding in others:
        propagation.keep(number, encoding)
    propagation.run()
    for number, encoding in seeds:
        propagation.add(number, encoding)
    propagation.run()
    return propagation.candidates


class _Propagation(Struct):
    """The inference of candidates from others.

    Attributes:
        candidates: The result.
        budget: For each value, how many more candidates it takes.
        users: For each value, the nodes with it as an operand.
        program: The function.
        worklist: Candidates whose consequences are to be inferred.
    """

    candidates: Candidates
    budget: list[int]
    users: list[list[Node]]
    program: Program
    worklist: deque[tuple[int, Encoding]]

    @staticmethod
    def of(program: Program, limit: int) -> _Propagation:
        count = len(program.values)
        users: list[list[Node]] = [[] for _ in range(count)]
        for node in program.nodes:
            for number in set(node.operands):
                users[number].append(node)
        candidates: Candidates = [{} for _ in range(count)]
        return _Propagation(candidates, [limit] * count, users, program, deque())

    def keep(self, number: int, encoding: Encoding) -> None:
        """Add a layout that the module has."""
        if encoding not in self.candidates[number]:
            self.candidates[number][encoding] = None
            self.worklist.append((number, encoding))

    def add(self, number: int, encoding: Encoding) -> None:
        """Add an inferred layout, unless the value has enough or cannot have it."""
        if self.budget[number] <= 0 or encoding in self.candidates[number]:
            return
        value = self.program.values[number]
        if not _has_linear_layout(encoding, value.shape):
            return
        self.budget[number] -= 1
        self.keep(number, encoding)

    def run(self) -> None:
        """Infer until nothing is new; breadth first, so that near anchors come first."""
        while self.worklist:
            number, encoding = self.worklist.popleft()
            node = self.program.values[number].node
            if node is not None:
                for other, layout in _from_result(node, number, encoding):
                    self.add(other, layout)
            for user in self.users[number]:
                for other, layout in _from_operand(user, encoding):
                    self.add(other, layout)


def _from_result(node: Node, number: int, encoding: Encoding) -> Iterator[tuple[int, Encoding]]:
    """Yield the layouts of other values of a node that follow from one of its results."""
    if node.kind in (Kind.SAME, Kind.CARRIED):
        yield from ((other, encoding) for other in (*node.operands, *node.results))
    elif node.kind is Kind.INFERRED:
        yield from ((other, encoding) for other in node.results)
        operand = operand_layout(node.op, encoding)
        if operand is not None:
            yield from ((other, operand) for other in node.operands)
    elif node.kind is Kind.DOT:
        layouts = dot_layouts(node.op, encoding)
        if layouts is not None:
            yield from zip(node.operands, layouts[0], strict=True)


def _from_operand(node: Node, encoding: Encoding) -> Iterator[tuple[int, Encoding]]:
    """Yield the layouts of other values of a node that follow from one of its operands."""
    if node.kind in (Kind.SAME, Kind.CARRIED):
        yield from ((other, encoding) for other in (*node.operands, *node.results))
    elif node.kind is Kind.INFERRED:
        yield from ((other, encoding) for other in node.operands)
        result = result_layout(node.op, encoding)
        if result is not None:
            yield from ((other, result) for other in node.results)
    elif node.kind is Kind.DOT and dot_layouts(node.op, encoding) is not None:
        yield node.results[0], encoding  # that of the accumulator


def _has_linear_layout(encoding: Encoding, shape: tuple[int, ...]) -> bool:
    try:
        encoding.linear(shape)
    except LayoutError:
        return False
    return True
