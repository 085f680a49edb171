"""`--verify-diagnostics`: comments that expect errors."""

from __future__ import annotations

import pytest

from weft.cli.opt.diagnostics import expectations

FUNCTION = """\
module {{
  tt.func @f(%x: i32) {{
{}
    tt.return
  }}
}}
"""


@pytest.fixture
def checked(weft_command):
    """Run a function body under --verify-diagnostics; return (exit code, stderr)."""

    def run(body, flag="-verify-diagnostics"):
        result = weft_command("opt", flag, stdin=FUNCTION.format(body))
        return result.exit_code, result.stderr

    return run


@pytest.mark.parametrize(
    "body",
    [
        "    %0 = arith.adi %x, %x : i32  // expected-error {{custom op 'arith.adi' is unknown}}",
        "    // expected-error@+1 {{op 'tt.oops' is unknown}}\n    tt.oops",
        "    // expected-error @+2 {{op 'tt.oops' is unknown}}\n\n    tt.oops",
        "    tt.oops\n    // expected-error@-1 {{op 'tt.oops' is unknown}}",
        "    // expected-error@below {{tt.oops}}\n    tt.oops",
        "    tt.oops\n    // expected-error@above {{tt.oops}}",
        "    // expected-error-re@+1 {{custom {{[a-z]+}} 'tt{{.}}oops'}}\n    tt.oops",
        "    // expected-note@below {{found: %0 = arith.addi %1}}\n"
        "    // expected-error@below {{does not dominate this use}}\n"
        "    %0 = arith.addi %1, %x : i32\n"
        "    %1 = arith.addi %x, %x : i32",
    ],
)
def test_expected_diagnostics_pass(checked, body):
    assert checked(body) == (0, "")


def test_nothing_expected_and_nothing_reported(checked):
    assert checked("    %0 = arith.addi %x, %x : i32") == (0, "")


def test_missing(checked):
    code, text = checked("    // expected-error@below {{no such thing}}\n    tt.oops")
    assert code == 1
    assert 'error: expected error "no such thing" was not produced' in text
    assert text.startswith("<stdin>:4:5: error: unexpected error: custom op 'tt.oops' is unknown")
    assert "    // expected-error@below {{no such thing}}\n       ^~~~" in text


def test_unexpected_reports_may_pass(checked):
    assert checked("    tt.oops", "-verify-diagnostics=only-expected") == (0, "")


def test_another_line(checked):
    code, text = checked("    // expected-error {{op 'tt.oops' is unknown}}\n    tt.oops")
    assert code == 1
    assert "unexpected error: custom op 'tt.oops' is unknown" in text
    assert "expected error \"op 'tt.oops' is unknown\" was not produced" in text


def test_another_kind(checked):
    code, text = checked("    // expected-warning@below {{op 'tt.oops' is unknown}}\n    tt.oops")
    assert code == 1
    assert "'error' diagnostic emitted when expecting a 'warning'" in text


def test_an_expression_that_does_not_compile(checked):
    code, text = checked("    // expected-error-re@below {{a {{[}} b}}\n    tt.oops")
    assert code == 1
    assert "<stdin>:3:8: error: invalid regular expression in expected-…-re" in text


def test_errors_of_the_verifier_and_of_passes(weft_command):
    text = """\
module {
  tt.func @f(%x: i32) {
    // expected-error@below {{does not dominate this use}}
    %0 = arith.addi %1, %x : i32
    %1 = arith.addi %x, %x : i32
    tt.return
  }
}
// -----
// expected-error@below {{num-warps}}
module {
}
"""
    flag = "--convert-triton-to-tritongpu=target=hip:gfx942 num-warps=3"
    result = weft_command("opt", "-split-input-file", "-verify-diagnostics", flag, stdin=text)
    assert (result.exit_code, result.stderr) == (0, "")


def test_the_reason_of_an_inference_is_an_error_of_its_own(weft_command):
    """Triton reports that types cannot be inferred, and why."""
    text = """
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1],
  order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @f(%x: tensor<16x16xf32, #a>, %y: tensor<16x16xf32, #b>,
           %z: tensor<16x16xf32, #blocked>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{Wrong opIdx}}
  %d = tt.dot %x, %y, %z :
    tensor<16x16xf32, #a> * tensor<16x16xf32, #b> -> tensor<16x16xf32, #blocked>
  tt.return
}
}
"""
    result = weft_command("opt", "-verify-diagnostics", stdin=text)
    assert (result.exit_code, result.stderr) == (0, "")


def test_an_error_without_a_place_is_unknown(weft_command):
    text = "// expected-error@unknown {{num-warps}}\nmodule {\n} loc(unknown)\n"
    flag = "--convert-triton-to-tritongpu=target=hip:gfx942 num-warps=3"
    result = weft_command("opt", "-verify-diagnostics", flag, stdin=text)
    assert (result.exit_code, result.stderr) == (0, "")


PLACES = """\
a // expected-error {{1}}
b
// expected-note@above {{2}}
// expected-remark@below {{3}}
// expected-warning@+1 {{4}}
c
// expected-error@unknown {{5}}"""


def test_places_of_comments():
    actual = expectations(PLACES, "f")
    assert [one.line for one in actual] == [1, 2, 6, 6, None]
    assert [one.severity.value for one in actual] == ["error", "note", "remark", "warning", "error"]
    assert [one.text for one in actual] == ["1", "2", "3", "4", "5"]
