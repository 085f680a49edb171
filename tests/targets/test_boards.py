"""Peak rates of boards: values from the pages that the rows name, and what the reader refuses."""

from __future__ import annotations

import pytest

from weft.errors import UnknownTargetError, WeftError
from weft.targets import known_targets
from weft.targets.boards import KINDS, board, boards, known_boards, read_boards
from weft.targets.loading import chip_folder, folders_with, load_tables
from weft.targets.schema import read_sources

RATES = ", ".join(f"{kind}_giga = 7" for kind in KINDS)
GOOD = f"""
[sources]
us = "here"
[rows]
boards = [
  {{ name = "B", driver_names = ["The B"], memory_gb_per_s = 5, {RATES}, source = "us" }},
]
"""


@pytest.mark.parametrize(
    ("name", "memory", "kind", "tera"),
    [
        ("NVIDIA H200", 4800, "bf16", 989.5),
        ("NVIDIA H100 80GB HBM3", 3350, "f8", 1979),
        ("A100 SXM 80GB", 2039, "f16", 312),
        ("B200", 8000, "f4", 9000),
        ("MI300X", 5300, "f16", 1307.4),
        ("MI350X", 8000, "f8", 4600),
        ("RX 7900 XTX", 960, "f32", 61.4),
        ("RX 9070 XT", 640, "i8", 389),
    ],
)
def test_rates(name, memory, kind, tera):
    assert board(name).memory_gb_per_s == memory
    assert board(name).tera(kind) == tera


def test_a_type_without_a_rate():
    assert board("A100 40GB").tera("f8") is None


def test_a_board_has_a_page_or_is_assumed():
    for folder in folders_with("boards"):
        tables = load_tables("boards", folder)
        sources = read_sources(folder, tables["sources"])
        for each in read_boards(tables, folder):
            assert sources[each.source].startswith("assumed: ") == each.assumed, each.name
    assert board("RTX 3090").assumed
    assert not board("NVIDIA H200").assumed


def test_boards_of_a_chip():
    assert [each.name for each in boards("hip:gfx942")] == ["MI300X", "MI325X", "MI300A"]
    assert boards("cpu") == ()
    assert set(folders_with("boards")) <= {chip_folder(name) for name in known_targets()}


def test_names_of_boards_are_unique():
    names = [name for each in known_boards() for name in {each.name, *each.driver_names}]
    assert len(set(names)) == len(names)
    with pytest.raises(UnknownTargetError, match="did you mean MI300X"):
        board("MI300Y")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("memory_gb_per_s = 5", "memory_gb_per_s = 0", "board B has no rates"),
        ("memory_gb_per_s = 5", "memory = 5", "board B: unknown key memory"),
        ("f8_giga = 7", 'f8_giga = "7"', "f8_giga must be an integer"),
        (', source = "us"', "", "board B: key source is missing"),
        ('source = "us"', 'source = "them"', "has a source that is not listed"),
        ("boards = [", "cards = [", "unknown list cards"),
    ],
)
def test_invalid_table(old, new, message):
    assert old in GOOD
    with pytest.raises(WeftError, match=message):
        read_boards(GOOD.replace(old, new), "gfx0")
