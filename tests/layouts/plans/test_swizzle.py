"""Optimal swizzles: no conflicts where none need be, and the brute-force minimum on small tiles."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.errors import LayoutError
from weft.layouts import (
    BlockedEncoding,
    DotOperandEncoding,
    Encoding,
    LinearLayout,
    NvidiaMmaEncoding,
    NvmmaSharedEncoding,
)
from weft.layouts.bank_conflicts import bank_report, tile_accesses, wavefronts_of
from weft.layouts.plans import optimal_swizzle
from weft.layouts.shared_memory import Phase, SharedMemory
from weft.targets import target

NVIDIA = target("sm_90").shared_memory


def passes(source: LinearLayout, target: LinearLayout, shared, bits: int, memory: SharedMemory):
    shape = tuple(source.out_dims.values())
    return tuple(
        bank_report(layout, shared, shape, bits, memory, kind)
        for layout, kind in ((source, "write"), (target, "read"))
    )


def mma(*warps: int) -> NvidiaMmaEncoding:
    return NvidiaMmaEncoding(2, 0, warps, (16, 8))


@pytest.mark.parametrize(
    ("source", "target_", "shape", "bits"),
    [  # what Triton's own tests of swizzles take, by their names
        pytest.param(
            BlockedEncoding((4, 16), (4, 8), (8, 1), (1, 0)),
            BlockedEncoding((16, 4), (8, 4), (1, 8), (0, 1)),
            (128, 128),
            8,
            id="128x128 fp8 transposed",
        ),
        pytest.param(
            BlockedEncoding((1, 8), (16, 2), (1, 1), (1, 0)),
            mma(1, 1),
            (16, 16),
            16,
            id="16x16 bf16 blocked to mma",
        ),
        pytest.param(
            mma(1, 1),
            BlockedEncoding((1, 8), (16, 2), (1, 1), (1, 0)),
            (16, 16),
            16,
            id="16x16 bf16 mma to blocked",
        ),
        pytest.param(
            BlockedEncoding((1, 32), (4, 8), (1, 1), (1, 0)),
            DotOperandEncoding(0, mma(1, 1), 8),
            (16, 256),
            4,
            id="16x256 u4",
        ),
        pytest.param(
            BlockedEncoding((1, 1), (2, 16), (2, 1), (1, 0)),
            BlockedEncoding((1, 1), (32, 1), (1, 2), (0, 1)),
            (32, 16),
            32,
            id="32x16 f32 transposed",
        ),
        pytest.param(
            BlockedEncoding((8, 1), (16, 2), (1, 16), (0, 1)),
            BlockedEncoding((1, 8), (2, 16), (16, 1), (1, 0)),
            (128, 128),
            16,
            id="128x128 f16 transposed",
        ),
    ],
)
def test_write_and_read_without_conflicts(
    source: Encoding, target_: Encoding, shape: tuple[int, int], bits: int
) -> None:
    one, two = source.linear(shape), target_.linear(shape)
    shared = optimal_swizzle(one, two, bits, NVIDIA)
    assert shared.is_invertible
    write, read = passes(one, two, shared, bits, NVIDIA)
    assert (write.conflicts, read.conflicts) == (0, 0)


FULL, LARGE = mma(1, 4), mma(2, 4)
WGMMA = NvidiaMmaEncoding(3, 0, (4, 1), (16, 32, 16))


@pytest.mark.parametrize(
    ("registers", "shared", "shape", "bits"),
    [
        (WGMMA, NvmmaSharedEncoding(128, 16, False), (128, 128), 16),
        (DotOperandEncoding(1, FULL, 2), NvmmaSharedEncoding(64, 16, False), (64, 32), 16),
        (DotOperandEncoding(0, FULL, 2), NvmmaSharedEncoding(64, 16, True), (32, 64), 16),
        (DotOperandEncoding(1, FULL, 1), NvmmaSharedEncoding(32, 8, False), (8, 32), 8),
        (mma(4, 1), NvmmaSharedEncoding(64, 16, True), (64, 64), 16),
        (WGMMA, NvmmaSharedEncoding(128, 32, False), (128, 64), 32),
        (DotOperandEncoding(1, LARGE, 2), NvmmaSharedEncoding(0, 16, False), (4, 64), 16),
    ],
)
def test_wavefronts_of_a_pair_of_layouts(registers, shared, shape, bits) -> None:
    """The formula (one access for all) against counting every access of the tile."""
    layout = registers.linear(shape)
    report = bank_report(layout, shared, shape, bits, NVIDIA, "read")
    rows, width = tile_accesses(layout, shared, shape, bits, NVIDIA)
    assert report.wavefronts == sum(wavefronts_of(row, width, NVIDIA, "read") for row in rows)


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
    result = []
    for _ in range(2):
        bits = draw(st.permutations([1, 2, 4, 8]))
        result.append(
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
    return result[0], result[1]


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
    result = sum(report.wavefronts for report in passes(source, target, ours, 32, SMALL))
    assert result == min(
        cost(source, segments) + cost(target, segments)
        for segments in itertools.combinations(range(1, 16), 2)
    )


@pytest.mark.parametrize("bits", [0, 3, 256])
def test_refuses_elements_of_other_sizes(bits: int) -> None:
    rows = BlockedEncoding((1, 8), (4, 8), (4, 1), (1, 0)).linear((64, 64))
    with pytest.raises(LayoutError) as caught:
        optimal_swizzle(rows, rows, bits, NVIDIA)
    assert "a conversion moves elements of 1, 2, 4 … 128 bits" in str(caught.value)
