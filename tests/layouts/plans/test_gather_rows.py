"""The division of rows among the instructions of a TDM gather."""

from __future__ import annotations

import pytest

from weft.layouts import LinearLayout
from weft.layouts.plans.gather_rows import divide_rows


def rows_of(register, lane, warp, size, most=8):
    bases = {"register": register, "lane": lane, "warp": warp, "block": []}
    return divide_rows(LinearLayout.from_bases(bases, {"dim0": size}), most)


def test_replicated_indices_are_distributed_over_warps():
    rows = rows_of([[1], [2], [4], [8]], [], [[0], [0]], 16)
    assert (rows.together, rows.starts, rows.idle) == (8, (0, 8), 3)
    assert rows.holders[1][3] == (11, 0)
    assert rows.of_instruction(1) == list(range(8, 16))


def test_each_warp_copies_its_rows():
    rows = rows_of([[1], [2]], [], [[4], [8]], 16)
    assert (rows.together, rows.starts) == (4, (0,))
    assert rows.of_instruction(0) == list(range(16))


def test_rows_of_different_warps_are_copied_one_by_one():
    rows = rows_of([[4], [8]], [], [[1], [2]], 16)
    assert rows.of_instruction(1) == [4, 5, 6, 7]


@pytest.mark.parametrize("warp", [[[0], [0]], [[8], [16]], [[1], [0]]])
def test_instructions_copy_all_rows_once(warp):
    images = [image for (image,) in warp if image]
    own = [[1 << bit] for bit in range(5) if 1 << bit not in images]
    rows = rows_of(own, [], warp, 32)
    copied = [row for number in range(len(rows.starts)) for row in rows.of_instruction(number)]
    assert sorted(copied) == list(range(32))
