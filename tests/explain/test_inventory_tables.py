"""The tables of layouts and conversions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.explain.inventories import inventory_in
from weft.explain.inventory import inventory
from weft.explain.inventory_tables import describe_encoding, text
from weft.ir.text import parse_module
from weft.layouts import parse

EXPECTED = """\
kernel  cuda:90  4 warps × 32 lanes  1 ms

layout                    per thread · lanes · warps · order  tensors  of
#blocked                  1 · 32 · 4 · 0                            1  64xi32
slice dim 0 of #blocked1                                            1  64xi32
slice dim 1 of #blocked1                                            2  64xi32

kernel.py:2  a = tl.arange(0, 64)
  1 ×  64xi32  #blocked → slice dim 0 of #blocked1  0.25 KiB
kernel.py:4  b = tl.sum(a)
  2 ×  64xi32  #blocked → slice dim 1 of #blocked1   0.5 KiB  in a loop
3 conversions, 0.75 KiB, 2 in loops
"""


@pytest.fixture
def listing(tmp_path):
    return inventory_in(tmp_path)


def test_tables(listing):
    assert text(listing, note="1 ms") == EXPECTED


def test_one_conversion_without_a_line(listing):
    conversion = replace(listing.conversions[0], location=None)
    lines = text(replace(listing, conversions=(conversion,))).splitlines()
    assert lines[0] == "kernel  cuda:90  4 warps × 32 lanes"
    assert lines[-3:] == [
        "(no source line)",
        "  1 ×  64xi32  #blocked → slice dim 0 of #blocked1  0.25 KiB",
        "1 conversion, 0.25 KiB, 0 in loops",
    ]


def test_shapes_after_the_second_are_counted(listing):
    use = listing.layouts[0]
    for shapes, cell in (
        (("1xi32",), "1xi32"),
        (("1xi32", "2xi32"), "1xi32, 2xi32"),
        (("1xi32", "2xi32", "4xi32", "8xi32"), "1xi32, 2xi32 +2"),
    ):
        lines = text(replace(listing, layouts=(replace(use, shapes=shapes),))).splitlines()
        assert lines[3].endswith(f"  1  {cell}")


def test_long_descriptions_are_cut(listing):
    lines = text(listing, width=60).splitlines()
    assert max(map(len, lines)) <= 60
    assert "…" in text(listing, width=60)
    encoding = parse(
        "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], "
        "instrShape = [16, 8]}>"
    )
    use = replace(listing.layouts[0], encoding=encoding)
    row = text(replace(listing, layouts=(use,)), width=200).splitlines()[3]
    assert row == "#blocked  versionMajor 2, versionMinor 0, warps…        1  64xi32"


def test_descriptions_of_encodings():
    blocked = parse(
        "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], "
        "order = [1, 0]}>"
    )
    assert describe_encoding(blocked) == "1×4 · 2×16 · 4×1 · 1,0"
    swizzled = parse("#ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>")
    assert describe_encoding(swizzled) == "vec 8, perPhase 2, maxPhase 4, order [1, 0]"


def test_no_conversions():
    listing = inventory(parse_module("module { tt.func @f() { tt.return } }"))
    assert text(listing).splitlines()[-1] == "0 conversions, 0 KiB, 0 in loops"
