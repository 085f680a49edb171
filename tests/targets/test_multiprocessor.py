"""What the blocks of a multiprocessor share: occupancy by hand, and the rows of each chip."""

from __future__ import annotations

import pytest

from weft.errors import UnknownTargetError, WeftError
from weft.targets.boards import boards
from weft.targets.loading import folders_with, load_tables
from weft.targets.multiprocessor import multiprocessor, read_multiprocessor


@pytest.mark.parametrize(
    ("registers", "warps", "shared", "limits"),
    [
        # A warp of 128 registers takes 4,096 of the 16,384 of a partition.
        (128, 8, 98304, (2, 2, 8, 32)),
        (255, 4, 0, (2, 228, 16, 32)),
        (32, 4, 1024, (16, 114, 16, 32)),
        (33, 4, 0, (12, 228, 16, 32)),  # rounded to 40 registers
        (None, 32, 232448, (None, 1, 2, 32)),
    ],
)
def test_limits_of_hopper(registers, warps, shared, limits):
    limits_by_name = multiprocessor("cuda:90").resident_blocks(
        registers=registers, warps=warps, shared_bytes=shared
    )
    names = ("registers", "shared memory", "warps", "blocks")
    assert tuple(limits_by_name.get(name) for name in names) == limits


def test_a_derived_chip_has_the_rows_of_its_base():
    assert multiprocessor("cuda:103") == multiprocessor("cuda:100")
    assert multiprocessor("cuda:87").max_warps == 48


def test_boards_are_those_of_the_chip():
    for folder in folders_with("multiprocessor"):
        chip = folder.replace("sm_", "cuda:")
        names = {each.name for each in boards(chip)}
        assert {each.name for each in multiprocessor(chip).boards} == names
    assert multiprocessor("cuda:90").multiprocessors("H200 SXM") == 132
    assert multiprocessor("cuda:90").multiprocessors("H300") is None


def test_amd_has_no_multiprocessor():
    with pytest.raises(UnknownTargetError, match="no multiprocessors are listed"):
        multiprocessor("hip:gfx942")


def test_malformed_files_are_refused():
    tables = dict(load_tables("multiprocessor", "sm_90"))
    with pytest.raises(WeftError, match=r"sm_90/multiprocessor\.toml"):
        read_multiprocessor({**tables, "facts": {}}, "sm_90")
    with pytest.raises(WeftError, match="list boards is missing"):
        read_multiprocessor({**tables, "rows": {}}, "sm_90")
