"""Where threads must wait for one another, because they share memory.

    ttg.local_store %x, %b          writes %b's bytes
    ── barrier ──                   read after write (RAW)
    %y = ttg.local_load %b          reads %b's bytes
    ── barrier ──                   write after read (WAR)
    ttg.local_store %z, %b

What was read and written since the last barrier is carried through the program: along a block,
joined where ways meet, and around loops until nothing changes. An operation whose own bytes meet
those is preceded by a barrier, which forgets all. Two writes to the same bytes count as well.

    RAW   out = in ∪ writes      hazard if reads(op) ∩ in.writes
    WAR   out = in ∪ reads       hazard if writes(op) ∩ in.reads

Bytes are what the allocation gave, so buffers that share them by reuse are seen to. An operation
with scratch writes it, waits, and reads it: its own barrier forgets all that came before.
Source: seed 004, the equations for barriers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from weft.analysis.allocation import Allocation, Placed
from weft.analysis.shared_effects import shared_effect
from weft.ir import scf, tt
from weft.ir.builtin import Block, Operation, SSAValue

__all__ = ["Barriers", "barriers"]

_WAITS = ("ttg.barrier", "gpu.barrier")
_ARRIVALS = ("ttg.async_wait",)


@dataclass(frozen=True, slots=True)
class Barriers:
    """The operations in front of which every thread of the block must arrive first."""

    before: frozenset[Operation]


@dataclass(frozen=True, slots=True)
class _Seen:
    """What was touched since the last barrier, as bytes.

    arrives: whether copies have landed that other threads have not been told of.
    """

    reads: frozenset[Placed] = frozenset()
    writes: frozenset[Placed] = frozenset()
    arrives: bool = False

    def join(self, other: _Seen) -> _Seen:
        return _Seen(
            self.reads | other.reads, self.writes | other.writes, self.arrives or other.arrives
        )


_NOTHING = _Seen()


def barriers(function: tt.FuncOp, allocation: Allocation) -> Barriers:
    """Return where barriers must stand in a function."""
    return _Walk(allocation, set()).run(function)


def _meet(some: Iterable[Placed], others: Iterable[Placed]) -> bool:
    return any(a.start < b.end and b.start < a.end for a in some for b in others)


@dataclass(slots=True)
class _Walk:
    allocation: Allocation
    before: set[Operation]

    def run(self, function: tt.FuncOp) -> Barriers:
        """Carry what was touched through the blocks until nothing changes."""
        into: dict[Block, _Seen] = {function.regions[0].blocks[0]: _NOTHING}
        waiting = list(into)
        while waiting:
            block = waiting.pop(0)
            after = self._block(block, into[block])
            for following in block.last_op.successors if block.last_op is not None else ():
                joined = into.get(following, _NOTHING).join(after)
                if following not in into or joined != into[following]:
                    into[following] = joined
                    waiting.append(following)
        return Barriers(frozenset(self.before))

    def _block(self, block: Block, seen: _Seen) -> _Seen:
        for op in block.ops:
            seen = self._op(op, seen)
        return seen

    def _op(self, op: Operation, seen: _Seen) -> _Seen:
        if isinstance(op, scf.ForOp):
            return self._loop(seen, (op.block,)).join(seen)
        if isinstance(op, scf.WhileOp):
            return self._loop(seen, (op.before_block, op.after_block))
        if isinstance(op, scf.IfOp):
            ways = [
                self._block(region.block, seen) if region.blocks else seen for region in op.regions
            ]
            return ways[0].join(ways[-1] if len(ways) > 1 else seen)
        if op.name in _WAITS:
            return _NOTHING
        return self._touch(op, seen)

    def _loop(self, seen: _Seen, blocks: tuple[Block, ...]) -> _Seen:
        """Go around until what comes around is what came in; return what leaves the first block."""
        into = seen
        while True:
            after = left = self._block(blocks[0], into)
            for block in blocks[1:]:
                after = self._block(block, after)
            joined = into.join(after)
            if joined == into:
                return left if len(blocks) > 1 else after
            into = joined

    def _touch(self, op: Operation, seen: _Seen) -> _Seen:
        reads, writes = self._bytes(op)
        scratch = self.allocation.scratch.get(op)
        if scratch is not None:
            writes = (*writes, scratch)
        touches = bool(reads or writes)
        if (touches and seen.arrives) or (
            _meet(reads, seen.writes) or _meet(writes, seen.reads) or _meet(writes, seen.writes)
        ):
            self.before.add(op)
            seen = _NOTHING
        if scratch is not None:
            return _Seen(reads=frozenset((scratch,)))  # its own barrier stands between the two
        arrives = seen.arrives or op.name in _ARRIVALS
        return _Seen(seen.reads.union(reads), seen.writes.union(writes), arrives)

    def _bytes(self, op: Operation) -> tuple[tuple[Placed, ...], tuple[Placed, ...]]:
        """Return the bytes that an operation reads and writes itself."""
        reads, writes = shared_effect(op)
        return self._of(reads), self._of(writes)

    def _of(self, values: Iterable[SSAValue]) -> tuple[Placed, ...]:
        return tuple(
            self.allocation.buffers[buffer]
            for value in values
            for buffer in self.allocation.may_be.get(value, ())
        )
