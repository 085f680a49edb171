"""Counters of outstanding memory operations: arguments of waits, and what the reader refuses."""

from __future__ import annotations

import pytest

from weft.errors import UnknownTargetError, WeftError
from weft.targets import known_targets
from weft.targets.wait_counters import read_wait_counters, wait_counters, wait_instruction

GOOD = """
[sources]
us = "here"
[rows]
counters = [{ kind = "load", intrinsic = "s.waitcnt", bits = [0, 1], rest = 4, source = "us" }]
"""


@pytest.mark.parametrize(
    ("arch", "kind", "pending", "expected"),
    [
        ("gfx942", "load", 3, ("s.waitcnt", 0x0F73)),
        ("gfx942", "load", 20, ("s.waitcnt", 0x4F74)),
        ("gfx942", "load", 1000, ("s.waitcnt", 0xCF7F)),
        ("gfx950", "shared", 0, ("s.waitcnt", 49279)),
        ("gfx1100", "shared", 2, ("s.waitcnt", 0xFC27)),
        ("gfx1250", "copy", 4, ("s.wait.asynccnt", 4)),
    ],
)
def test_argument_of_a_wait(arch, kind, pending, expected):
    assert wait_instruction(arch, kind, pending) == expected


def test_every_amd_chip_counts_loads():
    for name in known_targets():
        if name.startswith("hip:"):
            assert any(row.kind == "load" for row in wait_counters(name.removeprefix("hip:")))


def test_a_chip_without_the_counter():
    with pytest.raises(WeftError, match="gfx942 has no counter for operations of kind tensor"):
        wait_instruction("gfx942", "tensor", 0)
    with pytest.raises(UnknownTargetError, match="no wait counters are listed for target gfx943"):
        wait_counters("gfx943")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('kind = "load"', 'kind = "read"', "unknown kind of operation"),
        ("rest = 4", "rest = 5", "bits and rest overlap"),
        ("[0, 1]", "1", "bits must be a list of integers"),
        ("counters = [", "waits = [", "unknown list waits"),
    ],
)
def test_invalid_table(old, new, message):
    with pytest.raises(WeftError, match=message):
        read_wait_counters(GOOD.replace(old, new), "gfx0")
