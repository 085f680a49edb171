"""The lattice of the hazard analysis."""

from __future__ import annotations

from weft.analysis.allocation import ByteRange
from weft.analysis.hazards.accesses import Accesses
from weft.analysis.shared_memory_effects import Agent

A, B = (frozenset([ByteRange(start, 16)]) for start in (0, 16))
ALL = Accesses(
    reads=A,
    writes=A,
    first_warp_writes=A,
    async_reads=frozenset([(Agent.TMA, ByteRange(0, 16))]),
    unfenced_writes=A,
    completed_copies=True,
    unfenced_copies=True,
    created_descriptor=True,
)
EMPTY = Accesses()


def test_the_join_is_the_union():
    assert EMPTY.join(ALL) == ALL.join(EMPTY) == ALL.join(ALL) == ALL
    both = Accesses(reads=A, writes=B).join(Accesses(reads=B, first_warp_writes=A))
    assert both == Accesses(reads=A | B, writes=B, first_warp_writes=A)


def test_a_barrier_orders_accesses_of_threads():
    assert ALL.after_barrier() == Accesses(
        async_reads=ALL.async_reads, unfenced_writes=A, unfenced_copies=True
    )


def test_a_fence_covers_writes_and_copies():
    after = ALL.after_fence()
    assert (after.unfenced_writes, after.unfenced_copies) == (frozenset(), False)
    assert (after.reads, after.writes, after.completed_copies) == (A, A, True)


def test_a_wait_makes_asynchronous_reads_reads_of_threads():
    (a,), (b,) = A, B
    pending = Accesses(async_reads=frozenset([(Agent.TMA, a), (Agent.WGMMA, b)]))
    assert pending.after_wait(Agent.TMA, 0) == Accesses(
        reads=A, async_reads=frozenset([(Agent.WGMMA, b)])
    )
    assert pending.after_wait(Agent.TMA, 1) == Accesses(reads=A, async_reads=pending.async_reads)
    assert pending.after_wait(Agent.TDM, 0) == pending


def test_accesses_by_agent():
    assert EMPTY.after_access(Agent.THREADS, A, B) == Accesses(reads=A, writes=B, unfenced_writes=B)
    assert EMPTY.after_access(Agent.FIRST_WARP, A, B) == Accesses(
        first_warp_writes=B, unfenced_writes=B
    )
    for unit in (Agent.TMA, Agent.WGMMA, Agent.TDM):
        (a,) = A
        assert EMPTY.after_access(unit, A, B) == Accesses(async_reads=frozenset([(unit, a)]))
