"""`weft layout`: the flags of triton-tensor-layout, and what goes beyond them."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

PRINTED = sorted((Path(__file__).parents[2] / "layouts/drawing/printed").glob("*.txt"))
ENCODING = (
    "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [2, 2], "
    "warpsPerCTA = [2, 1], order = [1, 0]}>"
)
HEADER = f"Print layout attribute: {ENCODING}\n"
TENSOR = (
    "[[T0:0, T0:1, T1:0, T1:1]\n[ T2:0, T2:1, T3:0, T3:1]\n"
    "[ T4:0, T4:1, T5:0, T5:1]\n[ T6:0, T6:1, T7:0, T7:1]]\n"
)
HARDWARE = (
    "Warp0:\n(0,0), (0,2), (1,0), (1,2)\n(0,1), (0,3), (1,1), (1,3)\n"
    "Warp1:\n(2,0), (2,2), (3,0), (3,2)\n(2,1), (2,3), (3,1), (3,3)\n"
)
LINEAR = """\
 - register=1 -> (0, 1)
 - lane=1 -> (0, 2)
   lane=2 -> (1, 0)
 - warp=1 -> (2, 0)
 - block is a size 1 dimension
where out dims are: [dim0 (size 4), dim1 (size 4)]
"""


@pytest.mark.parametrize("file", PRINTED, ids=lambda file: file.stem)
def test_command_lines_of_triton_tensor_layout(weft_command, file):
    command, expected = file.read_text().split("\n", 1)
    result = weft_command("layout", *shlex.split(command)[1:])
    assert result.exit_code == 0, result.stderr
    shown, dots, _ = expected.partition("...")
    assert result.stdout.startswith(shown) if dots else result.stdout == shown


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("-t", "tensor<4x4xf16>"), TENSOR),
        (("--tensor", "4x4xf16", "--view", "tensor"), TENSOR),
        (("-t=4x4", "--view", "hardware"), HARDWARE),
        (("-t", "4x4", "-use-hw-view"), HARDWARE),
        (("-t", "tensor<4x4x!tt.ptr<f32>>", "--use-hw-view"), HARDWARE),
        (("-t", "4x4xf8E4M3FN", "--linear"), LINEAR),
    ],
)
def test_views(weft_command, arguments, expected):
    result = weft_command("layout", ENCODING, *arguments)
    assert result.stdout == HEADER + expected, result.stderr
    assert weft_command("layout", f"-l={ENCODING}", *arguments).stdout == result.stdout


def test_output_file(weft_command, tmp_path):
    out = tmp_path / "out.txt"
    assert weft_command("layout", "-l", ENCODING, "-t", "4x4", "-o", out).stdout == ""
    assert out.read_text() == HEADER + TENSOR


def test_python_and_bases_are_the_same_layout(weft_command):
    python = weft_command("layout", "layouts.BlockedEncoding((1, 2), (2, 2), (2, 1), (1, 0))",
                          "-t", "4x4")  # fmt: skip
    assert python.stdout == HEADER + TENSOR
    text = "{register = [[0, 1]], lane = [[0, 2], [1, 0]], warp = [[2, 0]]}"
    bases = weft_command("layout", text)
    assert bases.stdout == f"Print layout attribute: {text}\n{TENSOR}"


def test_padding_is_shown(weft_command):
    text = "#ttg.padded_shared<[8:+2] {order = [1, 0], shape = [4, 4]}>"
    tensor = weft_command("layout", text).stdout.splitlines()
    assert tensor[2:4] == ["[ (1:0),(1:1),(1:2),(1:3),(+2)]", "[ (2:0),(2:1),(2:2),(2:3)]"]
    hardware = weft_command("layout", text, "--view", "hardware").stdout.splitlines()
    assert hardware[9:11] == ["Offset: 7 -> (1,3)", "Offset: 10 -> (2,0)"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "weft layout needs a layout or a file\n  found: neither"),
        ((ENCODING, "-i", "x.ttgir"), "found: both"),
        ((ENCODING, "-l", ENCODING, "-t", "4x4"), "LAYOUT and -l exclude each other"),
        ((ENCODING,), "#ttg.blocked needs the tensor's type\n  accepted: -t 'tensor<16x16xf16>'"),
        ((ENCODING, "-t", "4x3"), "dimension 1 of the shape must be a power of two\n  found: 3"),
        ((ENCODING, "-t", "4"), "the shape must have 2 dimensions"),
        ((ENCODING, "-t", "tensor<4x?xf16>"), "unknown element type ?xf16\n  found: tensor<4x?"),
        ((ENCODING, "-t", "f16"), "cannot read the tensor's type\n  found: f16"),
        ((ENCODING, "-t", "4x4xf17a"), "unknown element type f17a"),
        ((ENCODING, "-t", "4x4", "--view", "tensr"), "did you mean tensor?"),
        ((ENCODING, "-t", "4x4", "-alias-names", "a"), "-alias-names needs a file"),
        (("#ttg.bloked<{}>", "-t", "4x4"), "did you mean #ttg.blocked"),
        ((ENCODING.replace("order", "ordr"), "-t", "4x4"), "unknown key ordr"),
        (("#ttg.blocked<{sizePerThread = [1, ]}>", "-t", "4"), "at character"),
        ((" ",), "no layout was given"),
    ],
)
def test_mistakes(weft_command, arguments, message):
    result = weft_command("layout", *arguments)
    assert result.exit_code == 1
    assert message in result.stderr
    assert result.stdout == ""
