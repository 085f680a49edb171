"""Buffer instructions of AMD chips: what the rows hold, and what the reader refuses."""

from __future__ import annotations

import pytest

from weft.errors import UnknownTargetError, WeftError
from weft.targets.buffer_instructions import buffer_instructions, read_buffer_instructions

GOOD = """
[sources]
us = "here"
[facts]
to_shared = { value = true, source = "us" }
[rows]
atomics = [{ op = "fadd", types = ["f32"], source = "us" }]
caches = [{ kind = "load", modifier = "cg", bits = 3, source = "us" }]
"""


def test_rows():
    result = buffer_instructions("hip:gfx942")
    assert result.to_shared
    assert result.has_atomic("fadd", "f16")
    assert not result.has_atomic("fadd", "bf16")
    assert not result.has_atomic("max", "i32")
    assert not buffer_instructions("gfx1100").has_atomic("add", "i32")
    assert buffer_instructions("gfx1100").has_atomic("cas", "i32")


def test_a_chip_without_a_file_is_refused():
    with pytest.raises(
        UnknownTargetError, match="no buffer instructions are listed for target gfx943"
    ):
        buffer_instructions("gfx943")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[rows]", "[rows", "invalid TOML"),
        ("to_shared =", "to_lds =", "unknown fact to_lds"),
        ("value = true", "value = 1", "to_shared must be true or false"),
        ('op = "fadd"', 'op = "nand"', "unknown operation nand"),
        ('["f32"]', '["f8"]', "unknown type f8"),
        (
            '["f32"], source = "us"',
            '["f32"], source = "them"',
            "a row of atomics has a source that is not listed",
        ),
        ('["f32"], source = "us"', '["f32"], from = "us"', "a row of atomics must be"),
        (
            "atomics = [",
            'atomics = [{ op = "fadd", types = ["f64"], source = "us" }, ',
            "two rows of operation fadd",
        ),
        ('kind = "load"', 'kind = "read"', "unknown kind read"),
        ('modifier = "cg"', 'modifier = "xx"', "unknown modifier xx"),
        ("bits = 3", 'bits = "3"', "bits must be an integer"),
        ("bits = 3, ", "", "a row of caches must be"),
        (
            "caches = [",
            'caches = [{ kind = "load", modifier = "cg", bits = 1, source = "us" }, ',
            "two rows of modifier cg",
        ),
    ],
)
def test_invalid_table(old, new, message):
    assert old in GOOD
    with pytest.raises(WeftError, match=message):
        read_buffer_instructions(GOOD.replace(old, new), "gfx0")


def test_a_good_file_is_read():
    assert read_buffer_instructions(GOOD, "gfx0").atomics == {"fadd": ("f32",)}


@pytest.mark.parametrize("chip", ["gfx908", "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1250"])
def test_cache_bits(chip):
    result = buffer_instructions(chip)
    bits = [
        result.cache_bits(*each)
        for each in (
            ("load", "cg"),
            ("load", "cs"),
            ("load", "cv"),
            ("store", "cs"),
            ("store", "wt"),
        )
    ]
    assert bits == ([3, 3, 17, 3, 17] if chip in ("gfx942", "gfx950") else [0] * 5)
    assert result.cache_bits("load", "ca") == result.cache_bits("store", "cg") == 0
