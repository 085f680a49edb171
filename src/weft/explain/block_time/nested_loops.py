"""Nest the basic blocks of a kernel into loops.

    entry → A → B → A, B → exit:  (instructions of entry, Loop(64, instructions of A and B), …)

A loop is a natural loop: an edge from B back to A, where A is on the path of a depth-first search
to B, and the blocks that reach B without A. Both sides of a branch are part of the body, in
reverse postorder of the search.

Source: A. Aho et al., Compilers: Principles, Techniques, and Tools, natural loops.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from weft.explain.block_time.sass import ControlFlow, SassInstruction

__all__ = ["INSTRUCTION_BYTES", "Body", "Loop", "nest_loops"]


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop.

    Attributes:
        trips: Its iterations.
        body: Its instructions and loops.
    """

    trips: int
    body: Body

    @property
    def code_bytes(self) -> int:
        """The bytes of its instructions."""
        return sum(
            each.code_bytes if isinstance(each, Loop) else INSTRUCTION_BYTES for each in self.body
        )


Body: TypeAlias = "tuple[SassInstruction | Loop, ...]"
"""Instructions and loops in the order of execution."""

INSTRUCTION_BYTES = 16
_LEAST_INSTRUCTIONS = 3  # shorter loops are the jump to itself that ends a kernel's text


def nest_loops(control_flow: ControlFlow, trip_counts: Sequence[int], unknown: int = 16) -> Body:
    """Nest instructions into loops.

    Args:
        control_flow: The basic blocks.
        trip_counts: The iterations of the loops, in the order of their headers.
        unknown: The iterations of loops beyond those.
    """
    order, back_edges = _search(control_flow.successors)
    loops: dict[int, set[int]] = {}
    for latch, header in back_edges:
        loops.setdefault(header, {header}).update(
            _reach(control_flow.successors, latch, header, order)
        )
    position = {block: number for number, block in enumerate(order)}
    long = [
        frozenset(loops[header])
        for header in sorted(loops, key=position.__getitem__)
        if sum(len(control_flow.blocks[each]) for each in loops[header]) >= _LEAST_INSTRUCTIONS
    ]
    trips = {
        blocks: trip_counts[number] if number < len(trip_counts) else unknown
        for number, blocks in enumerate(long)
    }
    return tuple(_nest(order, frozenset(order), control_flow, trips))


def _nest(
    order: Sequence[int],
    region: frozenset[int],
    control_flow: ControlFlow,
    trips: dict[frozenset[int], int],
) -> Iterator[SassInstruction | Loop]:
    """Yield the instructions and loops of a region, itself a loop or all blocks."""
    complete: set[int] = set()
    for block in order:
        if block not in region or block in complete:
            continue
        inner = max(
            (blocks for blocks in trips if block in blocks and blocks < region),
            key=len,
            default=None,
        )
        if inner is None:
            yield from control_flow.blocks[block]
        else:
            complete |= inner
            yield Loop(trips[inner], tuple(_nest(order, inner, control_flow, trips)))


def _search(successors: Sequence[Sequence[int]]) -> tuple[list[int], list[tuple[int, int]]]:
    """Search depth first from the entry.

    Returns:
        The blocks so that each precedes those that it leads to, but for loops (reverse postorder),
        and the edges back to a block of the path.
    """
    finished: list[int] = []
    back_edges: list[tuple[int, int]] = []
    path, visited = {0}, {0}
    stack = [(0, iter(successors[0]))]
    while stack:
        block, rest = stack[-1]
        following = next(rest, None)
        if following is None:
            stack.pop()
            path.remove(block)
            finished.append(block)
        elif following in path:
            back_edges.append((block, following))
        elif following not in visited:
            visited.add(following)
            path.add(following)
            stack.append((following, iter(successors[following])))
    return finished[::-1], back_edges


def _reach(
    successors: Sequence[Sequence[int]], latch: int, header: int, blocks: Collection[int]
) -> set[int]:
    """Find the blocks from which the latch can be reached without the header."""
    body = {latch}
    worklist = [] if latch == header else [latch]
    while worklist:
        block = worklist.pop()
        for before in blocks:
            if block in successors[before] and before not in body and before != header:
                body.add(before)
                worklist.append(before)
    return body
