"""A graph of blocks, run for a batch of instances.

With several blocks (an early return, a loop written with branches) instances may stand in
different blocks. The block that comes first in reverse post order runs next, for all instances
that have reached it, so that groups meet again where their paths join.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from xdsl.ir import Block, Region

from weft.interpreter.batch import Batch
from weft.interpreter.groups import Gathered, Group, everyone, uniform
from weft.interpreter.registry import Slots
from weft.interpreter.scope import Code, Scope, defined_in, operations
from weft.interpreter.standstill import Standstill
from weft.interpreter.values import Value, index_of, merge
from weft.ir.dominance import postorder, successors
from weft.ir.interfaces import BranchOpInterface

__all__ = ["Graph"]

_Edge: TypeAlias = tuple[int, tuple[int, ...]]  # the target block, and the slots passed to it


class Graph:
    """The compiled blocks of a region.

    Args: region: its first block is run first.  scope: its function's.
    watch: whether instances may wait for memory that others change, and a loop that nobody ends
           is to be an error.
    """

    def __init__(self, region: Region, scope: Scope, *, watch: bool) -> None:
        blocks = postorder(region)[::-1]
        self._order = {block: number for number, block in enumerate(blocks)}
        self._codes = [scope.code(block) for block in blocks]
        self._edges = [_edges(code, self._order, scope) for code in self._codes]
        self._live = _live_in(blocks, self._codes, scope, self._order)
        self._watch = watch

    @property
    def branches(self) -> bool:
        """Whether there are several blocks, among which instances may go different ways."""
        return len(self._codes) > 1

    def call(self, slots: Slots, batch: Batch, arguments: Sequence[Value]) -> list[Value]:
        """Run for a batch, and return what the region returns, an array per value.

        Args: slots: changed.  arguments: of the first block.
        """
        if not self.branches:
            return self._codes[0].call(slots, batch, arguments)
        for slot, value in zip(self._codes[0].arguments, arguments, strict=True):
            slots[slot] = value
        return self._walk(everyone(slots, batch))

    def _walk(self, start: Group) -> list[Value]:
        waiting: dict[int, list[Group]] = {0: [start]}
        gathered = Gathered(start.batch.size)
        watched = [Standstill(code.location) for code in self._codes]
        while waiting:
            number = min(waiting)
            group = self._join(waiting.pop(number), start.batch, number)
            code = self._codes[number]
            if self._watch:
                inputs = (*sorted(self._live[number]), *code.arguments)
                watched[number].check(group.batch, [group.slots[slot] for slot in inputs])
            code.run(group.slots, group.batch)
            edges = self._edges[number]
            if not edges:
                gathered.add(group.members, [group.slots[slot] for slot in code.results])
            elif len(edges) == 1:
                self._go(waiting, group, edges[0])
            else:
                self._branch(waiting, group, code.results[0], edges)
        return gathered.merged()

    def _branch(
        self,
        waiting: dict[int, list[Group]],
        group: Group,
        condition: int,
        edges: tuple[_Edge, ...],
    ) -> None:
        chosen = group.slots[condition]
        shared = uniform(chosen)
        if shared is not None:
            self._go(waiting, group, edges[0 if shared else 1])
            return
        for mask, edge in zip((chosen, ~chosen), edges, strict=True):
            needed = {*self._live[edge[0]], *edge[1]}
            self._go(waiting, group.subset(mask, tuple(needed)), edge)

    def _go(self, waiting: dict[int, list[Group]], group: Group, edge: _Edge) -> None:
        target, sources = edge
        values = [group.slots[slot] for slot in sources]
        for slot, value in zip(self._codes[target].arguments, values, strict=True):
            group.slots[slot] = value
        waiting.setdefault(target, []).append(group)

    def _join(self, groups: list[Group], whole: Batch, number: int) -> Group:
        if len(groups) == 1:
            return groups[0]
        members = np.sort(np.concatenate([group.members for group in groups]))
        places = [index_of(np.searchsorted(members, group.members)) for group in groups]
        slots = groups[0].slots.copy()
        for slot in (*self._live[number], *self._codes[number].arguments):
            parts = [(place, g.slots[slot]) for place, g in zip(places, groups, strict=True)]
            slots[slot] = merge(parts, len(members))
        batch = whole.take(index_of(members), len(members))
        return Group(members, slots, batch)


def _edges(code: Code, order: dict[Block, int], scope: Scope) -> tuple[_Edge, ...]:
    op = code.terminator
    if not isinstance(op, BranchOpInterface):
        return ()
    return tuple((order[edge.block], scope.slots(edge.operands)) for edge in op.block_edges())


def _live_in(
    blocks: list[Block], codes: list[Code], scope: Scope, order: dict[Block, int]
) -> list[set[int]]:
    """Return for each block the slots that it or a later block reads and that it does not set."""
    reads: list[set[int]] = []
    sets: list[set[int]] = []
    for block, code in zip(blocks, codes, strict=True):
        inner = [o for op in block.ops for r in op.regions for o in operations(r)]
        reads.append({scope.slot(v) for op in (*block.ops, *inner) for v in op.operands})
        sets.append({*code.arguments, *(scope.slot(v) for op in block.ops for v in op.results)})
    live = [set[int]() for _ in blocks]
    changed = True
    while changed:
        changed = False
        for number in reversed(range(len(blocks))):
            after = set[int]().union(*(live[order[t]] for t in successors(blocks[number])))
            now = (reads[number] | after) - sets[number] - _nested(blocks[number], scope)
            changed |= now != live[number]
            live[number] = now
    return live


def _nested(block: Block, scope: Scope) -> set[int]:
    return {scope.slot(v) for op in block.ops for r in op.regions for v in defined_in(r)}
