"""`weft opt` end to end: passes over IR text, split inputs, forms of the output."""

from __future__ import annotations

import pytest

from weft.cli.opt.flags import Options
from weft.cli.opt.session import Session
from weft.errors import VerifyError

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
    first, second = result.stdout.split("\n// -----\n")
    assert first == second
    assert first.startswith("module {\n  tt.func public @f")
    assert first.endswith("}\n")


def test_a_split_input_is_as_many_modules_as_it_has_parts(weft_command):
    result = weft_command("opt", "-split-input-file", stdin=f"// a comment\n\n// -----\n{ADD}")
    assert result.stdout.startswith("module {\n}\n\n// -----\nmodule {\n  tt.func")


def test_custom_split_markers(weft_command):
    text = f"{ADD}//----cut\n{ADD}"
    result = weft_command(
        "opt", "--split-input-file=//----cut", "--output-split-marker=// next", stdin=text
    )
    assert result.stdout.count("}\n\n// next\nmodule {") == 1


def test_a_part_that_fails_leaves_the_others(weft_command, tmp_path):
    text = f"{ADD}// -----\nmodule {{\n  tt.oops\n}}\n// -----\n{ADD}"
    result = weft_command("opt", "-split-input-file", stdin=text)
    assert result.exit_code == 1
    assert result.stdout.count("tt.func") == 2
    assert result.stderr.startswith("<stdin>:11:3: error: custom op 'tt.oops' is unknown")
    out = tmp_path / "out.mlir"
    assert weft_command("opt", "-split-input-file", "-o", out, stdin=text).exit_code == 1
    assert not out.exists()


def test_a_line_of_a_split_input_is_that_of_the_file(weft_command):
    text = f"{ADD}// -----\nmodule {{\n  tt.func @f(%x: oops)\n}}\n"
    result = weft_command("opt", "-", "--split-input-file", stdin=text)
    assert result.exit_code == 1
    assert f"<stdin>:{text[: text.index('oops')].count(chr(10)) + 1}:" in result.stderr


def test_forms_of_the_output(weft_command):
    assert (
        '"arith.addi"(%arg0, %c0_i32)'
        in weft_command("opt", "--mlir-print-op-generic", stdin=ADD).stdout
    )
    with_locations = weft_command("opt", "--mlir-print-debuginfo", stdin=ADD).stdout
    assert 'loc("<stdin>":4:10)' in with_locations
    assert with_locations == weft_command("opt", "--locations", stdin=ADD).stdout
    layout = (
        "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>"
    )
    module = f"""\
#blocked = {layout}
module attributes {{"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32}} {{
  tt.func public @f(%x: tensor<128xi32, #blocked>) {{
    tt.return
  }}
}}
"""
    local = weft_command("opt", "--mlir-print-local-scope", stdin=module).stdout
    assert local.startswith("module attributes")
    assert f"tensor<128xi32, {layout}>" in local
    both = weft_command("opt", "--mlir-print-local-scope", "--locations", stdin=module).stdout
    assert "#loc" not in both
    assert 'loc("<stdin>":4:5)' in both


NAMED = """\
module {
  tt.func @f(%arg0: i32 loc("x"(unknown))) {
    %0 = arith.addi %arg0, %arg0 : i32 loc("total"("k.py":3:4))
    tt.return loc("k.py":4:4)
  } loc("k.py":1:0)
} loc("k.py":1:0)
"""


def test_names_of_locations(weft_command):
    named = "%total = arith.addi %x, %x : i32"
    numbered = "%0 = arith.addi %arg0, %arg0 : i32"
    flag = "--mlir-use-nameloc-as-prefix"
    assert numbered in weft_command("opt", stdin=NAMED).stdout
    assert numbered in weft_command("opt", "--mlir-print-debuginfo", stdin=NAMED).stdout
    assert numbered in weft_command("opt", f"{flag}=false", stdin=NAMED).stdout
    result = weft_command("opt", flag, "--mlir-print-debuginfo", "--verify-roundtrip", stdin=NAMED)
    assert result.exit_code == 0
    assert named in result.stdout
    assert named in weft_command("opt", flag, stdin=NAMED).stdout


def test_the_output_reads_back(weft_command):
    result = weft_command("opt", "--verify-roundtrip", "-canonicalize", stdin=ADD)
    assert result.exit_code == 0


def test_unregistered_operations(weft_command):
    text = ADD.replace("arith.constant 0 : i32", '"foo.bar"(%x) {a = 1 : i32} : (i32) -> i32')
    rejected = weft_command("opt", stdin=text)
    assert rejected.exit_code == 1
    assert "<stdin>:3:12: error: op 'foo.bar' is unknown" in rejected.stderr
    accepted = weft_command(
        "opt", "-allow-unregistered-dialect", "-canonicalize", "-cse", stdin=text
    )
    assert accepted.exit_code == 0
    assert '%0 = "foo.bar"(%arg0) {a = 1 : i32} : (i32) -> i32' in accepted.stdout
    ours = text.replace("foo.bar", "arith.bar")
    assert weft_command("opt", "-allow-unregistered-dialect", stdin=ours).exit_code == 1


def test_anchors(weft_command):
    pipeline = "builtin.module(inline,tt.func(canonicalize,cse),any(symbol-dce))"
    result = weft_command("opt", f"--pass-pipeline={pipeline}", stdin=ADD)
    assert result.exit_code == 0, result.stderr
    assert "arith.addi" not in result.stdout


def test_text_that_does_not_parse_back(monkeypatch):
    session = Session(Options(verify_roundtrip=True))
    monkeypatch.setattr(session, "_print", lambda module: "module {\n  other\n}\n")
    with pytest.raises(VerifyError, match="the output does not parse back to the same text"):
        session._check_roundtrip("module {\n}\n")
