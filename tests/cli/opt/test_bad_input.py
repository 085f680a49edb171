"""What is wrong with an input or a command line, as its author reads it on stderr."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FUNCTION = "module {{\n  tt.func @f(%x: i32) {{\n    {}\n    tt.return\n  }}\n}}\n"
LAYOUT = (
    "#blocked = #ttg.blocked<{{sizePerThread = [1], threadsPerWarp = [32], "
    "warpsPerCTA = [{0}], order = [0]}}>\n"
    'module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, '
    '"ttg.threads-per-warp" = 32 : i32}} {{\n'
    "  tt.func @f(%x: tensor<{1}xf32, #blocked>) {{\n"
    "    %y = ttg.convert_layout %x : tensor<{1}xf32, #blocked> -> tensor<{1}xf32, #blocked>\n"
    "    tt.return\n  }}\n}}\n"
)


@pytest.fixture
def said(weft_command):
    """Run `weft opt` on a text that it refuses; return what it says."""

    def run(text, *flags):
        result = weft_command("opt", *flags, stdin=text)
        assert result.exit_code == 1
        assert result.stdout == ""
        return result.stderr

    return run


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "%0 = arith.addi %x, %x i32",
            "<stdin>:3:28: error: expected ':'\n"
            "    %0 = arith.addi %x, %x i32\n"
            "                           ^~~\n",
        ),
        (
            "%0 = arith.adi %x, %x : i32",
            "<stdin>:3:10: error: custom op 'arith.adi' is unknown "
            "(did you mean arith.andi or arith.addi or arith.divf?)\n"
            "    %0 = arith.adi %x, %x : i32\n"
            "         ^~~~~~~~~\n",
        ),
        (
            "%0 = arith.constant 1.5 : i32",
            "<stdin>:3:25: error: floating point value not valid for specified type\n"
            "    %0 = arith.constant 1.5 : i32\n"
            "                        ^~~\n",
        ),
        (
            "%0 = arith.addi %x, %x : i64",
            "<stdin>:3:21: error: use of value '%x' expects different type than prior uses: "
            "'i64' vs 'i32'\n"
            "    %0 = arith.addi %x, %x : i64\n"
            "                    ^~\n",
        ),
        (
            "%0 = arith.addi %y, %x : i32",
            "<stdin>:3:21: error: use of undeclared SSA value name %y\n"
            "    %0 = arith.addi %y, %x : i32\n"
            "                    ^~\n",
        ),
        (
            "%0 = arith.addi %1, %x : i32\n    %1 = arith.addi %x, %x : i32",
            "<stdin>:3:10: error: 'arith.addi' op operand #0 does not dominate this use: "
            "the result of arith.addi\n"
            "    %0 = arith.addi %1, %x : i32\n"
            "         ^\n"
            "  found: %0 = arith.addi %1, %arg0 : i32\n",
        ),
        (
            "cf.br ^bb1",
            "<stdin>:3:11: error: reference to an undefined block ^bb1\n"
            "    cf.br ^bb1\n"
            "          ^~~~\n",
        ),
        (
            "%0 = tt.splat %x : i32 -> tensor<8xf32>",
            "<stdin>:3:10: error: ",
        ),
    ],
)
def test_operations(said, body, message):
    assert said(FUNCTION.format(body)).startswith(message)


@pytest.mark.parametrize(
    ("type_", "message"),
    [
        ("!tt.pointer<i32>", "unknown type `pointer` in dialect `tt` (did you mean !tt.ptr?)"),
        (
            "tensor<8xf32, #ttg.blokced<{}>>",
            "unknown attribute `blokced` in dialect `ttg` (did you",
        ),
        ("tensor<8xf32, #blocked>", "undefined symbol alias id 'blocked'"),
        ("tensor<8xf32, #ttg.blocked<{sizePerThred = [1]}>>", "unknown key sizePerThred"),
        ("i99999999", "integer bitwidth is limited to 16777215 bits"),
    ],
)
def test_types(said, type_, message):
    text = said(f"module {{\n  tt.func @f(%x: {type_}) {{\n    tt.return\n  }}\n}}\n")
    assert text.startswith("<stdin>:2:")
    assert message in text.splitlines()[0]
    assert text.splitlines()[1].startswith("    tt.func @f(%x: ")
    assert text.splitlines()[2].strip().startswith("^")


def test_a_near_alias(said):
    text = said(LAYOUT.format(4, 256).replace("xf32, #blocked>", "xf32, #bloked>"))
    assert "undefined symbol alias id 'bloked' (did you mean #blocked?)" in text


def test_text_that_ends_early(said):
    text = said("module {\n  tt.func @f() {\n    tt.return\n")
    assert text.startswith("<stdin>:4:1: error: expected operation, block or '}'")


def test_a_layout_that_does_not_fit_the_module(said):
    text = said(LAYOUT.format(8, 256))
    start = "<stdin>:4:10: error: 'ttg.convert_layout' op Operand 0 has an invalid layout: #ttg"
    assert text.startswith(start)
    assert "Layout has 8 warps per CTA, but the context requires 4 warps per CTA." in text


def test_a_layout_of_another_rank(said):
    text = said(LAYOUT.format(4, "16x16"))
    assert "Layout has rank 1, but the tensor it's attached to has rank 2." in text


def test_invalid_layout(said):
    text = said(LAYOUT.format(3, 256))
    assert text.startswith("<stdin>:1:12: error: #ttg.blocked: warpsPerCTA must hold powers of two")


@pytest.mark.parametrize(
    ("options", "lines"),
    [
        (
            "target=cuda:90 num-warp=4",
            [
                "error: pass convert-triton-to-tritongpu has no option num-warp",
                "  hint: did you mean num-warps or num-ctas?",
            ],
        ),
        (
            "target=cuda:90 num-warps=four",
            [
                "error: pass convert-triton-to-tritongpu: option num-warps is an integer",
                "  found: four",
            ],
        ),
        (
            "target=cuda:90 enable-source-remat=maybe",
            [
                "error: pass convert-triton-to-tritongpu: "
                "option enable-source-remat is true or false",
                "  found: maybe",
            ],
        ),
        ("num-warps=4", ["error: pass convert-triton-to-tritongpu needs target"]),
        ("target=cuda:91", ["<stdin>:1:1: error: unknown target cuda:91"]),
    ],
)
def test_options_of_a_pass(said, options, lines):
    text = said("module {\n}\n", f"--convert-triton-to-tritongpu={options}")
    for line in lines:
        assert line in text.splitlines()


@pytest.mark.parametrize(
    ("flag", "message"),
    [
        ("-cannonicalize", "unknown flag or pass -cannonicalize"),
        ("--pass-pipeline=builtin.module(cze)", "did you mean cse"),
        ("--pass-pipeline=builtin.module(cse", "the brackets of the pipeline do not match"),
        ("--pass-pipeline=func.func(cse)", "did you mean tt.func?"),
    ],
)
def test_passes(said, flag, message):
    assert message in said("module {\n}\n", flag)


def test_an_empty_input_is_an_empty_module(weft_command):
    result = weft_command("opt", stdin="")
    assert result.exit_code == 0
    assert result.stdout == "module {\n}\n"
    assert result.stderr == ("<stdin>:1: warning: the input is empty: an empty module\n")


def test_files(weft_command, tmp_path):
    def said(*arguments):
        result = weft_command("opt", *arguments, stdin="module {\n}\n")
        assert result.exit_code == 1
        return result.stderr

    assert said("gone.mlir") == (
        "error: cannot read the file\n  found: gone.mlir: No such file or directory\n"
    )
    assert said(tmp_path).startswith("error: cannot read the file\n  found: ")
    assert said("-o", tmp_path / "no" / "out.mlir").startswith("error: cannot write the output\n")
    binary = tmp_path / "f.mlir"
    binary.write_bytes(b"\xff\xfe\x00")
    assert "the file is not text" in said(binary)


def test_stdin_that_is_no_text():
    source = Path(__file__).parents[3] / "src"
    process = subprocess.run(
        [sys.executable, "-m", "weft", "opt"],
        input=b"\xff\xfe\x00",
        capture_output=True,
        env=os.environ | {"PYTHONPATH": str(source), "PYTHONIOENCODING": "utf-8"},
        check=False,
    )
    assert process.returncode == 1
    assert process.stderr.decode().startswith("error: the input is not text")
