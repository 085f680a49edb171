"""Time linear layouts beside Triton's C++ through its Python binding, in one process.

    make bench        or        python -m benchmarks.layouts

Twenty typical layouts are built from their basis vectors, composed, inverted into each other and
applied to all of their inputs. *cold* is the work itself, done anew each time; *warm* is a question
that was asked before, which weft's interned layouts answer from memory. A ratio above 1 means that
weft is quicker. Triton's binding applies a layout to one input at a time.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table
from triton._C.libtriton.linear_layout import LinearLayout as Theirs

from weft.layouts import BlockedEncoding, LinearLayout, SliceEncoding, algebra
from weft.layouts.instructions import mma_operand, mma_result

ROUNDS = 7


def typical() -> list[LinearLayout]:
    """Return twenty layouts of 128x64 over 4 warps, of 32 and of 64 lanes."""
    shape = (128, 64)
    encodings = [
        BlockedEncoding((1, 8), (4, 8), (4, 1), (1, 0)),
        BlockedEncoding((1, 4), (8, 4), (4, 1), (1, 0)),
        BlockedEncoding((8, 1), (8, 4), (1, 4), (0, 1)),
        BlockedEncoding((1, 1), (1, 32), (4, 1), (1, 0)),
        BlockedEncoding((2, 2), (4, 8), (2, 2), (1, 0)),
        BlockedEncoding((1, 8), (8, 8), (4, 1), (1, 0)),
        BlockedEncoding((4, 1), (16, 4), (1, 4), (0, 1)),
        SliceEncoding(2, BlockedEncoding((1, 1, 4), (2, 4, 4), (2, 2, 1), (2, 1, 0))),
        SliceEncoding(0, BlockedEncoding((1, 1, 4), (2, 4, 4), (2, 2, 1), (2, 1, 0))),
        mma_result("mma.m16n8k16", (2, 2)),
        mma_operand(0, "mma.m16n8k16", (2, 2)),
        mma_operand(1, "mma.m16n8k16", (2, 2)),
        mma_result("wgmma.m64n64k16", (4, 1)),
        mma_operand(0, "wgmma.m64n64k16", (4, 1)),
        mma_result("mfma.32x32x8", (2, 2), version=3, transposed=True),
        mma_operand(0, "mfma.32x32x8", (2, 2), version=3),
        mma_operand(1, "mfma.16x16x32", (2, 2), version=4),
        mma_result("wmma.16x16x16", (2, 2), version=1),
        mma_result("wmma.16x16x16", (2, 2), version=2),
        mma_operand(0, "wmma.16x16x16", (2, 2), version=2),
    ]
    return [encoding.linear(shape) for encoding in encodings]


def theirs(layout: LinearLayout) -> Any:
    """Return Triton's layout with the same vectors."""
    bases = list(layout.bases.items())
    return Theirs.from_bases(bases, list(layout.out_dims), list(layout.out_dims.values()), True)


def microseconds(calls: list[Callable[[], object]], number: int) -> float:
    """Return the median over rounds of the mean time of a call, in µs."""
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for call in calls:
            for _ in range(number):
                call()
        times.append((time.perf_counter() - start) / number / len(calls) * 1e6)
    return median(times)


def rows(layouts: list[LinearLayout]) -> Iterator[tuple[str, float, float, float | None]]:
    """Yield (operation, Triton's µs, weft's cold, weft's warm); None where nothing is kept."""
    others = [theirs(layout) for layout in layouts]
    flat = [layout.pseudoinvert() for layout in layouts]
    flat_others = [theirs_any(layout) for layout in flat]
    given = [(dict(layout.bases), layout.out_dims) for layout in layouts]
    lists = [(list(b.items()), list(o), list(o.values())) for b, o in given]
    yield (
        "construct from vectors",
        microseconds([partial(Theirs.from_bases, *one, True) for one in lists], 200),
        microseconds([partial(LinearLayout.from_bases, *one) for one in given], 200),
        None,
    )
    pairs = list(zip(layouts, flat, strict=True))
    yield (
        "compose",
        microseconds([partial(a.compose, b) for a, b in zip(others, flat_others, strict=True)], 50),
        microseconds([partial(algebra.compose, a, b) for a, b in pairs], 50),
        microseconds([partial(a.compose, b) for a, b in pairs], 500),
    )
    yield (
        "pseudoinvert",
        microseconds([a.pseudoinvert for a in others], 50),
        microseconds([partial(algebra.pseudoinvert, a) for a in layouts], 50),
        microseconds([a.pseudoinvert for a in layouts], 500),
    )
    near = list(pairwise(range(len(layouts))))
    yield (
        "invert_and_compose",
        microseconds([partial(others[i].invert_and_compose, others[j]) for i, j in near], 50),
        microseconds(
            [partial(algebra.invert_and_compose, layouts[i], layouts[j]) for i, j in near], 50
        ),
        microseconds([partial(layouts[i].invert_and_compose, layouts[j]) for i, j in near], 500),
    )
    yield (
        "apply to all inputs",
        microseconds(
            [partial(every_input, a, b) for a, b in zip(others[:4], layouts, strict=False)], 1
        ),
        microseconds([a.packed_table for a in layouts], 20),
        None,
    )


def theirs_any(layout: LinearLayout) -> Any:
    """Return Triton's layout with the same vectors, which need not reach every output."""
    bases = list(layout.bases.items())
    return Theirs.from_bases(bases, list(layout.out_dims), list(layout.out_dims.values()), False)


def every_input(other: Any, layout: LinearLayout) -> None:
    """Apply Triton's layout to one input after the other."""
    names, sizes = list(layout.in_dims), list(layout.in_dims.values())
    for point in itertools.product(*map(range, sizes)):
        other.apply(dict(zip(names, point, strict=True)))


def main() -> None:
    """Print the table."""
    table = Table("operation", "Triton µs", "cold µs", "cold ratio", "warm µs", "warm ratio")
    for column in table.columns[1:]:
        column.justify = "right"
    for name, other, cold, warm in rows(typical()):
        kept = ("-", "-") if warm is None else (f"{warm:.2f}", f"{other / warm:,.0f}x")
        table.add_row(name, f"{other:,.1f}", f"{cold:,.1f}", f"{other / cold:,.1f}x", *kept)
    Console().print(table)


if __name__ == "__main__":
    main()
