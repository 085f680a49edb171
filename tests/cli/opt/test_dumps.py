"""Dumps of the IR between passes, and diffs of it."""

from __future__ import annotations

import pytest

from weft.cli.opt.diff import unified

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
BEFORE_CANONICALIZE = "// -----// IR Dump Before Canonicalizer (canonicalize) //----- //\n"
AFTER_CANONICALIZE = "// -----// IR Dump After Canonicalizer (canonicalize) //----- //\n"
AFTER_CSE = "// -----// IR Dump After CSE (cse) //----- //\n"


@pytest.fixture
def shown(weft_command):
    def run(*flags, stdin=ADD, code=0):
        result = weft_command("opt", "-canonicalize", "-cse", *flags, stdin=stdin)
        assert result.exit_code == code
        return result.stderr

    return run


def heads(text):
    return [line for line in text.splitlines(keepends=True) if line.startswith("// -----//")]


@pytest.mark.parametrize("dashes", ["--mlir-", "-mlir-", "--"])
def test_after_all(shown, dashes):
    text = shown(f"{dashes}print-ir-after-all")
    assert heads(text) == [AFTER_CANONICALIZE, AFTER_CSE]
    dump = text[: text.index(AFTER_CSE)]
    assert dump.startswith(f"{AFTER_CANONICALIZE}module {{\n  tt.func public @f(%arg0")
    assert dump.endswith("  }\n}\n\n\n")
    assert "arith.addi" not in dump


def test_before_all(shown):
    text = shown("--mlir-print-ir-before-all")
    assert len(heads(text)) == 2
    assert text.startswith(f"{BEFORE_CANONICALIZE}module {{")
    assert text.count("arith.addi") == 1


def test_chosen_passes(shown):
    assert heads(shown("--mlir-print-ir-after=cse")) == [AFTER_CSE]
    assert heads(shown("--mlir-print-ir-before=canonicalize,inline")) == [BEFORE_CANONICALIZE]


def test_only_after_a_change(shown):
    assert heads(shown("--mlir-print-ir-after-change")) == [AFTER_CANONICALIZE]
    assert heads(shown("-mlir-print-ir-after-all", "-mlir-print-ir-after-change")) == [
        AFTER_CANONICALIZE
    ]
    assert heads(shown("-mlir-print-ir-after=cse", "-mlir-print-ir-after-change")) == []


def test_scope_in_the_head(shown):
    text = shown("--mlir-print-ir-after=cse", "--mlir-print-ir-module-scope")
    assert text.startswith(
        "// -----// IR Dump After CSE (cse) ('builtin.module' operation) //----- //\n"
    )


def test_a_dump_has_the_form_of_the_output(shown):
    assert '"arith.addi"' in shown("--mlir-print-ir-before=canonicalize", "-mlir-print-op-generic")
    assert "loc(#loc" in shown("--mlir-print-ir-before=canonicalize", "--locations")


def test_after_failure(weft_command):
    module = ADD.replace("module {", "module attributes {ttg.target = 3 : i32} {")
    flags = ("-cse", "--convert-triton-to-tritongpu=target=hip:gfx942 num-warps=3")
    result = weft_command("opt", *flags, "--mlir-print-ir-after-failure", stdin=module)
    assert result.exit_code == 1
    assert heads(result.stderr) == [
        "// -----// IR Dump After ConvertTritonToTritonGPU Failed "
        "(convert-triton-to-tritongpu) //----- //\n"
    ]


def test_diff(shown):
    text = shown("--print-ir-diff")
    assert text.startswith("--- before canonicalize\n+++ after canonicalize\n@@ ")
    assert "-    %0 = arith.addi %arg0, %c0_i32 : i32\n" in text
    assert "cse" not in text
    assert "\x1b" not in text


def test_unified():
    assert unified("p", "a\nb\n", "a\nb\n") == []
    assert unified("p", "a\n", "b\n") == ["--- before p", "+++ after p", "@@ -1 +1 @@", "-a", "+b"]
