"""`weft layout --format`."""

from __future__ import annotations

import json

import pytest

ENCODING = (
    "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [2, 2], "
    "warpsPerCTA = [2, 1], order = [1, 0]}>"
)
SHARED = "#triton_gpu.shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0]}>"


def test_pictures(weft_command, tmp_path):
    out = tmp_path / "layout.svg"
    arguments = (ENCODING, "-t", "tensor<4x4xf16>")
    weft_command("layout", *arguments, "--format", "svg", "--color", "warp", "-o", out)
    assert out.read_text().startswith("<svg ")
    assert f"{ENCODING.replace('<', '&lt;').replace('>', '&gt;')} of tensor&lt;4x4xf16&gt;" in (
        out.read_text()
    )
    page = weft_command("layout", *arguments, "--format", "html", "--view", "hardware").stdout
    assert page.startswith("<!doctype html>")
    shared = weft_command("layout", SHARED, "-t", "4x8xf16", "--format", "svg").stdout
    assert 'data-color="bank"' in shared


def test_data(weft_command):
    arguments = ("-t", "tensor<4x4xf16>", "--format")
    actual = json.loads(weft_command("layout", ENCODING, *arguments, "json").stdout)
    assert (actual["layout"], actual["element"], actual["bits"]) == (ENCODING, "f16", 16)
    assert weft_command("layout", ENCODING, *arguments, "cute").stdout == "((2,4),2):((8,1),4)\n"
    assert weft_command("layout", SHARED, "-t", "4x8", "--format", "cute").stdout == (
        "Swizzle<2,1,2> o (4,8):(8,1)\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--format", "svgg"), "invalid value of --format\n  found: svgg"),
        (("--color", "lane"), "--color needs a picture"),
        (("--format", "svg", "--color", "lanes"), "did you mean lane"),
        (("--format", "svg", "--linear"), "--linear is text"),
    ],
)
def test_mistakes(weft_command, arguments, message):
    result = weft_command("layout", ENCODING, "-t", "4x4xf16", *arguments)
    assert result.exit_code == 1
    assert message in result.stderr


def test_padding_has_no_name_in_cute(weft_command):
    text = "#ttg.padded_shared<[8:+2] {order = [1, 0], shape = [4, 4]}>"
    assert "CuTe layouts have no padding" in weft_command("layout", text, "--format", "cute").stderr


def test_one_picture_of_a_dump(weft_command, tmp_path):
    file = tmp_path / "f.ttgir"
    file.write_text(
        f"#blocked = {ENCODING}\nmodule {{\n  tt.func @f(%x: tensor<4x4xf16, #blocked>, "
        "%y: tensor<8x8xf16, #blocked>) {\n    tt.return\n  }\n}\n"
    )
    two = weft_command("layout", "-i", file, "--format", "svg")
    assert "needs one layout and one type\n  found: #blocked of tensor<4x4xf16>, " in two.stderr
    one = weft_command("layout", "-i", file, "--format", "svg", "-t", "4x4xf16")
    assert one.stdout.startswith("<svg "), one.stderr
