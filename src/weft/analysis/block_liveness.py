"""Liveness of buffers across blocks: which operations come while a buffer is still used.

    ^bb0:  %a = ttng.tmem_alloc       live from here …
    ^bb1:  cf.cond_br ^bb2, ^bb3
    ^bb2:  ttng.tmem_load %a          … through all of the loop, as ^bb1 leads here again …
           cf.br ^bb1
    ^bb3:  %b = ttng.tmem_alloc       … and not here: %b may have the columns of %a

A value is live at the entry of a block if the block, or one that control reaches after it, uses
the value. It is live to the end of a block if it is live at the entry of a successor, else to the
last use in the block. A use in a region counts as one of the operation with the region. A buffer
is live while some value that may refer to it is. Source: MLIR, Analysis/Liveness.cpp.

`weft.analysis.liveness` computes the live ranges of structured programs, and knows asynchronous
operations; this one is for programs of blocks and branches, in which waits are uses.
"""

from __future__ import annotations

from weft.analysis.buffer_aliases import Aliases
from weft.analysis.liveness import LiveRange, partitions_around
from weft.ir import tt
from weft.ir.builtin import Block, Operation, Region, SSAValue
from weft.ir.dominance import successors
from weft.ir.rewriting import ancestors, walk, walk_inner_first

__all__ = ["BlockLiveness"]


class BlockLiveness:
    """The live ranges of the buffers of a function.

    Attributes:
        numbers: The number of each operation, in program order; that of an operation with regions
            comes after those inside.
    """

    def __init__(self, function: tt.FuncOp) -> None:
        self._function = function
        # An operation comes after those in its regions, so that it ends their live ranges.
        self.numbers = {op: number for number, op in enumerate(walk_inner_first(function))}
        self._branches: dict[Region, dict[Block, list[Block]]] = {}  # predecessors

    def of_buffers(
        self, allocation: type[Operation], aliases: Aliases
    ) -> dict[SSAValue, LiveRange]:
        """Compute the live range of each buffer, in program order.

        Args:
            allocation: The class of the operations that allocate the buffers.
            aliases: The buffers that each value may refer to.
        """
        ranges: dict[SSAValue, LiveRange] = {
            op.results[0]: LiveRange(self.numbers[op], self.numbers[op], partitions_around(op))
            for op in walk(self._function)
            if isinstance(op, allocation)
        }
        for value, buffers in aliases.items():
            first, last = self._of_value(value)
            for buffer in buffers:
                live = ranges[buffer]
                live.first, live.last = min(live.first, first), max(live.last, last)
        return ranges

    def _of_value(self, value: SSAValue) -> tuple[int, int]:
        """Find the first and the last operation at which a value is live."""
        owner = value.owner
        block = owner if isinstance(owner, Block) else owner.parent
        assert block is not None
        region = block.parent
        last_use: dict[Block, int] = {}
        for use in value.uses:
            for op in (use.operation, *ancestors(use.operation)):
                if op.parent is not None and op.parent.parent is region:
                    last_use[op.parent] = max(last_use.get(op.parent, 0), self.numbers[op])
        live_in = self._blocks_before(set(last_use), block)
        firsts = [self.numbers[owner] if isinstance(owner, Operation) else self._first(block)]
        lasts = [firsts[0]]
        for each in {block, *live_in}:
            if each is not block:
                firsts.append(self._first(each))
            if any(successor in live_in for successor in successors(each)):
                assert each.last_op is not None
                lasts.append(self.numbers[each.last_op])
            elif each in last_use:
                lasts.append(last_use[each])
        return min(firsts), max(lasts)

    def _first(self, block: Block) -> int:
        assert block.first_op is not None
        return self.numbers[block.first_op]

    def _blocks_before(self, users: set[Block], definition: Block) -> set[Block]:
        """Find the blocks from which control reaches a use without passing the definition."""
        live_in: set[Block] = set()
        worklist = [block for block in users if block is not definition]
        while worklist:
            block = worklist.pop()
            if block in live_in or block is definition:
                continue
            live_in.add(block)
            worklist += self._predecessors(block)
        return live_in

    def _predecessors(self, block: Block) -> list[Block]:
        region = block.parent
        assert region is not None
        if region not in self._branches:
            edges: dict[Block, list[Block]] = {}
            for source in region.blocks:
                for target in successors(source):
                    edges.setdefault(target, []).append(source)
            self._branches[region] = edges
        return self._branches[region].get(block, [])
