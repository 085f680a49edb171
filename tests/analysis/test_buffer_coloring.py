"""Offsets by colors: by example, and without overlaps for random live ranges."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from weft.analysis.buffer_coloring import Buffer, color
from weft.ir import attributes, ttg
from weft.ir.builtin import Block, Operation, Region
from weft.ir.rewriting import Builder


def owner() -> Operation:
    """Create an operation that owns a buffer, in no region."""
    return Builder().create(ttg.WarpYieldOp)


def offsets(*buffers: tuple[int, int, int]) -> list[int]:
    """Color buffers of (size, first operation, end); return their offsets and the size of all."""
    placed = [Buffer(owner(), size, 16, start, end) for size, start, end in buffers]
    size = color(placed)
    return [*(buffer.offset for buffer in placed), size]


def test_no_buffers():
    assert color([]) == 0


def test_dead_buffers_give_their_bytes_away():
    assert offsets((1024, 0, 2), (1024, 2, 4)) == [0, 0, 1024]


def test_buffers_that_are_live_together_lie_side_by_side():
    assert offsets((512, 0, 4), (1024, 1, 3)) == [1024, 0, 1536]


def test_buffers_of_a_color_move_above_their_neighbors():
    assert offsets((1024, 0, 10), (512, 1, 4), (256, 5, 9), (512, 4, 7)) == [
        0,
        1024,
        1536,
        1024,
        1792,
    ]


def test_offsets_are_aligned():
    buffers = [Buffer(owner(), 100, 4, 0, 5), Buffer(owner(), 50, 128, 0, 5)]
    assert color(buffers) == 178
    assert [buffer.offset for buffer in buffers] == [0, 128]


def test_parts_of_an_allocation_lie_in_different_partitions():
    first = owner()
    buffers = [Buffer(first, 1000, 16, 0, 5, group=0) for _ in range(3)]
    buffers.append(Buffer(owner(), 500, 16, 0, 5))
    color(buffers, partition_bytes=4096)
    assert len({buffer.offset // 4096 for buffer in buffers[:3]}) == 3


def test_regions_that_run_at_the_same_time_share_no_bytes():
    owners = [owner(), owner()]
    regions = [Region(Block([each])) for each in owners]
    Builder().create(
        ttg.WarpSpecializeOp,
        properties={"partitionNumWarps": attributes.array_i32((1,))},
        regions=regions,
    )
    buffers = [Buffer(owners[0], 64, 16, 0, 1), Buffer(owners[1], 64, 16, 2, 3)]
    assert color(buffers) == 128


@given(
    st.lists(st.tuples(st.integers(1, 4096), st.integers(0, 20), st.integers(1, 20)), max_size=12)
)
def test_live_buffers_never_overlap(requests):
    buffers = [Buffer(owner(), size, 16, start, start + length) for size, start, length in requests]
    size = color(buffers)
    for number, one in enumerate(buffers):
        assert one.offset % 16 == 0
        assert one.top <= size
        for other in buffers[:number]:
            are_live_together = one.start < other.end and other.start < one.end
            overlap = one.offset < other.top and other.offset < one.top
            assert not (are_live_together and overlap)
