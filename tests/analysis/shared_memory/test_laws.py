"""Laws of the analyses of shared memory, held against every way through random programs."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import assume, given

from tests.analysis.shared_memory.programs import (
    LONGEST,
    SCRATCH_BYTES,
    Way,
    plain_programs,
    programs,
    ways,
)
from weft.analysis.allocation import Allocation, ByteRange, allocate
from weft.analysis.buffer_aliases import buffer_aliases
from weft.analysis.hazards import barriers
from weft.ir import tt, ttg
from weft.ir.builtin import Operation, SSAValue

SCRATCH = "math.exp"


def bytes_of(value: SSAValue) -> int:
    assert isinstance(value.type, ttg.MemDescType)
    return 4 * value.type.shape[0]


def scratch_of(op: Operation) -> int:
    return SCRATCH_BYTES if op.name == SCRATCH else 0


def room_of(op: Operation) -> int:
    return 4 * SCRATCH_BYTES if op.name == SCRATCH else 0


def allocated(function: tt.FuncOp) -> Allocation:
    return allocate(function, bytes_of, scratch_of)


@given(programs)
def test_a_value_is_always_one_of_the_buffers_that_it_may_be(function):
    may_be = buffer_aliases(function)
    for way in ways(function):
        for op, met in way:
            values = [v for v in (*op.operands, *op.results) if isinstance(v.type, ttg.MemDescType)]
            for value, buffer in zip(values, met, strict=True):
                assert buffer in may_be[value]


@given(programs)
def test_what_is_loaded_is_what_was_last_stored_there(function):
    """Buffers that share bytes are never both needed: nothing overwrites what is still read."""
    allocation = allocated(function)
    for way in ways(function):
        written: list[tuple[object, ByteRange]] = []
        stored: dict[SSAValue, int] = {}  # how much was written before a buffer was stored last
        for op, met in way:
            for buffer in met:
                placed = allocation.buffers[buffer]
                if op.name == "ttg.local_load" and buffer in stored:
                    later = written[stored[buffer] :]
                    assert all(by is buffer or not _meet(placed, at) for by, at in later)
                elif is_store(op):
                    stored[buffer] = len(written)
                    written.append((buffer, placed))
                elif op.name == "ttg.local_alloc":
                    stored.pop(buffer, None)
            if op in allocation.scratch:
                written.append((op, allocation.scratch[op]))


@given(programs)
def test_never_more_bytes_than_the_sum_and_never_fewer_than_are_live_together(function):
    allocation = allocated(function)
    placed = [*allocation.buffers.values(), *allocation.scratch.values()]
    assert allocation.size <= sum(one.size for one in placed)
    assert allocation.size == max((one.end for one in placed), default=0)
    assert all(one.start % 16 == 0 for one in placed)
    fullest = allocation.live_at_peak()
    assert sum(one.size for _, one in fullest) <= allocation.size
    together = [one for _, one in fullest]
    assert not any(_meet(a, b) for at, a in enumerate(together) for b in together[:at])
    assert together == sorted(together, key=lambda one: -one.size)


@given(programs)
def test_room_is_given_only_where_it_costs_nothing(function):
    plain = allocated(function)
    roomy = allocate(function, bytes_of, scratch_of, preferred_scratch_bytes=room_of)
    assert roomy.size == plain.size
    for placed in roomy.scratch.values():
        assert placed.size in (SCRATCH_BYTES, 4 * SCRATCH_BYTES)
    lives = roomy.live_ranges
    everything = {**roomy.buffers, **roomy.scratch}
    for at, (a, one) in enumerate(everything.items()):
        for b, other in list(everything.items())[:at]:
            apart = not lives[a].overlaps(lives[b])
            assert apart or not _meet(one, other)


@given(programs)
def test_a_barrier_stands_between_any_two_that_must_not_meet(function):
    """RAW, WAR and WAW: on every way, of every pair that touches a byte and one of which writes."""
    allocation = allocated(function)
    found = barriers(function, allocation).before
    for way in ways(function):
        assert not races(way, allocation, found)


@given(plain_programs)
def test_no_barrier_is_superfluous(function):
    """Without any one of them, there is a way on which two accesses meet.

    That is so where every value is one buffer: a barrier for what a value may be, and never is,
    cannot be told from one that is needed.
    """
    every = ways(function)
    assume(len(every) < LONGEST)  # else the way that needs it may not be among them
    allocation = allocated(function)
    found = barriers(function, allocation).before
    for one in found:
        assert any(races(way, allocation, found - {one}) for way in every)


def races(way: Way, allocation: Allocation, found: frozenset[Operation]) -> bool:
    """Return whether two accesses meet with no barrier between them."""
    since: list[tuple[str, ByteRange]] = []
    for op, met in way:
        if op in found or op.name == "ttg.barrier":
            since = []
        for kind, placed in accesses(op, met, allocation):
            if kind == "wait":
                since = []
                continue
            if any("write" in (kind, other) and _meet(placed, at) for other, at in since):
                return True
            since.append((kind, placed))
    return False


def accesses(
    op: Operation, met: tuple[SSAValue, ...], allocation: Allocation
) -> Iterator[tuple[str, ByteRange]]:
    """Yield what an operation does, in order; what has scratch writes it, waits and reads it."""
    if op in allocation.scratch:
        yield "write", allocation.scratch[op]
        yield "wait", allocation.scratch[op]
        yield "read", allocation.scratch[op]
    for buffer in met:
        if is_store(op):
            yield "write", allocation.buffers[buffer]
        elif op.name == "ttg.local_load":
            yield "read", allocation.buffers[buffer]


def is_store(op: Operation) -> bool:
    return op.name == "ttg.local_store" or (op.name == "ttg.local_alloc" and bool(op.operands))


def _meet(a: ByteRange, b: ByteRange) -> bool:
    return a.start < b.end and b.start < a.end
