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


def test_assumed_phases_are_marked(weft_command):
    wave = "layouts.BlockedEncoding((1, 4), (8, 8), (4, 1), (1, 0))"
    result = weft_command("layout", wave, "--banks", PLAIN, *TYPE, "--target", "hip:gfx950")
    lines = result.stdout.splitlines()
    assert lines[3].startswith("write: ")
    assert lines[4].startswith("       phases assumed: 32 banks, as ds_write_b64")
    assert lines[5].startswith("read:  ")
    assert len(lines) == 6


def test_operands_of_dots_are_read_as_code_generation_does(weft_command):
    mma = "versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]"
    operand = f"#ttg.dot_op<{{opIdx = 0, parent = #ttg.nvidia_mma<{{{mma}}}>, kWidth = 2}}>"
    swizzled = "SwizzledSharedEncoding(8, 1, 8, (1, 0))"
    arguments = (operand, "--banks", swizzled, "-t", "tensor<64x64xf16>", "--target", "cuda:80")
    lines = weft_command("layout", *arguments).stdout.splitlines()
    assert lines[-1] == "read:  32 accesses of 128 bits by ldmatrix x4, 128 passes, no conflicts"


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


def test_coalescing_on_a_chip(weft_command):
    on_chip = weft_command("layout", ROW, *TYPE, "--coalescing", "--target", "cuda:90").stdout
    assert "of tensor<32x32xf32> in global memory, row-major on cuda:90\n" in on_chip
    wave = weft_command("layout", ROW, *TYPE, "--coalescing", "--target", "hip:gfx942")
    assert "a warp of hip:gfx942 has 64 lanes\n  found: 32" in wave.stderr


@pytest.mark.parametrize("chip", ["cuda:80", "cuda:90", "cuda:120", "hip:gfx1100", "hip:gfx1250"])
def test_banks_of_every_chip_of_32_lanes(weft_command, chip):
    result = weft_command("layout", COLUMN, "--banks", SWIZZLED, *TYPE, "--target", chip)
    assert result.exit_code == 0, result.stderr
    assert "\nread:  " in result.stdout


@pytest.mark.parametrize("chip", ["hip:gfx908", "hip:gfx90a", "hip:gfx942", "hip:gfx950"])
def test_banks_of_every_chip_of_64_lanes(weft_command, chip):
    wave = "layouts.BlockedEncoding((1, 4), (8, 8), (4, 1), (1, 0))"
    result = weft_command("layout", wave, "--banks", SWIZZLED, *TYPE, "--target", chip)
    assert result.exit_code == 0, result.stderr


def test_the_best_swizzle_and_padding(weft_command):
    rows = "BlockedEncoding((1, 1), (1, 32), (4, 1), (1, 0))"
    arguments = ("layout", rows, "--to", COLUMN, *TYPE, "--target", "cuda:90", "--best")
    swizzle = weft_command(*arguments, "swizzle").stdout.splitlines()
    assert swizzle[0] == (
        "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 32, order = [1, 0]}>"
    )
    assert swizzle[1].startswith("of tensor<32x32xf32> on sm_90: ")
    assert swizzle[1].endswith(" tried, no access conflicts")
    assert swizzle[2:] == [
        "write: 32 accesses of 32 bits, 32 passes, no conflicts",
        "read:  32 accesses of 32 bits, 32 passes, no conflicts",
    ]
    padding = weft_command(*arguments, "padding").stdout
    assert padding.startswith("#ttg.padded_shared<[32:+1] {order = [1, 0], shape = [32, 32]}>\n")
    alone = weft_command("layout", rows, *TYPE, "--target", "cuda:90", "--best", "swizzle").stdout
    assert "maxPhase = 1," in alone


def test_a_picture_of_registers_shows_banks(weft_command):
    arguments = ("layout", COLUMN, "--banks", SWIZZLED, *TYPE, "--format")
    picture = weft_command(*arguments, "svg", "--color", "bank").stdout
    # Element (1, 0) lies in the row of lane 1, exchanged with its neighbour.
    assert "element (1, 0)\nblock 0, warp 0, lane 1, register 0\noffset 33, byte 132, bank 1" in (
        picture
    )
    page = weft_command(*arguments, "html", "--view", "hardware").stdout
    assert 'value="bank"' in page


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((COLUMN, "-t", "32x32", "--coalescing"), "needs a tensor type"),
        ((COLUMN, "--coalescing"), "--coalescing needs a tensor type"),
        ((PLAIN, *TYPE, "--coalescing"), "--coalescing needs a layout of registers"),
        ((COLUMN, *TYPE, "--banks", PLAIN), "--banks needs a target"),
        ((COLUMN, *TYPE, "--banks", COLUMN, "--target", "sm_90"), "one of shared memory"),
        ((COLUMN, *TYPE, "--banks", PLAIN, "--target", "cpu"), "target cpu has no shared memory"),
        ((COLUMN, *TYPE, "--banks", PLAIN, "--target", "cuda:91"), "cuda:90"),
        ((COLUMN, *TYPE, "--banks", PLAIN, "--target", "hip:gfx942"), "has 64 lanes"),
        ((COLUMN, *TYPE, "--target", "sm_90"), "--target needs a cost, a conversion or a picture"),
        ((COLUMN, *TYPE, "--coalescing", "--format", "svg"), "a cost is text"),
        (("-i", "x.ttgir", "--coalescing"), "a cost needs one layout, not a file"),
        ((COLUMN, *TYPE, "--best", "swizle"), "did you mean swizzle"),
        ((COLUMN, *TYPE, "--best", "swizzle"), "--best needs a target"),
        ((COLUMN, "-t", "32x32", "--best", "padding"), "--best needs a tensor type"),
        ((COLUMN, *TYPE, "--best", "swizzle", "--format", "svg"), "--best is text"),
        (("-i", "x.ttgir", "--best", "swizzle"), "a cost needs one layout, not a file"),
        (
            (PLAIN, *TYPE, "--best", "swizzle", "--target", "sm_90"),
            "--best needs two layouts of registers",
        ),
        ((COLUMN, *TYPE, "--banks", ROW, "--format", "svg"), "one of shared memory"),
        ((COLUMN, *TYPE, "--banks", PLAIN, "--format", "json"), "a cost is text"),
        ((COLUMN, *TYPE, "--coalescing", "--target", "cuda:91"), "cuda:90"),
    ],
)
def test_mistakes(weft_command, arguments, message):
    result = weft_command("layout", *arguments)
    assert result.exit_code == 1
    assert message in result.stderr
    assert result.stdout == ""
