"""Time linear layouts beside Triton's C++ through its Python binding, in one process.

    make bench        or        python -m benchmarks.layouts

Twenty typical layouts are built from their encodings and from their basis vectors, composed,
inverted into each other and applied to all of their inputs. *cold* is the work itself: every table
that weft keeps is emptied before each pass over the twenty. *warm* is a question that was asked
before. A ratio above 1 means that weft is quicker. Triton's binding applies a layout to one input
at a time. `python -m benchmarks.layouts --check` ends with 1 where weft is slower cold.
"""

from __future__ import annotations

import dataclasses
import itertools
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import pairwise
from typing import Any

from rich.console import Console
from rich.table import Table
from triton._C.libtriton import amd, gluon_ir, ir, nvidia
from triton._C.libtriton.linear_layout import LinearLayout as Theirs

from weft.layouts import BlockedEncoding, Encoding, LinearLayout, SliceEncoding
from weft.layouts.linear_layout import layout as linear_layout
from weft.layouts.matrix_instructions import mma_operand, mma_result

ROUNDS, PASSES, TURNS = 15, 40, 6


SHAPE = (128, 64)
_ALIVE: list[Any] = []


def typical() -> list[Encoding]:
    """Return twenty encodings over 4 warps, of 32 and of 64 lanes."""
    return [
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


def theirs(layout: LinearLayout) -> Any:
    """Return Triton's layout with the same vectors."""
    bases = list(layout.bases.items())
    return Theirs.from_bases(bases, list(layout.out_dims), list(layout.out_dims.values()), True)


Calls = list[Callable[[], object]]


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """One operation: Triton's time, weft's without and with what it keeps, all in µs."""

    operation: str
    triton: float
    cold: float
    warm: float


def microseconds(calls: Calls, passes: int, before: Callable[[], None] = lambda: None) -> float:
    """Return the mean time of a call in the best of the passes, in µs.

    The best, since what else runs on a machine only ever adds time.

    Args: before: what is done before each pass, untimed.
    """
    times = []
    for _ in range(passes):
        before()
        start = time.perf_counter()
        for call in calls:
            call()
        times.append((time.perf_counter() - start) / len(calls) * 1e6)
    return min(times)


def repeated(calls: Calls, number: int) -> float:
    """Return the mean time of a call that was made before, in µs; each in its best round.

    A round is short, so that some of them pass without the machine turning to something else.
    """
    times = []
    for call in calls:
        call(), call()
        times.append(microseconds([call] * number, ROUNDS))
    return sum(times) / len(times)


def clear_caches() -> None:
    """Empty the caches of layouts, and the table by which equal layouts are one object."""
    Encoding._cached_layout.cache_clear()
    linear_layout._INTERNED.clear()


def uncached(method: Any) -> Any:
    """Return a method of LinearLayout without its cache."""
    return method.__wrapped__


def timed(
    operation: str,
    triton: Calls,
    cold: Calls,
    warm: Calls,
    before: Callable[[], None] = clear_caches,
    passes: int = PASSES,
) -> Row:
    """Return the times of an operation; Triton and weft take turns, for a machine's moods.

    Args: before: what empties weft's tables.  passes: of Triton's calls in one turn.
    """
    turns = [
        (microseconds(triton, passes), microseconds(cold, PASSES, before)) for _ in range(TURNS)
    ]
    best = [min(times) for times in zip(*turns, strict=True)]
    return Row(operation, best[0], best[1], repeated(warm, 200))


def rows(encodings: list[Encoding]) -> Iterator[Row]:
    """Yield what each operation takes."""
    layouts = [encoding.linear(SHAPE) for encoding in encodings]
    others = [theirs(layout) for layout in layouts]
    attributes = [gluon(encoding) for encoding in encodings]
    linear: Calls = [partial(encoding.linear, SHAPE) for encoding in encodings]
    ask = builder().to_linear_layout
    yield timed(
        "construct from encoding",
        [partial(ask, attribute, list(SHAPE)) for attribute in attributes],
        linear,
        linear,
    )
    # Bases are lists, which no cache can be keyed by: they are packed each time.
    arguments = [(layout.bases, layout.out_dims) for layout in layouts]
    lists = [(list(b.items()), list(o), list(o.values())) for b, o in arguments]
    build: Calls = [partial(LinearLayout.from_bases, *one) for one in arguments]
    yield timed(
        "construct from vectors",
        [partial(Theirs.from_bases, *one, True) for one in lists],
        build,
        build,
    )
    flat = [layout.pseudoinvert() for layout in layouts]
    pairs = list(zip(layouts, flat, strict=True))
    yield timed(
        "compose",
        [partial(a.compose, b) for a, b in zip(others, map(theirs_any, flat), strict=True)],
        [partial(uncached(LinearLayout.compose), a, b) for a, b in pairs],
        [partial(a.compose, b) for a, b in pairs],
    )
    yield timed(
        "pseudoinvert",
        [a.pseudoinvert for a in others],
        [partial(uncached(LinearLayout.pseudoinvert), a) for a in layouts],
        [a.pseudoinvert for a in layouts],
    )
    near = list(pairwise(range(len(layouts))))
    yield timed(
        "invert_and_compose",
        [partial(others[i].invert_and_compose, others[j]) for i, j in near],
        [
            partial(uncached(LinearLayout.invert_and_compose), layouts[i], layouts[j])
            for i, j in near
        ],
        [partial(layouts[i].invert_and_compose, layouts[j]) for i, j in near],
    )
    tables: Calls = [layout.packed_table for layout in layouts]
    few = list(zip(others, layouts, strict=True))[:4]
    yield timed(
        "apply to all inputs",
        [partial(every_input, a, b) for a, b in few],
        tables,
        tables,
        lambda: empty_tables(layouts),
        passes=1,
    )


def empty_tables(layouts: list[LinearLayout]) -> None:
    """Forget the tables of all inputs."""
    for layout in layouts:
        if hasattr(layout, "_packed_table"):
            object.__delattr__(layout, "_packed_table")


def theirs_any(layout: LinearLayout) -> Any:
    """Return Triton's layout with the same vectors, which need not reach every output."""
    bases = list(layout.bases.items())
    return Theirs.from_bases(bases, list(layout.out_dims), list(layout.out_dims.values()), False)


def every_input(other: Any, layout: LinearLayout) -> None:
    """Apply Triton's layout to one input after the other."""
    names, sizes = list(layout.in_dims), list(layout.in_dims.values())
    for point in itertools.product(*map(range, sizes)):
        other.apply(dict(zip(names, point, strict=True)))


@cache
def builder() -> Any:
    """Return a builder of Gluon operations, in a context that is never freed."""
    context = ir.context()
    for load_dialects in (ir.load_dialects, amd.load_dialects, nvidia.load_dialects):
        load_dialects(context)
    _ALIVE.append(context)
    return gluon_ir.GluonOpBuilder(context)


def gluon(encoding: Encoding) -> Any:
    """Return Triton's attribute for an encoding, read from its text."""
    gluon_builder = builder()
    sizes, dims = encoding.linear(SHAPE).in_dims, "x".join(map(str, SHAPE))
    text = (
        f'#e = {encoding}\nmodule attributes {{"ttg.num-ctas" = 1 : i32, '
        f'"ttg.num-warps" = {sizes["warp"]} : i32, "ttg.threads-per-warp" = {sizes["lane"]} : i32}}'
        f" {{ tt.func @f(%x: tensor<{dims}xf32, #e>) -> tensor<{dims}xf32, #e> "
        f"{{ tt.return %x : tensor<{dims}xf32, #e> }} }}\n"
    )
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        module = ir.parse_mlir_module(file.name, _ALIVE[0])
    _ALIVE.append(module)
    values: list[Any] = []
    module.walk(lambda op: values.append(op.get_operand(0)) if op.get_num_operands() else None)
    return gluon_builder.get_gluon_layout_from_tensor(values[0])._to_ir(gluon_builder)


def main(arguments: list[str]) -> int:
    """Print the table; return 1 where weft is slower cold and that was to be checked."""
    table = Table("operation", "Triton µs", "cold µs", "cold ratio", "warm µs", "warm ratio")
    for column in table.columns[1:]:
        column.justify = "right"
    slower = False
    for row in rows(typical()):
        slower |= row.cold > row.triton
        cold, warm = row.triton / row.cold, row.triton / row.warm
        table.add_row(
            row.operation,
            f"{row.triton:,.1f}",
            f"{row.cold:,.1f}",
            f"{cold:,.1f}x",
            f"{row.warm:.2f}",
            f"{warm:,.0f}x",
        )
    Console().print(table)
    return int(slower and "--check" in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
