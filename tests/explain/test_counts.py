"""Counts of a module: those of the plans that code generation carries out."""

from __future__ import annotations

from pathlib import Path

import pytest

import weft
from weft.explain.counts import Counts, Total, count
from weft.kernel.files import load_cases, load_file

EXAMPLES = Path(__file__).parents[2] / "examples"


def counts_of(example: str, case: int, chip: str) -> Counts:
    """Compile a case of an example, and count its instructions."""
    kernel = load_cases(load_file(str(EXAMPLES / f"{example}.py")))[case]
    compiled = weft.compile(
        kernel.kernel,
        signature=kernel.signature,
        constexprs=kernel.constexprs,
        target=chip,
        **kernel.options,
    )
    return count(compiled.module("ttgir"))


def test_operands_of_a_dot_are_read_by_ldmatrix():
    counts = counts_of("matmul", 0, "cuda:80")
    (a, b) = (one for one in counts.operations if one.op == "ttg.local_load")
    assert [(each.kind, each.bits, each.count) for each in a.instructions[1:]] == [
        ("matrix load", 128, 16)
    ]
    assert [each.name for each in b.instructions] == ["ldmatrix.trans x4"]
    assert counts.total("matrix load").conflicts == 0
    assert counts.total("mma", unknown=1).requests == 64 * 8


def test_a_reduction_stores_a_partial_of_each_warp():
    counts = counts_of("softmax", 0, "cuda:90")
    assert counts.total("shuffle").requests == 2 * 5 * 4
    assert counts.total("shared store", 32) == Total(2, 8, 8)
    # All lanes read the same four partials: pairs of them share a phase, so two serve 32 lanes.
    assert counts.total("shared load", 128).wavefronts == 2 * 4 * 2
    assert counts.total("barrier").text == 3


def test_a_conversion_through_shared_memory_is_counted():
    counts = counts_of("transpose", 0, "cuda:90")
    lines = counts.by_line()
    (line,) = (line for line, totals in lines.items() if ("shared store", 128) in totals)
    assert lines[line]["shared store", 128].conflicts == 0
    assert lines[line]["shared load", 32].text == 32
    assert counts.shared_bytes == 16384


@pytest.mark.parametrize("chip", ["cuda:90", "hip:gfx942"])
def test_counts_multiply_loops(chip):
    counts = counts_of("matmul", 0, chip)
    dots = [one for one in counts.operations if "dot" in one.op]
    in_loops = [one for one in dots if one.trip_counts == (None,)]
    assert len(in_loops) == 1
    assert in_loops[0].iterations(3) == 3
    requests = [counts.total("mma", unknown=n).requests for n in (0, 1, 3)]
    assert requests[2] - requests[0] == 3 * (requests[1] - requests[0]) > 0
