"""What boards do at most: values of the pages that rows name, and what the reader refuses."""

from __future__ import annotations

import pytest

from weft.errors import UnknownTargetError, WeftError
from weft.targets import known
from weft.targets.boards import KINDS, board, boards, known_boards, read_boards
from weft.targets.files import chips_in, read_file
from weft.targets.rows import parse

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
def test_limits_of_boards(name, memory, kind, tera):
    found = board(name)
    assert found.memory_gb_per_s == memory
    assert found.tera(kind) == tera


def test_a_type_without_a_rate_of_its_own():
    assert board("A100 40GB").tera("f8") is None


def test_a_board_has_a_page_or_is_assumed():
    for each in known_boards():
        sources = parse(read_file("boards", file_of(each)), each.name)["sources"]
        assert sources[each.source].startswith("assumed: ") == each.assumed, each.name
    assert board("RTX 3090").assumed
    assert not board("NVIDIA H200").assumed


def file_of(one):
    return next(file for file in chips_in("boards") if f'"{one.name}"' in read_file("boards", file))


def test_boards_of_a_chip():
    assert [each.name for each in boards("hip:gfx942")] == ["MI300X", "MI325X", "MI300A"]
    assert boards("cpu") == ()
    chips = {name.partition(":")[2].replace(":", "") for name in known()}
    for file in chips_in("boards"):
        assert file.removeprefix("sm_") in chips, "a file is of a chip that there is"


def test_names_tell_boards_apart():
    names = [name for each in known_boards() for name in {each.name, *each.driver_names}]
    assert len(set(names)) == len(names)
    with pytest.raises(UnknownTargetError, match="did you mean MI300X"):
        board("MI300Y")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("memory_gb_per_s = 5", "memory_gb_per_s = 0", "board B has no limits"),
        ("memory_gb_per_s = 5", "memory = 5", "unknown board B, key memory"),
        ("f8_giga = 7", 'f8_giga = "7"', "f8_giga must be an integer"),
        (', source = "us"', "", "board B, key source is missing"),
        ('source = "us"', 'source = "them"', "has a source that is not listed"),
        ("boards = [", "cards = [", "unknown list of rows cards"),
    ],
)
def test_what_is_refused(old, new, message):
    assert old in GOOD
    with pytest.raises(WeftError, match=message):
        read_boards(GOOD.replace(old, new), "b.toml")
