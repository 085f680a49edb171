"""The command line on Gluon kernels: layouts on the command line, the stage gluon, reasons."""

from __future__ import annotations

import json
import re

import pytest

KERNELS = """\
import weft.gluon as gl
from weft.experimental import gluon


@gluon.jit
def scale(x, out, N: gl.constexpr, layout: gl.constexpr):
    i = gl.arange(0, N, layout=layout)
    gl.store(out + i, 2 * gl.load(x + i))


@gluon.jit
def turn(x, out, N: gl.constexpr, source: gl.constexpr, target: gl.constexpr):
    i = gl.arange(0, N, layout=source)
    gl.store(out + gl.arange(0, N, layout=target), gl.convert_layout(gl.load(x + i), target))


@gluon.jit
def inferred(x, out, N: gl.constexpr, layout: gl.constexpr):
    i = gl.arange(0, N, layout=gl.AutoLayout())
    gl.store(out + gl.set_auto_layout(i, layout), gl.load(x + gl.arange(0, N, layout=layout)))


if __name__ == "__main__":
    row = gl.BlockedLayout([4], [32], [4], [0])
    x, out = np.arange(512, dtype="f4"), np.zeros(512, "f4")
    scale[(1,)](x, out, 512, row)
    scale[(1,)](x, out, 512, gl.CoalescedLayout())
    turn[(1,)](x, out, 512, row, gl.BlockedLayout([1], [32], [4], [0]))
"""
ROW = "layout=gl.BlockedLayout([4], [32], [4], [0])"
COALESCED = "layout=gl.CoalescedLayout()"
ON = ("-t", "cuda:90")


@pytest.fixture
def file(kernel_file):
    return kernel_file(KERNELS)


@pytest.fixture
def arguments(file):
    def of(kernel: str, layout: str) -> tuple[object, ...]:
        signature = "*fp32:16, *fp32:16, constexpr, constexpr"
        return (f"{file}::{kernel}", *ON, "-s", signature, "-c", "N=512", "-c", layout)

    return of


def test_compile(weft_command, arguments):
    result = weft_command("compile", *arguments("scale", ROW), "--emit", "ptx")
    assert result.exit_code == 0, result.stderr
    assert "ld.global.v4" in result.stdout
    refused = weft_command("compile", *arguments("scale", ROW), "--stop-after", "layout")
    assert "unknown stage layout" in refused.stderr
    assert "accepted: source, gluon, ttgir" in refused.stderr


@pytest.mark.parametrize(
    "layout",
    ["gl.arange(0, 4)", "gl.BlockedLayout([4])", "gl.Layout(", "gl.BlockedLayout(open('x'))"],
)
def test_a_value_that_is_no_layout(weft_command, arguments, layout):
    result = weft_command("compile", *arguments("scale", f"layout={layout}"))
    assert result.exit_code == 1
    assert "cannot read the layout" in result.stderr


@pytest.mark.parametrize(
    ("kernel", "layout", "reasons"),
    [
        (
            "scale",
            ROW,
            ["source: written by the author", "source: follows from its operands, whose layouts"],
        ),
        (
            "scale",
            COALESCED,
            [
                "source: left to inference by the author",
                "gluon-infer-coalesced-encodings: tt.load: 4 elements of 32 bits are the widest",
                "gluon-infer-coalesced-encodings: follows from the layout of a memory access",
            ],
        ),
        (
            "inferred",
            ROW,
            [
                "source: left to inference by the author",
                "gluon-resolve-auto-encodings: set by gl.set_auto_layout",
            ],
        ),
    ],
)
def test_the_reasons_of_layouts(weft_command, arguments, kernel, layout, reasons):
    result = weft_command("explain", *arguments(kernel, layout), "--values")
    assert result.exit_code == 0, result.stderr
    text = " ".join(result.stdout.split())
    assert [reason for reason in reasons if reason not in text] == []
    assert "no reason was recorded" not in text


def test_explain_has_one_stage(weft_command, arguments):
    at_end = weft_command("explain", *arguments("scale", ROW)).stdout
    assert weft_command("explain", *arguments("scale", ROW), "--stop-after=gluon").stdout == at_end
    refused = weft_command("explain", *arguments("scale", ROW), "--stop-after=loops")
    assert "unknown stage loops" in refused.stderr


def test_the_difference_of_a_pass(weft_command, arguments):
    pass_name = "gluon-infer-coalesced-encodings"
    result = weft_command("explain", *arguments("scale", COALESCED), "--diff", pass_name)
    assert result.exit_code == 0, result.stderr
    assert "+    %0 = tt.load" in result.stdout or "+#blocked = #ttg.blocked" in result.stdout
    assert "-    %i = tt.make_range" in result.stdout


def test_launches_with_layouts(weft_command, file):
    result = weft_command("explain", file, *ON, "--launches")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.count("ledger: recorded") == 3
    page = weft_command("report", file, *ON, "--launches", "-o", "-")
    assert page.exit_code == 0, page.stderr
    (content,) = re.findall(r'id="page">(.*?)</script>', page.stdout, re.DOTALL)
    views = json.loads(content)["views"]
    assert [view["kernel"] for view in views] == ["scale", "scale", "turn"]
    assert {text["name"] for text in views[0]["texts"]} >= {"ttgir", "ptx"}
    assert "conversions" in views[2]["report"]


@pytest.fixture
def source(weft_command, arguments, tmp_path):
    """The IR of the front end, in which a layout is to be inferred."""
    path = tmp_path / "scale.mlir"
    emit = ("--emit", "source", "-o", path)
    assert weft_command("compile", *arguments("scale", COALESCED), *emit).exit_code == 0
    return path


def test_ir_whose_layouts_are_to_be_inferred(weft_command, source):
    assert "#gluon.coalesced_encoding" in source.read_text()
    through_stage = weft_command("opt", source, "--stage", "gluon", "--target", "cuda:90")
    assert "sizePerThread = [4]" in through_stage.stdout
    for verb in ("compile", "explain", "report"):
        output = () if verb == "compile" else ("-o", "-")
        result = weft_command(verb, source, *ON, *output)
        assert result.exit_code == 0, result.stderr
        assert "#gluon" not in result.stdout or verb == "report"
    assert "a target is needed" in weft_command("explain", source).stderr
    refused = weft_command("compile", source, "-t", "cuda:80")
    assert "is compiled for cuda:90" in refused.stderr
    refused = weft_command("opt", source, "--stage", "layout", "--target", "cuda:90")
    assert "unknown stage layout" in refused.stderr
