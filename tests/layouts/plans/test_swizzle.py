"""Optimal swizzles: no conflicts where none need be, and the brute-force minimum on small tiles."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.layouts import BlockedEncoding, Encoding, LinearLayout, NvidiaMmaEncoding
from weft.layouts.banks import bank_report
from weft.layouts.phases import Phase, SharedMemory
from weft.layouts.plans import optimal_swizzle
from weft.targets import target

NVIDIA = target("sm_90").shared_memory


def passes(source: LinearLayout, target: LinearLayout, shared, bits: int, memory: SharedMemory):
    shape = tuple(source.out_dims.values())
    return tuple(
        bank_report(layout, shared, shape, bits, memory, kind)
        for layout, kind in ((source, "write"), (target, "read"))
    )


def blocked(*fields) -> Encoding:
    return BlockedEncoding(*fields)


@pytest.mark.parametrize(
    ("source", "target", "shape", "bits"),
    [
        (  # a transpose of fp8
            blocked((1, 16), (4, 8), (4, 1), (1, 0)),
            blocked((16, 1), (8, 4), (1, 4), (0, 1)),
            (128, 128),
            8,
        ),
        (  # bf16 from and to what an mma leaves
            blocked((1, 4), (8, 4), (1, 1), (1, 0)),
            NvidiaMmaEncoding(2, 0, (1, 1), (16, 8)),
            (16, 16),
            16,
        ),
        (
            NvidiaMmaEncoding(2, 0, (1, 1), (16, 8)),
            blocked((1, 4), (8, 4), (1, 1), (1, 0)),
            (16, 16),
            16,
        ),
        (  # a transpose of f32 of few rows
            blocked((1, 4), (8, 4), (1, 1), (1, 0)),
            blocked((4, 1), (8, 4), (1, 1), (0, 1)),
            (32, 16),
            32,
        ),
        (  # a transpose of f16
            blocked((1, 8), (2, 16), (4, 1), (1, 0)),
            blocked((8, 1), (16, 2), (1, 4), (0, 1)),
            (128, 128),
            16,
        ),
        (  # bytes, each of two elements of 4 bits
            blocked((1, 16), (4, 8), (4, 1), (1, 0)),
            NvidiaMmaEncoding(2, 0, (4, 1), (16, 8)),
            (64, 128),
            8,
        ),
    ],
)
def test_both_ways_without_conflict(
    source: Encoding, target: Encoding, shape: tuple[int, int], bits: int
) -> None:
    one, two = source.linear(shape), target.linear(shape)
    shared = optimal_swizzle(one, two, bits, NVIDIA)
    assert shared.is_invertible
    write, read = passes(one, two, shared, bits, NVIDIA)
    assert (write.conflicts, read.conflicts) == (0, 0)


def test_registers_of_both_sides_stay_together() -> None:
    rows = BlockedEncoding((1, 8), (4, 8), (4, 1), (1, 0)).linear((64, 64))
    other = BlockedEncoding((1, 4), (8, 4), (4, 1), (1, 0)).linear((64, 64))
    write, read = passes(rows, other, optimal_swizzle(rows, other, 16, NVIDIA), 16, NVIDIA)
    # Columns 1 and 2 and row 32 are registers on both sides: eight elements of 16 bits.
    assert (write.bits, read.bits) == (128, 128)
    assert (write.conflicts, read.conflicts) == (0, 0)


ROWS = {32: Phase((1, 2), 4), 64: Phase((1,), 4), 128: Phase((), 4)}
SMALL = SharedMemory("small", 4, ROWS, ROWS)


@st.composite
def small_pairs(draw: st.DrawFn) -> tuple[LinearLayout, LinearLayout]:
    """Layouts of 16 elements over 4 lanes, none of them side by side in both."""
    found = []
    for _ in range(2):
        bits = draw(st.permutations([1, 2, 4, 8]))
        found.append(
            LinearLayout(
                (
                    ("register", tuple(bits[:2])),
                    ("lane", tuple(bits[2:])),
                    ("warp", ()),
                    ("block", ()),
                ),
                (("dim0", 16),),
            )
        )
    return found[0], found[1]


def cost(layout: LinearLayout, segments: tuple[int, int]) -> int:
    """Return the passes of all four accesses, one word a lane; sums of segments share a bank."""
    one, two = segments
    shared = (0, one, two, one ^ two)
    first, second = layout.images("lane")
    reached = (0, first, second, first ^ second)
    banks = [min(element ^ other for other in shared) for element in reached]
    return 4 * max(banks.count(bank) for bank in banks)


@settings(max_examples=60)
@given(small_pairs())
def test_no_placement_is_better(pair: tuple[LinearLayout, LinearLayout]) -> None:
    """Try every pair of segments: what counts is which elements share a bank."""
    source, target = pair
    ours = optimal_swizzle(source, target, 32, SMALL)
    found = sum(report.wavefronts for report in passes(source, target, ours, 32, SMALL))
    assert found == min(
        cost(source, segments) + cost(target, segments)
        for segments in itertools.combinations(range(1, 16), 2)
    )
