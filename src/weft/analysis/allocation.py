"""Where each buffer lies in shared memory: those that are never live together may share bytes.

    %a = ttg.local_alloc    |a a a a|
    %r = tt.reduce              |s|             scratch of one operation
    use %a                      .
    %b = ttg.local_alloc           |b b b|      %a is dead: %b may lie where %a lay

Operations are numbered as they stand in the text; a buffer is live from its allocation to its last
use, and a buffer from outside a loop that is used inside lives to the loop's end. What is live at
no time together may overlap. What the copy engine reads or writes is live until it is waited for.
Buffers are placed at the lowest offset that is free all their life,
in several orders, and the placement that takes least is kept. Source: seed 004, shared-memory
allocation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from weft.analysis.buffer_aliases import buffer_aliases
from weft.analysis.shared_effects import Agent, is_shared, shared_effect
from weft.ir import tt, ttg
from weft.ir.attributes import number as integer
from weft.ir.builtin import Operation, SSAValue
from weft.ir.rewriting import walk

__all__ = ["Allocation", "Placed", "allocate", "live_ranges"]

# Of what an operation needs for itself; a function that is called may have buffers of any kind.
_ALIGNMENT = {"tt.call": 1024}
_PRODUCTS = ("ttng.tc_gen5_mma", "ttng.tc_gen5_mma_scaled")
_LOOPS = ("scf.for", "scf.while")
_ARRIVED, _LEFT = "ttng.wait_barrier", "ttng.async_tma_store_wait"
_SIDE_BY_SIDE = "ttg.warp_specialize"
Owner: TypeAlias = SSAValue | Operation


@dataclass(frozen=True, slots=True)
class Placed:
    """Bytes of shared memory: where they start, and how many."""

    start: int
    size: int

    @property
    def end(self) -> int:
        """The offset behind the last byte."""
        return self.start + self.size

    def meets(self, other: Placed) -> bool:
        """Tell whether some bytes are in both."""
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True)
class Allocation:
    """The shared memory of a function.

    buffers: of the results of allocations.  scratch: of operations that exchange by memory.
    size: bytes in all.  may_be: which buffers a value may lie in.  lives: the numbers of the first
    and the last operation that each is needed at.
    """

    buffers: Mapping[SSAValue, Placed]
    scratch: Mapping[Operation, Placed]
    size: int
    may_be: Mapping[SSAValue, frozenset[SSAValue]]
    lives: Mapping[Owner, tuple[int, int]]

    def of(self, values: Iterable[SSAValue]) -> frozenset[Placed]:
        """Return the bytes that values may mean."""
        return frozenset(
            self.buffers[buffer] for value in values for buffer in self.may_be.get(value, ())
        )

    def at_the_fullest(self) -> list[tuple[Owner, Placed]]:
        """Return what is live when most bytes are, the largest first."""
        placed: dict[Owner, Placed] = {**self.buffers, **self.scratch}

        def live(number: int) -> list[tuple[Owner, Placed]]:
            return [
                (owner, placed[owner])
                for owner, (first, last) in self.lives.items()
                if first <= number <= last
            ]

        starts = {first for first, _ in self.lives.values()}
        moments = (live(number) for number in sorted(starts))
        fullest = max(moments, key=lambda all_: sum(one.size for _, one in all_), default=[])
        return sorted(fullest, key=lambda pair: -pair[1].size)


@dataclass(slots=True)
class _Interval:
    """Bytes that are needed from one operation's number to another's."""

    owner: Owner
    size: int
    alignment: int
    first: int
    last: int
    sides: Mapping[Operation, int] = field(default_factory=dict)

    def meets(self, other: _Interval) -> bool:
        """Tell whether both are needed at one time: in the text, or in regions side by side."""
        if any(other.sides.get(op, side) != side for op, side in self.sides.items()):
            return True
        return other.first <= self.last and self.first <= other.last


def allocate(
    function: tt.FuncOp,
    buffer_bytes: Callable[[SSAValue], int],
    scratch_bytes: Callable[[Operation], int],
    alignment: Callable[[SSAValue], int] = lambda value: 16,
    room_bytes: Callable[[Operation], int] = lambda op: 0,
) -> Allocation:
    """Return where everything lies.

    Args: buffer_bytes: of an allocation's result.  scratch_bytes: of an operation, 0 for none.
    alignment: of a buffer, in bytes.  room_bytes: of an operation with scratch: what it gets
    instead where the whole takes no more for it.
    """
    may_be = buffer_aliases(function)
    intervals = _intervals(function, may_be, buffer_bytes, scratch_bytes, alignment)
    best, smallest = _best(intervals)
    for one in intervals:
        needed, wanted = one.size, room_bytes(one.owner) if isinstance(one.owner, Operation) else 0
        if needed < wanted <= smallest:
            one.size = wanted
            wider, total = _best(intervals)
            if total <= smallest:
                best = wider
            else:
                one.size = needed
    buffers = {one.owner: best[id(one)] for one in intervals if isinstance(one.owner, SSAValue)}
    scratch = {one.owner: best[id(one)] for one in intervals if isinstance(one.owner, Operation)}
    lives = {one.owner: (one.first, one.last) for one in intervals}
    return Allocation(buffers, scratch, smallest, may_be, lives)


def _best(intervals: Sequence[_Interval]) -> tuple[dict[int, Placed], int]:
    """Return the placement that takes least, of several orders, and the bytes that it takes."""
    orders: tuple[Callable[[_Interval], tuple[int, ...]], ...] = (
        lambda one: (-one.size, one.first),
        lambda one: (one.first, -one.size),
        lambda one: (one.first - one.last, -one.size),
        lambda one: (-one.size * (one.last - one.first + 1), one.first),
    )
    best: dict[int, Placed] = {}
    smallest = -1
    for order in orders:
        placed = _place(sorted(intervals, key=order))
        total = max((place.end for place in placed.values()), default=0)
        if smallest < 0 or total < smallest:
            best, smallest = placed, total
    return best, max(smallest, 0)


def live_ranges(
    function: tt.FuncOp,
    may_be: Mapping[SSAValue, frozenset[SSAValue]],
    allocation: type[Operation],
) -> Mapping[SSAValue, tuple[int, int]]:
    """Return the numbers of the first and the last operation at which each buffer is live.

    Args: may_be: which buffers a value may lie in.  allocation: the operations that make them.
    """

    def unit(_: object) -> int:
        return 1

    barriers = buffer_aliases(function)
    found = _intervals(function, may_be, unit, lambda _: 0, unit, allocation, barriers)
    return {one.owner: (one.first, one.last) for one in found if isinstance(one.owner, SSAValue)}


def _place(intervals: Sequence[_Interval]) -> dict[int, Placed]:
    """Put each at the lowest offset where nothing lies that is live with it."""
    placed: dict[int, Placed] = {}
    done: list[_Interval] = []
    for one in intervals:
        taken = sorted(
            (placed[id(other)].start, placed[id(other)].end) for other in done if one.meets(other)
        )
        start = 0
        for low, high in taken:
            if start + one.size <= low:
                break
            start = max(start, -(-high // one.alignment) * one.alignment)
        placed[id(one)] = Placed(start, one.size)
        done.append(one)
    return placed


def _intervals(
    function: tt.FuncOp,
    may_be: Mapping[SSAValue, frozenset[SSAValue]],
    buffer_bytes: Callable[[SSAValue], int],
    scratch_bytes: Callable[[Operation], int],
    alignment: Callable[[SSAValue], int],
    allocation: type[Operation] = ttg.LocalAllocOp,
    barriers: Mapping[SSAValue, frozenset[SSAValue]] | None = None,
) -> list[_Interval]:
    """Return what needs memory, and when.

    Args: barriers: which barriers a value may be, where buffers are not those of shared memory.
    """
    numbers, ends = _numbered(function)
    found: dict[SSAValue, _Interval] = {}
    others: list[_Interval] = []
    for op, number in numbers.items():
        if isinstance(op, allocation):
            result = op.results[0]
            size = buffer_bytes(result)
            found[result] = _Interval(result, size, alignment(result), number, number, _sides(op))
        elif size := scratch_bytes(op):
            align = _ALIGNMENT.get(op.name, 16)
            others.append(_Interval(op, size, align, number, number, _sides(op)))
    for value, buffers in may_be.items():
        for user in _users(value):
            for buffer in buffers:
                _extend(found[buffer], user, numbers, ends)
    for value, wait in _waited(numbers, ends, may_be if barriers is None else barriers):
        for buffer in may_be.get(value, ()):
            _extend(found[buffer], wait, numbers, ends)
    return [*found.values(), *others]


def _sides(op: Operation) -> dict[Operation, int]:
    """Return the operations whose regions run side by side that one is in, and in which region."""
    found: dict[Operation, int] = {}
    inner, around = op, op.parent_op()
    while around is not None:
        if around.name == _SIDE_BY_SIDE:
            found[around] = -1  # the region of the block's own warps
        elif around.name == f"{_SIDE_BY_SIDE}.partitions":
            region = inner.parent_region()
            partition = next(n for n, each in enumerate(around.regions) if each is region)
            whole = around.parent_op()
            assert whole is not None
            found[whole] = partition
            inner, around = whole, whole.parent_op()
            continue
        inner, around = around, around.parent_op()
    return found


def _waited(
    numbers: dict[Operation, int],
    ends: Mapping[Operation, int],
    may_be: Mapping[SSAValue, frozenset[SSAValue]],
) -> Iterable[tuple[SSAValue, Operation]]:
    """Yield the buffers that an engine is given, each with what waits until it is done.

    Engines are the copy engine, and the tensor cores that work on tensor memory and tell barriers.
    What waits is the next wait in the text; where there is none, the loop around it that has one,
    or the function's end.
    """
    candidates = [op for op in numbers if op.name in (_ARRIVED, _LEFT)]
    for op in numbers:
        touched = shared_effect(op)
        multiplies = op.name in _PRODUCTS and touched.signals
        if touched.by is not Agent.COPIES and not multiplies:
            continue
        told = {buffer for value in touched.signals for buffer in may_be.get(value, ())}
        waits = [other for other in candidates if _waits_for(other, told, may_be)]
        wait = next((one for one in waits if numbers[one] > numbers[op]), None)
        around = op.parent_op()
        while wait is None and around is not None and around in numbers:
            if around.name in _LOOPS and any(
                numbers[around] < numbers[one] <= ends[around] for one in waits
            ):
                wait = around
            around = around.parent_op()
        wait = next(reversed(numbers)) if wait is None else wait
        used = op.operands if multiplies else (*touched.reads, *touched.writes)
        for value in used:
            if not (multiplies and is_shared(value)):  # waits name the tiles of shared memory
                yield value, wait


def _waits_for(
    op: Operation, told: set[SSAValue], may_be: Mapping[SSAValue, frozenset[SSAValue]]
) -> bool:
    """Tell whether an operation waits for copies: those that tell a barrier, or all that leave."""
    if told:
        return op.name == _ARRIVED and not told.isdisjoint(may_be.get(op.operands[0], ()))
    return op.name == _LEFT and not integer(op.properties["pendings"])


def _users(value: SSAValue) -> Iterable[Operation]:
    """Yield the operations at which a value must still be there: its users, and its maker."""
    yield from (use.operation for use in value.uses)
    owner = value.owner
    if isinstance(owner, Operation):
        yield owner
    elif (around := owner.parent_op()) is not None and around.name in _LOOPS:
        yield around  # what a loop carries is there all through it


def _extend(
    interval: _Interval,
    user: Operation,
    numbers: Mapping[Operation, int],
    ends: Mapping[Operation, int],
) -> None:
    """Let a buffer live to a use; where the use is in a loop that it is not made in, to its end."""
    interval.first = min(interval.first, numbers[user])
    last = ends[user] if user.name in _LOOPS else numbers[user]
    around = user.parent_op()
    while around is not None and around in numbers:
        if around.name in (*_LOOPS, _SIDE_BY_SIDE) and numbers[around] > interval.first:
            last = max(last, ends[around])
        around = around.parent_op()
    interval.last = max(interval.last, last)


def _numbered(function: tt.FuncOp) -> tuple[dict[Operation, int], dict[Operation, int]]:
    """Return the number of each operation in the text, and that of the last inside it."""
    numbers = {op: number for number, op in enumerate(walk(function)) if op is not function}
    ends: dict[Operation, int] = {}
    for op in reversed(numbers):
        ends[op] = max(ends.get(op, 0), numbers[op])
        around = op.parent_op()
        if around is not None and around in numbers:
            ends[around] = max(ends.get(around, 0), ends[op])
    return numbers, ends
