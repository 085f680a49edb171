"""Rows of buffer instructions: what they say, and what the reader refuses."""

from __future__ import annotations

import pytest

from weft.errors import UnknownTargetError, WeftError
from weft.targets.buffers import buffer_instructions, read_buffers

GOOD = """
[sources]
us = "here"
[facts]
to_shared = { value = true, source = "us" }
[rows]
atomics = [{ op = "fadd", types = ["f32"], source = "us" }]
"""


def test_rows():
    found = buffer_instructions("hip:gfx942")
    assert found.to_shared
    assert found.atomic("fadd", "f16")
    assert not found.atomic("fadd", "bf16")
    assert not found.atomic("max", "i32")
    assert not buffer_instructions("gfx1100").atomic("add", "i32")
    assert buffer_instructions("gfx1100").atomic("cas", "i32")


def test_a_chip_without_a_file_is_refused():
    with pytest.raises(UnknownTargetError, match="no buffer instructions are known of gfx943"):
        buffer_instructions("gfx943")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[rows]", "[rows", "no TOML"),
        ("to_shared =", "to_lds =", "facts has other keys"),
        ("value = true", "value = 1", "to_shared is true or false"),
        ('op = "fadd"', 'op = "nand"', "an operation that is not known"),
        ('["f32"]', '["f8"]', "a type that is not known"),
        ('"us" }]', '"them" }]', "a source that is not known"),
        ('source = "us" }]', 'from = "us" }]', "a row of atomics has other keys"),
        (
            "atomics = [",
            'atomics = [{ op = "fadd", types = ["f64"], source = "us" }, ',
            "two rows of one operation",
        ),
    ],
)
def test_what_is_refused(old, new, message):
    assert old in GOOD
    with pytest.raises(WeftError, match=message):
        read_buffers(GOOD.replace(old, new), "gfx0")


def test_a_good_file_is_read():
    assert read_buffers(GOOD, "gfx0").atomics == {"fadd": ("f32",)}
