"""Shared memory of chips: what the rows hold, and what the reader refuses."""

from __future__ import annotations

import pytest

from weft.errors import LayoutError, WeftError
from weft.targets import known_targets, target
from weft.targets.chip import read_chip
from weft.targets.loading import chip_file

TEXT = chip_file("chip", "gfx950").read_text("utf-8")


def test_reads() -> None:
    memory = target("gfx950").shared_memory
    assert memory is target("hip:gfx950").shared_memory
    assert (memory.name, memory.lanes, memory.banks, memory.bank_bytes) == ("gfx950", 64, 64, 4)
    assert memory.lane_swaps == (16, 32)
    assert memory.instructions[0] == "ds_read_b64_tr_b16"
    assert target("sm_90").shared_memory.name == "sm_90"


def test_every_gpu_has_one() -> None:
    for name in known_targets():
        if name != "cpu":
            assert target(name).shared_memory.lanes == target(name).threads_per_warp
    with pytest.raises(LayoutError) as caught:
        _ = target("cpu").shared_memory
    assert "target cpu has no shared memory" in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("bank_bytes = {", "bank_byte = {", "shared_memory must have the rows bank_bytes"),
        ("b96 = {", "b97 = {", "reads must have the rows b8, b16, b32, b64, b96, b128"),
        ("masks = [1, 2, 20]", "mask = [1, 2, 20]", "reads.b96 must be { masks = …, banks = …"),
        ('source = "hipkittens" }', 'source = "hearsay" }', "reads.b96 has a source that is not"),
        ('"ds_read_b64_tr_b8"', '"ds_read_b64_tr_b9"', "unknown instruction ds_read_b64_tr_b9"),
        ("[16, 32]", "[16, 32], unit = 3", "lane_swaps must be { value = …, source = … }"),
        ("banks = 64", "banks = 48", "must have a power of two banks"),
        ("masks = [1, 2, 20]", "masks = [1, 2, 70]", "must be lanes of 64"),
        ("masks = [1, 2, 20]", "masks = [1, 2, 3]", "must be independent"),
    ],
)
def test_refuses(old: str, new: str, message: str) -> None:
    assert old in TEXT
    with pytest.raises(WeftError) as caught:
        read_chip(TEXT.replace(old, new, 1), "gfx950")
    assert message in str(caught.value)
