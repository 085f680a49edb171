"""Add two vectors: the smallest kernel that has all the parts of a kernel.

A launch starts many *programs*. Each runs the same code on its own tile of the vectors, and knows
which tile is its own by asking for its program id:

    element   0    1    2    3    4    5    6    7    8    9
    program   └──────── 0 ────────┘└──────── 1 ────────┘└─── 2 ─ …      (a tile of 4)

The last tile usually reaches past the end of the vectors, so loads and stores take a mask.

Run it: `weft run examples/vector_add.py`, or `python examples/vector_add.py`. Measure it, beside
numpy or torch: `weft bench examples/vector_add.py --plot vector_add.svg`.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

import weft
import weft.language as tl
from weft.testing import Bench


@weft.jit
def vector_add(x_ptr, y_ptr, sum_ptr, length, BLOCK: tl.constexpr):
    """Write x + y to sum: three vectors of `length` elements, BLOCK of them per program."""
    first = tl.program_id(0) * BLOCK
    index = first + tl.arange(0, BLOCK)
    inside = index < length
    x = tl.load(x_ptr + index, mask=inside)
    y = tl.load(y_ptr + index, mask=inside)
    tl.store(sum_ptr + index, x + y, mask=inside)


# What tools compile: (kernel, signature, constexprs that are no numbers, options).
# A signature names the type of each argument in turn, with ":16" where a pointer or an integer is
# known to be a multiple of 16, and the value itself where the argument is a compile-time number.
CASES = (
    (vector_add, "*fp32:16, *fp32:16, *fp32:16, i32:16, 1024", {}, {}),
    (vector_add, "*fp16:16, *fp16:16, *fp16:16, i32, 256", {}, {"num_warps": 1}),
    (vector_add, "*bf16:16, *bf16, *fp32:16, i32, 2048", {}, {"num_warps": 8}),
)


def launch(x, y, out, block=1024):
    """Start one program per tile. All three arrays have the same length."""
    length = x.shape[0]
    programs = weft.cdiv(length, block)
    vector_add[(programs,)](x, y, out, length, BLOCK=block)


def check(dtype, length) -> float:
    """Compare with numpy, and return the largest error seen (0 here: one rounding on each side)."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal(length).astype(dtype)
    y = rng.standard_normal(length).astype(dtype)
    out = np.empty_like(x)
    launch(x, y, out)
    error = np.abs(out.astype(np.float64) - (x + y).astype(np.float64)).max()
    assert error == 0, error
    return float(error)


def arrays(length):
    """Make the arrays of a measurement: two vectors and their sum, in f32."""
    x, y = np.random.default_rng(0).standard_normal((2, length), np.float32)
    return x, y, np.empty_like(x)


# What `weft bench --plot vector_add.svg` measures: two reads and a write of 4 bytes per element.
BENCHES = (
    Bench(
        vector_add,
        "length",
        tuple(1 << exponent for exponent in range(12, 23, 2)),
        arrays,
        launch,
        {"numpy": lambda x, y, out: np.add(x, y, out=out), "torch": lambda x, y, out: x + y},
        moved=lambda length: 12 * length,
    ),
)


def main() -> None:
    """Check all types on a length that fills no tile."""
    for dtype in (np.float32, np.float16, ml_dtypes.bfloat16):
        error = check(dtype, 98_431)
        print(f"vector_add  {np.dtype(dtype).name:9} 98,431 elements  largest error {error:.1e}")


if __name__ == "__main__":
    main()
