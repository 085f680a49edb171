"""Text in, text out: the samples hold what Triton 3.7.1 prints for IR that we wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.errors import ParseError
from weft.ir.context import operations
from weft.ir.rewriting import clone, walk
from weft.ir.text import parse_module, print_module
from weft.ir.verifier import verify

SAMPLES = sorted((Path(__file__).parent / "samples").glob("*.mlir"))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_printing_gives_the_bytes_that_were_read(path: Path) -> None:
    text = path.read_text()
    module = parse_module(text, str(path))
    verify(module)
    assert print_module(module, locations=path.stem == "located") == text


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_generic_form_reads_back_to_the_same_custom_form(path: Path) -> None:
    text = path.read_text()
    module = parse_module(text)
    generic = print_module(module, generic=True)
    assert '"tt.func"' in generic
    assert print_module(parse_module(generic)) == print_module(module)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_a_clone_prints_the_same(path: Path) -> None:
    module = parse_module(path.read_text())
    assert print_module(clone(module, {})) == print_module(module)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_local_scope_names_no_attribute_and_reads_back(path: Path) -> None:
    module = parse_module(path.read_text())
    for locations in (False, True):
        local = print_module(module, locations, local_scope=True)
        assert not [line for line in local.splitlines() if line.startswith("#")]
        again = print_module(parse_module(local), locations)
        assert again == print_module(module, locations)


def test_samples_hold_every_operation_of_tritons_dialects() -> None:
    seen = {op.name for path in SAMPLES for op in walk(parse_module(path.read_text()))}
    families = {name.split(".")[0] for name in operations()}
    assert families - {name.split(".")[0] for name in seen} == set()
    missing = {name for name in operations() if name.startswith("tt.")} - seen
    assert missing == set()


def test_locations_and_names_survive() -> None:
    text = (
        '#loc = loc("k.py":1:0)\n'
        "module {\n"
        '  tt.func public @k(%x: i32 loc("x"(#loc))) attributes {noinline = false} {\n'
        "    %y = arith.addi %x, %x : i32 loc(#loc5)\n"
        "    %z = arith.addi %y, %y : i32 loc(#loc4)\n"
        "    tt.return loc(#loc2)\n"
        "  } loc(#loc)\n"
        "} loc(#loc)\n"
        '#loc1 = loc("k.py":2:4)\n'
        '#loc2 = loc("k.py":3:4)\n'
        '#loc3 = loc("z")\n'
        "#loc4 = loc(callsite(#loc1 at #loc2))\n"
        '#loc5 = loc("y"(#loc1))\n'
    )
    printed = print_module(parse_module(text), locations=True)
    assert print_module(parse_module(printed), locations=True) == printed
    assert "%y = arith.addi %x, %x : i32 loc(#loc" in printed
    assert "callsite(#loc" in printed


def error_of(body: str, arguments: str = "%x: i32, %f: f32, %t: tensor<4xi32>") -> str:
    text = f"module {{\n  tt.func public @f({arguments}) {{\n    {body}\n    tt.return\n  }}\n}}\n"
    with pytest.raises(ParseError) as caught:
        parse_module(text, "bad.mlir")
    return str(caught.value)


def test_syntax_error_has_line_column_and_caret() -> None:
    message = error_of("%a = arith.addi %x %x : i32")
    assert message.startswith("bad.mlir:3:24: error: ")
    assert "%a = arith.addi %x %x : i32\n" in message
    assert message.splitlines()[2].index("^") == message.splitlines()[1].index("%x : i32")


def test_unknown_operation_names_the_near_ones() -> None:
    message = error_of("%a = arith.adi %x, %x : i32")
    assert message.startswith("bad.mlir:3:10: error: unknown operation arith.adi")
    assert "arith.addi" in message


def test_use_before_definition() -> None:
    assert "%b" in error_of("%a = arith.addi %b, %x : i32")


def test_operand_of_another_type() -> None:
    message = error_of("%a = arith.addi %x, %f : i32")
    assert "bad.mlir:3:" in message
    assert "f32" in message


def test_unknown_enumeration_keyword() -> None:
    message = error_of("%a = arith.cmpi less, %x, %x : i32")
    assert "unknown CmpIPredicate less" in message
    assert "slt" in message


def test_encoding_with_unknown_key() -> None:
    message = error_of(
        "%a = tt.splat %x : i32 -> tensor<4xi32, #ttg.blocked<{sizePerThred = [1]}>>"
    )
    assert "sizePerThred" in message


def test_dense_list_of_another_shape() -> None:
    assert "a list of shape (2,)" in error_of("%a = arith.constant dense<[1, 2]> : tensor<4xi32>")


def test_operation_without_custom_form() -> None:
    message = error_of("%a = tt.reduce %t : tensor<4xi32>")
    assert "tt.reduce has no custom form" in message


@pytest.mark.parametrize("cut", range(5, 1500, 97))
def test_text_cut_anywhere_is_an_error_with_a_place(cut: int) -> None:
    text = (Path(__file__).parent / "samples" / "control.mlir").read_text()[:cut]
    with pytest.raises(ParseError) as caught:
        parse_module(text, "cut.mlir")
    location = caught.value.location
    assert location is not None
    assert 1 <= location.line <= text.count("\n") + 1


def test_regions_nested_too_deeply() -> None:
    deep = "scf.if %x {\n" * 2000
    assert "nested too deeply" in error_of(deep, "%x: i1")


@pytest.mark.parametrize(
    ("name", "spelled"),
    [
        ("acc", "acc"), ("$a", "$a"), (".a", ".a"), ("-a", "-a"), ("a.b-c$", "a.b-c$"),
        ("é", "_C3A9"), ("aé", "aC3A9"), ("a b+c", "a_b2Bc"), ("9a", "_9a"), ("~a", "_7Ea"),
        ("12", "_12"), (" a", "_a"), ("%a", "_25a"), ("a:b", "a3Ab"), ("a/b[c]", "a2Fb5Bc5D"),
    ],
)  # fmt: skip
def test_names_that_locations_carry(name: str, spelled: str) -> None:
    text = f"""\
module {{
  tt.func @f(%arg0: i32) {{
    %0 = arith.addi %arg0, %arg0 : i32 loc("{name}"("k.py":1:1))
    tt.return
  }}
}}
"""
    printed = print_module(parse_module(text), locations=True)
    assert f"    %{spelled} = arith.addi" in printed
    assert print_module(parse_module(printed), locations=True) == printed
