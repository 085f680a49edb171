"""`weft layout --to`."""

from __future__ import annotations

import pytest

ROWS = "layouts.BlockedEncoding((1, 4), (8, 4), (1, 1), (1, 0))"
COLUMNS = "layouts.BlockedEncoding((4, 1), (2, 16), (1, 1), (0, 1))"
CHIP = ("--target", "cuda:90")
TYPE = ("-t", "tensor<8x16xf32>")


def test_a_shuffle(weft_command):
    result = weft_command("layout", ROWS, "--to", COLUMNS, *TYPE, *CHIP)
    lines = result.stdout.splitlines()
    assert lines[0].startswith("#ttg.blocked<{sizePerThread = [1, 4]")
    assert lines[1].startswith("to #ttg.blocked<{sizePerThread = [4, 1]")
    assert lines[2] == "of tensor<8x16xf32> on sm_90: lanes of a warp exchange registers"
    assert "shuffles:        4" in lines


@pytest.mark.parametrize(
    ("before", "after", "way"),
    [
        ("(1, 4), (8, 4), (1, 1), (1, 0)", "(1, 4), (8, 4), (1, 1), (1, 0)", "nothing moves"),
        ("(2, 2), (4, 8), (1, 1), (1, 0)", "(2, 2), (4, 8), (1, 1), (0, 1)", "exchange registers"),
        ("(1, 4), (8, 4), (4, 1), (1, 0)", "(4, 1), (2, 16), (1, 4), (0, 1)", "shared memory"),
        ("(2, 2), (32, 1), (1, 1), (1, 0)", "(2, 2), (32, 1), (1, 1), (0, 1)", "registers of a"),
    ],
)
def test_kind_of_conversion(weft_command, before, after, way):
    arguments = (f"BlockedEncoding({before})", "--to", f"BlockedEncoding({after})")
    result = weft_command("layout", *arguments, "-t", "64x64xf16", *CHIP)
    assert way in result.stdout.splitlines()[2], result.stderr


def test_pictures(weft_command):
    text = weft_command("layout", ROWS, "--to", COLUMNS, *TYPE, "--format", "svg").stdout
    assert "to warp 0" in text
    assert (
        "element (1, 1)\nto block 0, warp 0, lane 2, register 1\nfrom block 0, warp 0, lane 4"
        in (text)
    )
    page = weft_command("layout", ROWS, "--to", COLUMNS, *TYPE, "--format", "html").stdout
    assert page.startswith("<!doctype html>")


def test_conversion_on_a_chip(weft_command):
    rounds = weft_command("layout", ROWS, "--to", COLUMNS, *TYPE, *CHIP).stdout.splitlines()
    assert rounds[3].startswith("       round 0: lanes offer register 0 or 1 or 2 or 3, lane 1")
    page = weft_command("layout", ROWS, "--to", COLUMNS, *TYPE, *CHIP, "--format", "html").stdout
    assert 'value="round"' in page
    warps = (
        "layouts.BlockedEncoding((1, 4), (8, 4), (4, 1), (1, 0))",
        "--to",
        "layouts.BlockedEncoding((4, 1), (2, 16), (1, 4), (0, 1))",
        "-t",
        "32x16xf32",
    )
    memory = weft_command("layout", *warps, *CHIP, "--format", "svg", "--color", "bank").stdout
    assert "shared memory: " in memory
    assert ", bank 31\nstored by block 0, warp" in memory
    text = weft_command("layout", *warps, *CHIP).stdout
    assert " barrier, " in text
    assert "       offset = [[" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((ROWS, "--to", COLUMNS, *TYPE), "--to needs a target"),
        ((ROWS, "--to", COLUMNS, "-t", "8x16", *CHIP), "--to needs a tensor type"),
        ((ROWS, "--to", COLUMNS, *TYPE, "--format", "json"), "a conversion is text or a picture"),
        (
            (ROWS, "--to", "SwizzledSharedEncoding(1, 1, 1, (1, 0))", *TYPE, *CHIP),
            "--to needs two layouts of registers\n  found: #ttg.swizzled_shared",
        ),
        (("-i", "x.ttgir", "--to", COLUMNS), "a cost needs one layout, not a file"),
    ],
)
def test_mistakes(weft_command, arguments, message):
    result = weft_command("layout", *arguments)
    assert result.exit_code == 1
    assert message in result.stderr
    assert result.stdout == ""
