"""TDM gathers and scatters against numpy: rows, barriers and counts of instructions."""

from __future__ import annotations

import numpy as np
import pytest

from tests.codegen.lowering.amd.test_tdm_gather_scatter import (
    APART,
    LANES,
    MIXED,
    REGISTERS,
    WARPS,
    data,
    text,
)
from weft.errors import LaunchError
from weft.interpreter import run
from weft.ir.text import parse_module

ALL = [REGISTERS, WARPS, LANES, MIXED, APART]


def launch(module: str, arguments: list[object]) -> None:
    run(parse_module(module), "k", (1,), arguments)


@pytest.mark.parametrize("layout", ALL)
@pytest.mark.parametrize("bits", [16, 32])
def test_gather(layout, bits):
    x, rows, column = data(bits)
    y = np.full((32, 64), 7, np.float16)
    launch(text(layout, bits), [x, rows, y, 50, 80, column])
    whole = np.zeros((60, 100), np.float16)
    whole[:50, :80] = x
    np.testing.assert_array_equal(y, whole[rows, column : column + 64])


@pytest.mark.parametrize("layout", ALL)
@pytest.mark.parametrize("bits", [16, 32])
def test_scatter(layout, bits):
    x, rows, column = data(bits)
    y = np.random.default_rng(1).standard_normal((32, 64)).astype(np.float16)
    expected = x.copy()
    for n, row in enumerate(rows):
        if row < 50:
            expected[row, column:] = y[n, : 80 - column]
    launch(text(layout, bits, kind="scatter"), [x, rows, y, 50, 80, column])
    np.testing.assert_array_equal(x, expected)


def test_indices_of_16_bits_have_no_sign():
    x = np.arange(40_000, dtype=np.float32)[:, None].repeat(64, 1) % 2048
    rows = np.arange(39_000, 39_032).astype(np.uint16)
    y = np.zeros((32, 64), np.float16)
    launch(text(LANES, 16), [x.astype(np.float16), rows.view(np.int16), y, 40_000, 64, 0])
    np.testing.assert_array_equal(y, x[rows].astype(np.float16))


@pytest.mark.parametrize(
    ("layout", "bits", "arrivals"),
    [(REGISTERS, 32, 16), (REGISTERS, 16, 8), (WARPS, 32, 4), (MIXED, 32, 8), (APART, 32, 32)],
)
@pytest.mark.parametrize("kind", ["gather", "scatter"])
def test_each_instruction_of_each_warp_arrives_on_the_barrier(layout, bits, arrivals, kind):
    x, rows, column = data(bits)
    y = np.zeros((32, 64), np.float16)
    before = x.copy()
    launch(text(layout, bits, kind=kind, barrier=arrivals), [x, rows, y, 50, 80, column])
    assert (y != 0).any() if kind == "gather" else (x != before).any()
    with pytest.raises(LaunchError, match="deadlock"):
        launch(text(layout, bits, kind=kind, barrier=arrivals + 1), [x, rows, y, 50, 80, column])
    with pytest.raises(LaunchError, match="too many arrivals"):
        launch(text(layout, bits, kind=kind, barrier=3), [x, rows, y, 50, 80, column])


@pytest.mark.parametrize(
    ("layout", "parts"),
    [
        (REGISTERS, [range(8), range(8, 16), range(16, 24), range(24, 32)]),
        (MIXED, [[*range(8), *range(16, 24)], [*range(8, 16), *range(24, 32)]]),
        (WARPS, [range(32)]),
    ],
)
def test_a_wait_counts_instructions(layout, parts):
    x, rows, _ = data(32)
    rows %= 50
    for pending in range(len(parts) + 1):
        module = text(layout).replace(
            "async_tdm_wait {num = 0", f"async_tdm_intrinsic_wait {{count = {pending}", 1
        )
        y = np.zeros((32, 64), np.float16)
        launch(module, [x, rows, y, 50, 80, 0])
        complete = sorted(row for part in parts[: len(parts) - pending] for row in part)
        late = sorted(row for part in parts[len(parts) - pending :] for row in part)
        np.testing.assert_array_equal(y[complete], x[rows][complete, :64])
        assert np.isnan(y[late]).all()


@pytest.mark.parametrize(("wait", "is_complete"), [("{num = 1", False), ("%t {num = 1", True)])
def test_a_wait_for_tokens_does_not_count(wait, is_complete):
    x, rows, _ = data(32)
    rows %= 50
    y = np.zeros((32, 64), np.float16)
    module = text(REGISTERS).replace("tdm_wait {num = 0", f"tdm_wait {wait}", 1)
    launch(module, [x, rows, y, 50, 80, 0])
    assert (y == x[rows, :64]).all() == is_complete
