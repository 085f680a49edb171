"""Errors of layout inference in Gluon programs."""

from __future__ import annotations

import pytest

from weft.errors import PassError
from weft.ir.text import parse_module
from weft.passes import load

HEADER = """
#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
"""
AUTO = "tensor<16xi32, #gluon.auto_encoding>"


def resolve(text: str) -> str:
    """Resolve auto encodings; return the error with its position."""
    with pytest.raises(PassError) as error:
        load("gluon-resolve-auto-encodings", {}).run(parse_module(HEADER + text + "}", "x.mlir"))
    return str(error.value)


def test_two_layouts_for_one_value() -> None:
    text = resolve(
        f"""tt.func @f() {{
%0 = arith.constant dense<7> : {AUTO}
%1 = gluon.set_auto_layout %0 : {AUTO} -> tensor<16xi32, #b>
%2 = gluon.set_auto_layout %0 : {AUTO} -> tensor<16xi32, #a>
tt.return }}"""
    )
    assert text.startswith("x.mlir:6:6: error: 'arith.constant' op found conflicting encodings")
    first, second = text.index("sizePerThread = [1]"), text.index("sizePerThread = [2]")
    assert first < second, "the order does not depend on the program"


def test_no_layout_for_a_value() -> None:
    text = resolve(f"tt.func @f() {{\n%0 = arith.constant dense<7> : {AUTO}\ntt.return }}")
    assert text.startswith("x.mlir:6:6: error: 'arith.constant' op Failed to infer return type")


@pytest.mark.parametrize(
    ("signature", "verb"), [(f"(%x: {AUTO})", "taking"), (f"() -> {AUTO}", "returning")]
)
def test_a_signature_with_a_placeholder(signature: str, verb: str) -> None:
    value = f"%y = arith.constant dense<7> : {AUTO}\ntt.return %y : {AUTO}"
    body = value if verb == "returning" else "tt.return"
    text = resolve(f"tt.func @f{signature} {{\n{body}\n}}")
    assert f"x.mlir:5:1: error: Functions {verb} auto encoding must be fully inlined" in text


def test_a_block_argument_without_a_layout() -> None:
    text = resolve(
        f"""tt.func @f(%b: i1, %x: tensor<16xi32, #a>) {{
cf.br ^bb1(%x : tensor<16xi32, #a>)
^bb1(%y: {AUTO}):
tt.return }}"""
    )
    assert "Failed to infer block argument type" in text


def test_a_constant_with_several_elements() -> None:
    text = resolve(
        """tt.func @f() {
%0 = arith.constant dense<[1, 2]> : tensor<2xi32, #gluon.auto_encoding>
%1 = gluon.set_auto_layout %0 : tensor<2xi32, #gluon.auto_encoding> -> tensor<2xi32, #a>
tt.return }"""
    )
    assert "only if its elements are equal" in text
