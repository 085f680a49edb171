"""The old function of the seeds, and that linear layouts say the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.layouts.strategies import blocked, shapes
from weft.errors import LayoutError
from weft.layouts import BlockedEncoding
from weft.layouts.distributed import distribute, holders, thread_grid


def test_the_example_of_the_definition() -> None:
    result = distribute(np.arange(16).reshape(4, 4), (2, 8))
    assert result[0].tolist() == [(c, c + 8) for c in (0, 1, 2, 3)] * 2
    assert result[1].tolist() == [(c + 4, c + 12) for c in (0, 1, 2, 3)] * 2


def test_a_coalesced_layout_of_two_warps() -> None:
    """16x16 over 64 threads, 2x2 elements each: the first rows are 0 0 1 1 … 35 35."""
    encoding = BlockedEncoding((2, 2), (8, 4), (1, 2), (1, 0))
    result = distribute(thread_grid(encoding), (16, 16))
    row = [t for t in (*range(4), *range(32, 36)) for _ in range(2)]
    assert [cell[0] for cell in result[0]] == row
    assert [cell[0] for cell in result[2]] == [t + 4 for t in row]


@settings(max_examples=25)
@given(st.integers(1, 2).flatmap(lambda r: st.tuples(blocked(r, clusters=False), shapes(r, 5))))
def test_linear_layouts_agree_with_distribute(case) -> None:
    encoding, shape = case
    old = distribute(thread_grid(encoding), shape)
    assert old.tolist() == holders(encoding.linear(shape)).tolist()


def test_refuses() -> None:
    with pytest.raises(LayoutError, match="the shape must have 2 dimensions, as the grid has"):
        distribute(np.arange(4).reshape(2, 2), (4,))
