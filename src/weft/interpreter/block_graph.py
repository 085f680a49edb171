"""Control flow between blocks, for a batch of instances.

In a function of several blocks (an early return, a loop written with branches) instances may be in
different blocks. The first of these blocks in reverse postorder runs next, for all instances that
have reached it. So groups that took different branches merge again where their paths join:

    ^0: cond_br %c, ^1, ^2      instances 0, 1 → ^1      instances 2, 3 → ^2
    ^1: br ^3                   instances 0, 1
    ^2: br ^3                   instances 2, 3
    ^3: return                  instances 0, 1, 2, 3: one group again
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from xdsl.ir import Block, Region

from weft.interpreter.divergence import Group, GroupResults, uniform_condition, whole_batch
from weft.interpreter.function_compiler import (
    CompiledBlock,
    FunctionCompiler,
    defined_in,
    operations,
)
from weft.interpreter.livelock import LivelockDetector
from weft.interpreter.program_batch import Batch
from weft.interpreter.registry import Slots
from weft.interpreter.values import Value, index_of, merge
from weft.ir.dominance import postorder, successors
from weft.ir.interfaces import BranchOpInterface

__all__ = ["BlockGraph"]

_Edge: TypeAlias = tuple[int, tuple[int, ...]]  # the target block, and the slots passed to it


class BlockGraph:
    """The compiled blocks of a region.

    Args:
        region: The region; its first block is the entry.
        compiler: The compiler of the function.
        watch: Whether instances may wait for memory that other instances change, so that livelock
            has to be detected.
    """

    def __init__(self, region: Region, compiler: FunctionCompiler, *, watch: bool) -> None:
        blocks = postorder(region)[::-1]
        self._order = {block: number for number, block in enumerate(blocks)}
        self._codes = [compiler.code(block) for block in blocks]
        self._edges = [_edges(code, self._order, compiler) for code in self._codes]
        self._live = _live_in(blocks, self._codes, compiler, self._order)
        self._watch = watch

    @property
    def branches(self) -> bool:
        """Whether there are several blocks, so that instances may diverge."""
        return len(self._codes) > 1

    def call(self, slots: Slots, batch: Batch, arguments: Sequence[Value]) -> list[Value]:
        """Run for a batch.

        Args:
            slots: The values of the function; they change.
            batch: The instances.
            arguments: The arguments of the entry block.

        Returns:
            The values that the region returns.
        """
        if not self.branches:
            return self._codes[0].call(slots, batch, arguments)
        for slot, value in zip(self._codes[0].arguments, arguments, strict=True):
            slots[slot] = value
        return self._run(whole_batch(slots, batch))

    def _run(self, start: Group) -> list[Value]:
        waiting: dict[int, list[Group]] = {0: [start]}
        group_results = GroupResults(start.batch.size)
        detectors = [LivelockDetector(code.location) for code in self._codes]
        while waiting:
            number = min(waiting)
            group = self._join(waiting.pop(number), start.batch, number)
            code = self._codes[number]
            if self._watch:
                inputs = (*sorted(self._live[number]), *code.arguments)
                detectors[number].check(group.batch, [group.slots[slot] for slot in inputs])
            code.run(group.slots, group.batch)
            edges = self._edges[number]
            if not edges:
                group_results.add(group.members, [group.slots[slot] for slot in code.results])
            elif len(edges) == 1:
                self._enter(waiting, group, edges[0])
            else:
                self._branch(waiting, group, code.results[0], edges)
        return group_results.merged()

    def _branch(
        self,
        waiting: dict[int, list[Group]],
        group: Group,
        condition: int,
        edges: tuple[_Edge, ...],
    ) -> None:
        chosen = group.slots[condition]
        shared = uniform_condition(chosen)
        if shared is not None:
            self._enter(waiting, group, edges[0 if shared else 1])
            return
        for mask, edge in zip((chosen, ~chosen), edges, strict=True):
            needed = {*self._live[edge[0]], *edge[1]}
            self._enter(waiting, group.subset(mask, tuple(needed)), edge)

    def _enter(self, waiting: dict[int, list[Group]], group: Group, edge: _Edge) -> None:
        target, sources = edge
        values = [group.slots[slot] for slot in sources]
        for slot, value in zip(self._codes[target].arguments, values, strict=True):
            group.slots[slot] = value
        waiting.setdefault(target, []).append(group)

    def _join(self, groups: list[Group], whole: Batch, number: int) -> Group:
        if len(groups) == 1:
            return groups[0]
        members = np.sort(np.concatenate([group.members for group in groups]))
        positions = [index_of(np.searchsorted(members, group.members)) for group in groups]
        slots = groups[0].slots.copy()
        for slot in (*self._live[number], *self._codes[number].arguments):
            parts = [(place, g.slots[slot]) for place, g in zip(positions, groups, strict=True)]
            slots[slot] = merge(parts, len(members))
        batch = whole.take(index_of(members), len(members))
        return Group(members, slots, batch)


def _edges(
    code: CompiledBlock, order: dict[Block, int], compiler: FunctionCompiler
) -> tuple[_Edge, ...]:
    op = code.terminator
    if not isinstance(op, BranchOpInterface):
        return ()
    return tuple((order[edge.block], compiler.slots(edge.operands)) for edge in op.block_edges())


def _live_in(
    blocks: list[Block],
    codes: list[CompiledBlock],
    compiler: FunctionCompiler,
    order: dict[Block, int],
) -> list[set[int]]:
    """Compute the slots that are live at the entry of each block: backward liveness analysis."""
    reads: list[set[int]] = []
    sets: list[set[int]] = []
    for block, code in zip(blocks, codes, strict=True):
        inner = [o for op in block.ops for r in op.regions for o in operations(r)]
        reads.append({compiler.slot(v) for op in (*block.ops, *inner) for v in op.operands})
        sets.append({*code.arguments, *(compiler.slot(v) for op in block.ops for v in op.results)})
    live = [set[int]() for _ in blocks]
    changed = True
    while changed:
        changed = False
        for number in reversed(range(len(blocks))):
            after = set[int]().union(*(live[order[t]] for t in successors(blocks[number])))
            live_in = (reads[number] | after) - sets[number] - _nested(blocks[number], compiler)
            changed |= live_in != live[number]
            live[number] = live_in
    return live


def _nested(block: Block, compiler: FunctionCompiler) -> set[int]:
    return {compiler.slot(v) for op in block.ops for r in op.regions for v in defined_in(r)}
