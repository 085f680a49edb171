"""The grid of a launch."""

from __future__ import annotations

import numpy as np
import pytest

import weft
import weft.language as tl
from weft.errors import LaunchError
from weft.launch.grid import grid_sizes


@weft.jit
def scale(x, n, BLOCK: tl.constexpr):
    pass


@pytest.mark.parametrize(
    ("grid", "sizes"),
    [
        (7, (7, 1, 1)),
        ((7,), (7, 1, 1)),
        ([2, np.int32(3)], (2, 3, 1)),
        (lambda meta: (meta["n"] // meta["BLOCK"], 2, 3), (4, 2, 3)),
        (lambda meta: meta["n"], (256, 1, 1)),
        (np.array([3, 2]), (3, 2, 1)),
    ],
)
def test_grid_sizes(grid, sizes):
    assert grid_sizes(scale, grid, {"n": 256, "BLOCK": 64}) == sizes


@pytest.mark.parametrize("grid", [(), (1, 2, 3, 4), (-1,), (1.5,), "x", (True,), None])
def test_malformed_grids_are_an_error(grid):
    with pytest.raises(LaunchError, match="grid must have 1 to 3 sizes") as caught:
        grid_sizes(scale, grid, {})
    assert caught.value.accepted


def test_grid_function_that_reads_an_unknown_argument():
    with pytest.raises(LaunchError) as caught:
        grid_sizes(scale, lambda meta: (meta["BLOK"],), {"n": 256, "BLOCK": 64})
    assert "found: BLOK" in str(caught.value)
    assert "did you mean BLOCK?" in str(caught.value)


@pytest.mark.parametrize(("n", "power"), [(-1, 0), (0, 0), (1, 1), (5, 8), (64, 64), (65, 128)])
def test_next_power_of_2(n, power):
    assert weft.next_power_of_2(n) == power


def test_cdiv():
    assert [weft.cdiv(n, 4) for n in (0, 1, 4, 5)] == [0, 1, 1, 2]
