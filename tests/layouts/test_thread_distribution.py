"""Threads per warp, warps per CTA, their orders and sizes, of encodings of every kind."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.errors import LayoutError
from weft.layouts import (
    AmdMfmaEncoding,
    AmdWmmaEncoding,
    BlockedEncoding,
    DotOperandEncoding,
    Encoding,
    LinearEncoding,
    NvidiaMmaEncoding,
    SliceEncoding,
    SwizzledSharedEncoding,
    shape_per_cta_tile,
    size_per_thread,
    thread_order,
    threads_per_warp,
    warp_order,
    warps_per_cta,
)

MMA = NvidiaMmaEncoding(2, 0, (2, 2), (16, 8))
WGMMA = NvidiaMmaEncoding(3, 0, (4, 1), (16, 64, 16))
MFMA = AmdMfmaEncoding(3, (2, 2), (32, 32, 8), True)
WMMA = AmdWmmaEncoding.from_fields(
    {"version": 2, "isTranspose": False, "ctaLayout": {"warp": [[0, 1], [1, 0]]}}
)
TALL = BlockedEncoding((4, 8), (8, 4), (2, 1), (1, 0))

# Encoding, shape; threads per warp and their order; warps per CTA and their order; size per thread.
CASES: dict[str, tuple[Encoding, tuple[int, ...], str]] = {
    "blocked": (TALL, (128, 128), "8,4 1,0 | 2,1 0,1 | 4,8"),
    "mma": (MMA, (64, 64), "8,4 1,0 | 2,2 1,0 | 2,2"),
    "wgmma": (WGMMA, (64, 64), "8,4 1,0 | 4,1 0,1 | 2,2"),
    "mfma": (MFMA, (64, 64), "32,2 0,1 | 2,2 1,0 | 1,16"),
    "wmma": (WMMA, (32, 32), "2,16 1,0 | 2,2 1,0 | 8,1"),
    # The lanes of a column of the parent hold the same element.
    "slice of mma": (SliceEncoding(1, MMA), (64,), "8 0 | 2 0 | 2"),
    "slice of blocked": (SliceEncoding(0, TALL), (128,), "4 0 | 1 0 | 8"),
    # Warps that differ only in columns hold the same rows of A. The second half of K looks like a
    # repetition, in Triton as well.
    "left operand": (DotOperandEncoding(0, MMA, 2), (64, 32), "8,4 1,0 | 2,1 0,1 | 2,2"),
    "right operand": (DotOperandEncoding(1, MMA, 2), (32, 64), "4,8 0,1 | 1,2 1,0 | 2,1"),
    "linear": (
        LinearEncoding(((0, 1), (8, 0)), ((0, 2), (1, 0)), ((2, 0), (4, 0)), ()),
        (16, 4),
        "2,2 1,0 | 4,1 0,1 | 1,2",
    ),
}


def numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(",")))


@pytest.mark.parametrize("name", CASES)
def test_queries_of_encodings(name: str):
    encoding, shape, expected = CASES[name]
    lanes, warps, sizes = (part.split() for part in expected.split("|"))
    assert threads_per_warp(encoding, shape) == numbers(lanes[0])
    assert thread_order(encoding, shape) == numbers(lanes[1])
    assert warps_per_cta(encoding, shape) == numbers(warps[0])
    assert warp_order(encoding, shape) == numbers(warps[1])
    assert size_per_thread(encoding, shape) == numbers(sizes[0])
    factors = zip(numbers(sizes[0]), numbers(lanes[0]), numbers(warps[0]), strict=True)
    assert shape_per_cta_tile(encoding, shape) == tuple(math.prod(sizes) for sizes in factors)


@given(st.data())
def test_a_blocked_encoding_answers_with_its_fields(data: st.DataObject):
    rank = data.draw(st.integers(1, 3))
    sizes, lanes, warps = (
        tuple(2 ** data.draw(st.integers(0, 2)) for _ in range(rank)) for _ in range(3)
    )
    order = tuple(data.draw(st.permutations(range(rank))))
    encoding = BlockedEncoding(sizes, lanes, warps, order)
    # At least one tile along each dimension, and repetitions along some.
    tile = [math.prod(each) for each in zip(sizes, lanes, warps, strict=True)]
    shape = tuple(extent * 2 ** data.draw(st.integers(0, 1)) for extent in tile)
    assert threads_per_warp(encoding, shape) == lanes
    assert warps_per_cta(encoding, shape) == warps
    # With one element per thread, a register of a repetition looks like one of the tile.
    assert shape_per_cta_tile(encoding, shape) == tuple(
        math.prod(each) for each in zip(size_per_thread(encoding, shape), lanes, warps, strict=True)
    )
    for dim, count in enumerate(size_per_thread(encoding, shape)):
        assert count <= sizes[dim] * shape[dim] // tile[dim]
    stepping = [dim for dim in order if lanes[dim] > 1]
    assert list(thread_order(encoding, shape))[: len(stepping)] == stepping


def test_warps_that_hold_the_same_elements_do_not_count():
    encoding = BlockedEncoding((1,), (32,), (4,), (0,))
    assert warps_per_cta(encoding, (32,)) == (1,)
    assert threads_per_warp(encoding, (8,)) == (8,)
    assert shape_per_cta_tile(encoding, (8,)) == (8,)


def test_ctas_of_a_cluster_hold_a_part_each():
    encoding = BlockedEncoding((1, 2), (4, 8), (2, 2), (1, 0), ((0, 1),))
    assert size_per_thread(encoding, (16, 128)) == (1, 2)
    assert shape_per_cta_tile(encoding, (16, 128)) == (8, 32)


def test_shared_memory_has_no_threads():
    shared = SwizzledSharedEncoding(1, 1, 1, (1, 0))
    with pytest.raises(LayoutError, match="is not a distributed encoding"):
        threads_per_warp(shared, (16, 16))
