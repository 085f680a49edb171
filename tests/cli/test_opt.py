"""`weft opt`: passes over IR text, in both spellings."""

from __future__ import annotations

import pytest

ADD = """\
module {
  tt.func public @f(%x: i32, %p: !tt.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    %y = arith.addi %x, %c0 : i32
    tt.store %p, %y : !tt.ptr<i32>
    tt.return
  }
}
"""


@pytest.mark.parametrize(
    "arguments",
    [("-p", "canonicalize"), ("-canonicalize",), ("--canonicalize", "-cse"),
     ("--pass-pipeline=builtin.module(canonicalize)",), ("-p", "canonicalize{},cse")],
)  # fmt: skip
def test_spellings(weft_command, arguments):
    result = weft_command("opt", "-", *arguments, stdin=ADD)
    assert result.exit_code == 0, result.stderr
    assert "arith.addi" not in result.stdout
    assert "tt.store %p, %x : !tt.ptr<i32>" in result.stdout or "tt.store" in result.stdout


def test_options_in_the_spelling_of_triton_opt(weft_command):
    options = "target=hip:gfx942 num-warps=2 threads-per-warp=64"
    result = weft_command("opt", "-", f"--convert-triton-to-tritongpu={options}", stdin=ADD)
    assert result.exit_code == 0, result.stderr
    assert '"ttg.num-warps" = 2 : i32, ttg.target = "hip:gfx942"' in result.stdout
    wrong = weft_command("opt", "-", "--convert-triton-to-tritongpu=num-warp=2", stdin=ADD)
    assert wrong.exit_code == 1
    assert "num-warps" in wrong.stderr


def test_no_pass_is_a_round_trip(weft_command, tmp_path):
    file = tmp_path / "f.mlir"
    file.write_text(ADD)
    once = weft_command("opt", file).stdout
    assert "arith.addi" in once
    assert weft_command("opt", "-", stdin=once).stdout == once
    out = tmp_path / "out.mlir"
    assert weft_command("opt", file, "-o", out).stdout == ""
    assert out.read_text() == once


def test_split_input(weft_command):
    text = f"{ADD}\n// -----\n\n{ADD}"
    result = weft_command("opt", "-", "-split-input-file", "-canonicalize", stdin=text)
    assert result.stdout.count("// -----") == 1
    assert result.stdout.count("tt.func") == 2


def test_a_line_of_a_split_input_is_that_of_the_file(weft_command):
    text = f"{ADD}// -----\nmodule {{\n  tt.func @f(%x: oops)\n}}\n"
    result = weft_command("opt", "-", "--split-input-file", stdin=text)
    assert result.exit_code == 1
    assert f"<stdin>:{text[: text.index('oops')].count(chr(10)) + 1}:" in result.stderr


def test_unknown_pass(weft_command):
    result = weft_command("opt", "-", "-cannonicalize", stdin=ADD)
    assert result.exit_code == 1
    assert "unknown pass cannonicalize" in result.stderr
    assert "did you mean canonicalize?" in result.stderr


def test_unparsable_text(weft_command):
    result = weft_command("opt", "-", stdin="module {\n  tt.func @f(\n")
    assert result.exit_code == 1
    assert result.stderr.startswith("<stdin>:")
    assert "Traceback" not in result.stderr


def test_a_binary_file(weft_command, tmp_path):
    file = tmp_path / "f.mlir"
    file.write_bytes(b"\xff\xfe\x00")
    result = weft_command("opt", file)
    assert result.exit_code == 1
    assert "the file is not text" in result.stderr


def test_list_passes(weft_command):
    result = weft_command("opt", "--list-passes")
    lines = result.stdout.splitlines()
    assert lines[0].split()[0] == "pass"
    assert any(line.startswith("canonicalize ") for line in lines)
    assert any(line.startswith("convert-triton-to-tritongpu ") for line in lines)
