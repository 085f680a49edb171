"""Histogram: count how many elements fall in each of some bins of equal width.

Were every element to add 1 to its bin in memory, elements of a full bin would queue up at one
address. Two levels keep the queue short: `tl.histogram` counts a tile on the chip, a program adds
up the counts of several tiles in registers, and only then adds them to memory, one atomic addition
per bin and program:

    x      ░░░░ ░░░░ ░░░░ │ ▒▒▒▒ ▒▒▒▒ ▒▒▒▒ │ …        elements, in tiles, several to a program
             ╲   │   ╱         ╲   │   ╱
           counts of 0      counts of 1               in registers
                  ╲            ╱
                   counts (memory)                    atomic, and in any order: integers commute

Run it: `weft run examples/histogram.py`, or `python examples/histogram.py`.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

import weft
import weft.language as tl


@weft.jit
def histogram(
    x_ptr,
    counts_ptr,
    length,
    bins,
    low,
    scale,
    BINS: tl.constexpr,
    BLOCK: tl.constexpr,
    TILES: tl.constexpr,
):
    """Count BLOCK · TILES elements per program; bin i holds those with i ≤ (x − low)·scale < i+1.

    x: (length,).  counts: (bins,) i32, added to, with bins ≤ BINS.  What is in no bin, and what is
    no number, is not counted.
    """
    counts = tl.zeros((BINS,), dtype=tl.int32)
    first = tl.program_id(0) * BLOCK * TILES
    for tile in range(TILES):
        index = first + tile * BLOCK + tl.arange(0, BLOCK)
        inside = index < length
        place = (tl.load(x_ptr + index, mask=inside, other=0.0).to(tl.float32) - low) * scale
        # Compared before it is an integer: NaN is in no range, and no infinity has to be converted.
        counted = inside & (place >= 0) & (place < bins)
        counts += tl.histogram(tl.where(counted, place, 0.0).to(tl.int32), BINS, mask=counted)
    bin = tl.arange(0, BINS)
    tl.atomic_add(counts_ptr + bin, counts, mask=bin < bins, sem="relaxed")


CASES = (
    (histogram, "*fp32:16, *i32:16, i32:16, i32:16, fp32, fp32, 256, 1024, 8", {}, {}),
    (histogram, "*fp16:16, *i32:16, i32, i32, fp32, fp32, 64, 512, 4", {}, {"num_warps": 2}),
    (histogram, "*bf16:16, *i32:16, i32, i32:16, fp32, fp32, 512, 2048, 2", {}, {"num_warps": 8}),
)


def launch(x, counts, low, high, block=1024, tiles=4):
    """Add the counts of x, a vector, to counts, one bin per element from low to high."""
    bins = counts.shape[0]
    histogram[(weft.cdiv(x.shape[0], block * tiles),)](
        x,
        counts,
        x.shape[0],
        bins,
        low,
        bins / (high - low),
        BINS=weft.next_power_of_2(bins),
        BLOCK=block,
        TILES=tiles,
    )


def reference(x, bins, low, high):
    """Return the counts as numpy makes them, from places in f32: on an edge rounding decides."""
    place = (x.astype(np.float32) - np.float32(low)) * np.float32(bins / (high - low))
    place = place[(place >= 0) & (place < bins)]
    return np.bincount(place.astype(np.int32), minlength=bins)


def check(dtype, length, bins) -> int:
    """Compare with numpy, and return how many elements were counted: the counts are equal."""
    x = np.random.default_rng(0).standard_normal(length).astype(dtype)
    x[::97], x[::89] = np.nan, np.inf
    counts = np.zeros(bins, np.int32)
    launch(x, counts, -2.0, 2.0)
    np.testing.assert_array_equal(counts, reference(x, bins, -2.0, 2.0))
    return int(counts.sum())


def main() -> None:
    """Check all types on a length that fills no tile, and a number of bins of no power of two."""
    for dtype in (np.float32, np.float16, ml_dtypes.bfloat16):
        counted = check(dtype, 98_431, 100)
        print(f"histogram  {np.dtype(dtype).name:9} {counted:,} of 98,431 elements in 100 bins")


if __name__ == "__main__":
    main()
