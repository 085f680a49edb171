"""Allocation of shared memory: by example, and on every path through random programs."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.analysis.memory_listings import listing
from tests.analysis.shared_memory_programs import (
    SCRATCH,
    SCRATCH_BYTES,
    allocated,
    buffer_bytes,
    is_store,
    paths,
    programs,
    scratch_bytes,
)
from weft.analysis.allocation import ByteRange, allocate
from weft.ir.builtin import Operation, SSAValue


def ranges(text: str, sizes: dict[str, int], scratch: int = 0, **options) -> dict[str, list[int]]:
    """Allocate the buffers of a listing; return [start, size] by name."""
    program = listing(text, alloc=False)

    def size_of(value: SSAValue) -> int:
        return sizes[value.name_hint or ""]

    def scratch_of(op: Operation) -> int:
        return scratch if op.name in ("math.exp", "tt.call") else 0

    allocation = allocate(program.function, size_of, scratch_of, **options)
    result = {buffer.name_hint or "": [r.start, r.size] for buffer, r in allocation.buffers.items()}
    result |= {op.name: [r.start, r.size] for op, r in allocation.scratch.items()}
    return result | {"all": [0, allocation.size]}


def test_buffers_that_are_not_live_together_share_bytes():
    text = "alloc a\nexp\nload a\nalloc c\nload c"
    assert ranges(text, {"a": 4096, "c": 2048}, 512) == {
        "a": [0, 4096],
        "c": [0, 2048],
        "math.exp": [4096, 512],
        "all": [0, 4608],
    }


def test_a_gap_is_filled_if_it_is_large_enough():
    text = "alloc a\nalloc a1\nload a\nalloc c\nload c\nload a1"
    assert ranges(text, {"a": 64, "a1": 100, "c": 64})["c"] == [0, 64]
    wider = ranges(text, {"a": 64, "a1": 100, "c": 80})
    assert (wider["c"], wider["all"]) == ([112, 80], [0, 192])  # a and c share an offset after a1


def test_offsets_are_aligned():
    text = "alloc a\nalloc c\nload a\nload c"
    sizes = {"a": 20, "c": 20}
    assert ranges(text, sizes)["all"] == [0, 52]
    assert ranges(text, sizes, alignment=lambda value: 64)["all"] == [0, 84]


def test_a_frame_of_a_callee_has_the_alignment_of_any_buffer():
    text = "alloc a\ncall\nload a"
    assert ranges(text, {"a": 2000}, 512)["tt.call"] == [2048, 512]
    assert ranges(text, {"a": 20}, 512) == {"a": [512, 20], "tt.call": [0, 512], "all": [0, 532]}
    assert ranges(text.replace("call", "exp"), {"a": 2001}, 512)["math.exp"] == [2016, 512]


def test_partitions_overwrite_what_they_captured():
    program = listing(
        "alloc a\nspecialize a\nalloc c\nload c\npartition a\nfence\nend_specialize a\nload a",
        alloc=False,
    )
    sizes = {"ttg.warp_specialize": 24, "tt.func": 4}
    allocation = allocate(program.function, lambda value: 1024, lambda op: sizes.get(op.name, 0))
    bytes_of = {op.name: range_ for op, range_ in allocation.scratch.items()}
    assert bytes_of["ttg.warp_specialize"] == ByteRange(1024, 24)
    # What the function needs for itself is never overwritten.
    assert bytes_of["tt.func"] == ByteRange(2048, 4)
    assert allocation.size == 2052


def test_nothing_to_allocate():
    program = listing("barrier")
    allocation = allocate(program.function, buffer_bytes, scratch_bytes)
    assert (allocation.size, allocation.live_at_peak()) == (0, [])


def test_what_is_live_at_the_peak():
    program = listing("alloc a\nalloc c\nload c\nload a\nalloc b\nload b", alloc=False)
    sizes = {"a": 100, "c": 50, "b": 120}
    allocation = allocate(program.function, lambda v: sizes[v.name_hint or ""], lambda op: 0)
    peak = [(getattr(owner, "name_hint", ""), r.size) for owner, r in allocation.live_at_peak()]
    assert peak == [("a", 100), ("c", 50)]


@pytest.mark.parametrize(
    ("a", "b", "overlap"),
    [
        ((0, 4), (4, 4), False),
        ((0, 5), (4, 4), True),
        ((4, 4), (0, 4), False),
        ((0, 8), (2, 1), True),
    ],
)
def test_byte_ranges(a, b, overlap):
    assert ByteRange(*a).overlaps(ByteRange(*b)) == overlap
    assert ByteRange(*b).overlaps(ByteRange(*a)) == overlap
    assert ByteRange(*a).end == sum(a)


def preferred_bytes(op: Operation) -> int:
    return 4 * SCRATCH_BYTES if op.name == SCRATCH else 0


@given(programs)
def test_a_load_reads_what_was_last_stored(function):
    """Buffers that share bytes are never needed together: no write is between store and load."""
    allocation = allocated(function)
    for path in paths(function):
        writes: list[tuple[object, ByteRange]] = []
        stored: dict[SSAValue, int] = {}  # how many writes there were when a buffer was stored
        for op, buffers in path:
            for buffer in buffers:
                bytes_ = allocation.buffers[buffer]
                if op.name == "ttg.local_load" and buffer in stored:
                    later = writes[stored[buffer] :]
                    assert all(by is buffer or not bytes_.overlaps(at) for by, at in later)
                elif is_store(op):
                    stored[buffer] = len(writes)
                    writes.append((buffer, bytes_))
                elif op.name == "ttg.local_alloc":
                    stored.pop(buffer, None)
            if op in allocation.scratch:
                writes.append((op, allocation.scratch[op]))


@given(programs)
def test_the_size_is_at_most_the_sum_and_at_least_the_peak(function):
    allocation = allocated(function)
    placed = [*allocation.buffers.values(), *allocation.scratch.values()]
    assert allocation.size <= sum(range_.size for range_ in placed)
    assert allocation.size == max((range_.end for range_ in placed), default=0)
    assert all(range_.start % 16 == 0 for range_ in placed)
    peak = [range_ for _, range_ in allocation.live_at_peak()]
    assert sum(range_.size for range_ in peak) <= allocation.size
    assert not any(a.overlaps(b) for number, a in enumerate(peak) for b in peak[:number])
    assert peak == sorted(peak, key=lambda range_: -range_.size)


@given(programs)
def test_preferred_scratch_memory_costs_nothing(function):
    plain = allocated(function)
    roomy = allocate(function, buffer_bytes, scratch_bytes, preferred_scratch_bytes=preferred_bytes)
    assert roomy.size == plain.size
    for range_ in roomy.scratch.values():
        assert range_.size in (SCRATCH_BYTES, 4 * SCRATCH_BYTES)
    everything = list({**roomy.buffers, **roomy.scratch}.items())
    for number, (owner, range_) in enumerate(everything):
        for other, other_range in everything[:number]:
            live_together = roomy.live_ranges[owner].overlaps(roomy.live_ranges[other])
            assert not (live_together and range_.overlaps(other_range))


def test_preferred_scratch_memory_is_allocated_if_there_is_space():
    text = "alloc a\nload a\nexp\nalloc c\nload c"
    sizes = {"a": 4096, "c": 16}
    assert ranges(text, sizes, 512)["math.exp"] == [0, 512]
    given_ = ranges(text, sizes, 512, preferred_scratch_bytes=lambda op: 4096)
    assert given_["math.exp"] == [0, 4096]
    refused = ranges(text, sizes, 512, preferred_scratch_bytes=lambda op: 4097)
    assert refused["math.exp"] == [0, 512]
    live = ranges("alloc a\nexp\nload a", {"a": 4096}, 512, preferred_scratch_bytes=lambda op: 600)
    assert (live["math.exp"][1], live["all"]) == (512, [0, 4608])
