"""Counters of memory operations: what waits are told, and what the reader refuses."""

from __future__ import annotations

import pytest

from weft.errors import UnknownTargetError, WeftError
from weft.targets import known
from weft.targets.counters import counters, read_counters, wait_of

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
def test_what_waits_are_told(arch, kind, pending, expected):
    assert wait_of(arch, kind, pending) == expected


def test_every_chip_of_amd_counts_loads():
    for name in known():
        if name.startswith("hip:"):
            assert any(row.kind == "load" for row in counters(name.removeprefix("hip:")))


def test_what_a_chip_does_not_count():
    with pytest.raises(WeftError, match="gfx942 does not count operations of kind tensor"):
        wait_of("gfx942", "tensor", 0)
    with pytest.raises(UnknownTargetError, match="no counters of memory are known of gfx943"):
        counters("gfx943")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('kind = "load"', 'kind = "read"', "unknown kind of operation"),
        ("rest = 4", "rest = 5", "bits and rest meet"),
        ("[0, 1]", "1", "bits must be a list of integers"),
        ("counters = [", "waits = [", "unknown list of rows waits"),
    ],
)
def test_what_is_refused(old, new, message):
    with pytest.raises(WeftError, match=message):
        read_counters(GOOD.replace(old, new), "gfx0")
