"""`weft layout --banks` and `--coalescing`."""

from __future__ import annotations

import pytest

COLUMN = "layouts.BlockedEncoding((1, 1), (32, 1), (1, 4), (0, 1))"
ROW = "layouts.BlockedEncoding((1, 4), (4, 8), (4, 1), (1, 0))"
PLAIN = "SwizzledSharedEncoding(1, 1, 1, (1, 0))"
SWIZZLED = "SwizzledSharedEncoding(1, 1, 32, (1, 0))"
TYPE = ("-t", "tensor<32x32xf32>")


@pytest.mark.parametrize("arguments", [(COLUMN, "--banks", PLAIN), (PLAIN, "--banks", COLUMN)])
def test_a_column_of_a_plain_tile(weft_command, arguments):
    result = weft_command("layout", *arguments, *TYPE, "--target", "cuda:90")
    lines = result.stdout.splitlines()
    assert lines[0].startswith("#ttg.blocked<")
    assert lines[1].startswith("through #ttg.swizzled_shared<")
    assert lines[2] == "of tensor<32x32xf32> on sm_90: 32 banks of 4 bytes"
    for kind, line in (("write: ", lines[3]), ("read:  ", lines[5])):
        assert line == (
            f"{kind}32 accesses of 32 bits, 1024 passes where 32 would do; "
            "the worst access takes 32 for 1"
        )
    assert lines[4].startswith("       phase 0, bank 0: lanes 0 | 1 | 2 |")


def test_a_column_of_a_swizzled_tile(weft_command):
    result = weft_command("layout", COLUMN, "--banks", SWIZZLED, *TYPE, "--target", "sm_90")
    assert result.stdout.splitlines()[3:] == [
        "write: 32 accesses of 32 bits, 32 passes, no conflicts",
        "read:  32 accesses of 32 bits, 32 passes, no conflicts",
    ]


def test_phases_that_nobody_measured(weft_command):
    wave = "layouts.BlockedEncoding((1, 4), (8, 8), (4, 1), (1, 0))"
    result = weft_command("layout", wave, "--banks", PLAIN, *TYPE, "--target", "hip:gfx950")
    lines = result.stdout.splitlines()
    assert lines[3].startswith("write: ")
    assert lines[4].startswith("       phases assumed: 32 banks, as ds_write_b64")
    assert lines[5].startswith("read:  ")
    assert len(lines) == 6


def test_coalescing(weft_command):
    good = weft_command("layout", ROW, *TYPE, "--coalescing").stdout.splitlines()
    assert good[1:] == [
        "of tensor<32x32xf32> in global memory, row-major",
        "vector:   128 bits, limited by the widest instruction",
        "requests: 8",
        "sectors:  128 of 32 bytes where 128 would do, 100% of the bytes are wanted",
        "lines:    32 of 128 bytes",
    ]
    bad = weft_command("layout", COLUMN, *TYPE, "--coalescing").stdout
    assert "sectors:  1024 of 32 bytes where 128 would do, 12% of the bytes are wanted" in bad


def test_a_picture_has_the_banks_of_its_chip(weft_command):
    arguments = ("layout", PLAIN, "-t", "8x64xf16", "--format", "svg", "--target")
    assert "bank 0 … 63" in weft_command(*arguments, "hip:gfx950").stdout
    assert "bank 0 … 31" in weft_command(*arguments, "cuda:90").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((COLUMN, "-t", "32x32", "--coalescing"), "needs the tensor's type with its element"),
        ((COLUMN, "--coalescing"), "--coalescing needs the tensor's type with its element"),
        ((PLAIN, *TYPE, "--coalescing"), "--coalescing needs a layout of registers"),
        ((COLUMN, *TYPE, "--banks", PLAIN), "--banks needs a chip"),
        ((COLUMN, *TYPE, "--banks", COLUMN, "--target", "sm_90"), "one of shared memory"),
        ((COLUMN, *TYPE, "--banks", PLAIN, "--target", "cpu"), "cpu has no shared memory of banks"),
        ((COLUMN, *TYPE, "--banks", PLAIN, "--target", "cuda:91"), "cuda:90"),
        ((COLUMN, *TYPE, "--banks", PLAIN, "--target", "hip:gfx942"), "has 64 lanes"),
        ((COLUMN, *TYPE, "--target", "sm_90"), "--target says whose banks"),
        ((COLUMN, *TYPE, "--coalescing", "--format", "svg"), "a cost is text"),
        (("-i", "x.ttgir", "--coalescing"), "a cost is that of one layout"),
    ],
)
def test_mistakes(weft_command, arguments, message):
    result = weft_command("layout", *arguments)
    assert result.exit_code == 1
    assert message in result.stderr
    assert result.stdout == ""
