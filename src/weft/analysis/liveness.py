"""Liveness of buffers: from which operation to which a buffer holds what is still needed.

Operations are numbered in program order. A buffer is live from its allocation to its last use,
through views and block arguments that refer to it:

    0  %a = ttg.local_alloc                        %a  live in [0, 5]
    1  %b = ttg.local_alloc                        %b  live in [1, 4]
    2  scf.for … {
    3    ttg.local_load %b                         a use inside of a loop that the buffer is
    4  }                                           defined outside of counts until its end
    5  ttg.local_load %a

Asynchronous operations use their buffers after they were issued. A buffer that a TMA copy or an
asynchronous MMA accesses is live until the wait for that operation:

    ttng.async_tma_copy_global_to_local …, %b, %bar
    ttng.wait_barrier %bar, %phase                 %b is live at least until here

The memory of an mbarrier that is never invalidated is live to the end of the function
(`weft.analysis.mbarriers`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from weft.analysis.buffer_aliases import Aliases
from weft.analysis.mbarriers import mbarrier_uses
from weft.analysis.shared_memory_effects import Agent, is_in_shared_memory, shared_memory_effects
from weft.ir import tt, ttg, ttng
from weft.ir.attributes import number
from weft.ir.builtin import Operation, SSAValue
from weft.ir.interfaces import LoopLikeOpInterface
from weft.ir.rewriting import ancestors, walk

__all__ = ["LiveRange", "Liveness", "partitions_around"]

_MMA = (ttng.TCGen5MMAOp, ttng.TCGen5MMAScaledOp)
_DEFAULT_REGION = -1


class LiveRange(Struct):
    """The operations during which memory is needed.

    Attributes:
        first: The number of the first operation.
        last: The number of the last operation, included.
        partitions: For each `ttg.warp_specialize` around: the partition that the memory belongs
            to, -1 for the default region.
    """

    first: int
    last: int
    partitions: Mapping[Operation, int]

    def overlaps(self, other: LiveRange) -> bool:
        """Check whether both may be needed at one time."""
        if any(other.partitions.get(op, mine) != mine for op, mine in self.partitions.items()):
            return True  # partitions run at the same time
        return other.first <= self.last and self.first <= other.last


class Liveness:
    """The live ranges of the buffers of a function."""

    def __init__(self, function: tt.FuncOp) -> None:
        operations = [op for op in walk(function) if op is not function]
        self._function = function
        self.numbers = {op: position for position, op in enumerate(operations, start=1)}
        self._ends = _last_numbers_inside(self.numbers)

    def of_operation(self, op: Operation) -> LiveRange:
        """Compute the live range of memory that an operation, or the function, needs for itself."""
        if op is self._function:
            return LiveRange(0, len(self.numbers), {})
        position = self.numbers[op]
        return LiveRange(position, position, partitions_around(op))

    def of_buffers(
        self, allocation: type[Operation], aliases: Aliases, mbarriers: Aliases
    ) -> dict[SSAValue, LiveRange]:
        """Compute the live range of each buffer.

        Args:
            allocation: The class of the operations that allocate the buffers.
            aliases: The buffers that each value may refer to.
            mbarriers: The buffers of shared memory that each value may refer to; a wait belongs
                to the asynchronous operations that arrive on the same mbarrier.
        """
        ranges: dict[SSAValue, LiveRange] = {
            op.results[0]: self.of_operation(op)
            for op in self.numbers
            if isinstance(op, allocation)
        }
        for value, buffers in aliases.items():
            for user in _users(value):
                for buffer in buffers:
                    self._extend(ranges[buffer], user)
        for value, wait in self._asynchronous_uses(mbarriers):
            for buffer in aliases.get(value, ()):
                self._extend(ranges[buffer], wait)
        for buffer, uses in mbarrier_uses(mbarriers).items():
            if buffer in ranges and uses.is_used and not uses.is_invalidated:
                ranges[buffer].last = len(self.numbers)
        return ranges

    def _extend(self, live: LiveRange, user: Operation) -> None:
        """Extend a live range to a use, and to the end of the loops around it."""
        live.first = min(live.first, self.numbers[user])
        last = self._ends[user] if _runs_again_or_beside(user) else self.numbers[user]
        for op in ancestors(user):
            # A buffer defined inside of the loop is another one in each iteration.
            if op in self.numbers and _runs_again_or_beside(op) and self.numbers[op] > live.first:
                last = max(last, self._ends[op])
        live.last = max(live.last, last)

    def _asynchronous_uses(self, mbarriers: Aliases) -> Iterator[tuple[SSAValue, Operation]]:
        """Yield the buffers that asynchronous operations access, each with the wait for them.

        The wait is the next one in program order. If there is none, it is the loop around that
        contains one, for the next iteration waits; or the `ttg.warp_specialize`, for an earlier
        partition waits. Else it is the end of the function.
        """
        waits = [
            op for op in self.numbers if isinstance(op, ttng.WaitBarrierOp | ttng.TMAStoreWaitOp)
        ]
        last_op = next(reversed(self.numbers), None)
        for op in self.numbers:
            effects = shared_memory_effects(op)
            is_async_mma = isinstance(op, _MMA) and bool(effects.signals)
            if effects.agent is not Agent.TMA and not is_async_mma:
                continue
            signals = {
                mbarrier for value in effects.signals for mbarrier in mbarriers.get(value, ())
            }
            own_waits = [wait for wait in waits if _waits_for(wait, signals, mbarriers)]
            wait = (
                self._following(op, own_waits) or self._around_with_wait(op, own_waits) or last_op
            )
            assert wait is not None
            if is_async_mma:
                # Waits name the operands in shared memory, so these have uses there already.
                used = [value for value in op.operands if not is_in_shared_memory(value)]
            else:
                used = [*effects.reads, *effects.writes]
            for value in used:
                yield value, wait

    def _following(self, op: Operation, waits: Iterable[Operation]) -> Operation | None:
        return next((wait for wait in waits if self.numbers[wait] > self.numbers[op]), None)

    def _around_with_wait(self, op: Operation, waits: Sequence[Operation]) -> Operation | None:
        """Find the innermost loop, or group of partitions, around an operation with a wait."""
        for around in ancestors(op):
            if _runs_again_or_beside(around) and any(
                self.numbers[around] < self.numbers[wait] <= self._ends[around] for wait in waits
            ):
                return around
        return None


def _last_numbers_inside(numbers: Mapping[Operation, int]) -> dict[Operation, int]:
    """Compute for each operation the number of the last operation in its regions, or its own."""
    ends: dict[Operation, int] = {}
    for op in reversed(list(numbers)):
        ends[op] = max(ends.get(op, 0), numbers[op])
        parent = op.parent_op()
        if parent is not None and parent in numbers:
            ends[parent] = max(ends.get(parent, 0), ends[op])
    return ends


def _runs_again_or_beside(op: Operation) -> bool:
    """Check for loops, and for partitions, which run at the same time as each other."""
    return isinstance(op, LoopLikeOpInterface | ttg.WarpSpecializeOp)


def partitions_around(op: Operation) -> dict[Operation, int]:
    """Find the partition that an operation is in, for each `ttg.warp_specialize` around it."""
    partitions: dict[Operation, int] = {}
    region = op.parent_region()
    for around in ancestors(op):
        if isinstance(around, ttg.WarpSpecializePartitionsOp):
            specialize = around.parent_op()
            assert specialize is not None
            partitions[specialize] = tuple(around.regions).index(region)
        elif isinstance(around, ttg.WarpSpecializeOp):
            partitions.setdefault(around, _DEFAULT_REGION)
        region = around.parent_region()
    return partitions


def _waits_for(wait: Operation, signals: set[SSAValue], mbarriers: Aliases) -> bool:
    """Check whether an operation waits for an asynchronous one.

    Args:
        wait: A wait for an mbarrier, or for TMA stores.
        signals: The mbarriers that the asynchronous operation arrives on; none for a TMA store.
        mbarriers: The buffers that each value may refer to.
    """
    if signals:
        return isinstance(wait, ttng.WaitBarrierOp) and not signals.isdisjoint(
            mbarriers.get(wait.alloc, ())
        )
    return isinstance(wait, ttng.TMAStoreWaitOp) and not number(wait.properties["pendings"])


def _users(value: SSAValue) -> Iterator[Operation]:
    """Yield the operations at which a value is needed: its definition and its users."""
    yield from (use.operation for use in value.uses)
    owner = value.owner
    if isinstance(owner, Operation):
        yield owner
    elif isinstance(loop := owner.parent_op(), LoopLikeOpInterface):
        yield loop  # a loop-carried value is needed throughout the loop
