"""Conversion instructions of small floats: what the rows hold, and what the reader refuses."""

from __future__ import annotations

import pytest

from weft.errors import UnknownTargetError, WeftError
from weft.targets import known_targets
from weft.targets.float_conversions import float_conversions, read_float_conversions

GOOD = """
[sources]
us = "here"
[rows]
conversions = [
  { before = "f8E5M2", after = "f16", instruction = "widen", count = 2, source = "us" },
]
"""


def test_every_chip_has_rows():
    for name in known_targets():
        if name != "cpu":
            float_conversions(name)


def test_rows():
    assert float_conversions("cuda:80").between("f8E5M2", "f16") is None
    row = float_conversions("cuda:90").between("f8E5M2", "f16")
    assert row is not None
    assert (row.instruction, row.count) == ("e5m2x2.to.f16x2.rn", 2)
    assert float_conversions("hip:gfx942").between("f8E4M3FN", "f32") is None
    assert float_conversions("hip:gfx942").between("f8E4M3FNUZ", "f32") is not None


def test_a_chip_without_a_file_is_refused():
    with pytest.raises(
        UnknownTargetError, match="no float conversions are listed for target cuda:72"
    ):
        float_conversions("cuda:72")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[rows]", "[rows", "invalid TOML"),
        ('before = "f8E5M2"', 'before = "f8E5"', "widen: f8E5 is not a small float"),
        ('after = "f16"', 'after = "i16"', "widen: i16 is not a large float"),
        ("count = 2", "count = 3", "widen must convert 2, 4 or 8 elements"),
        ('"us" }', '"them" }', "a source that is not listed"),
        ("instruction =", "name =", "unknown key name"),
        ("]\n", '  { before = "f8E5M2", after = "f16", instruction = "again", count = 2, '
         'source = "us" },\n]\n', "two rows from f8E5M2 to f16"),
    ],
)  # fmt: skip
def test_invalid_table(old, new, message):
    head, tail = GOOD.rsplit(old, 1) if old == "]\n" else GOOD.split(old, 1)
    with pytest.raises(WeftError, match=message):
        read_float_conversions(head + new + tail, "sm_0")
