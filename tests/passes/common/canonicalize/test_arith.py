"""Merged constants of addi, subi and muli: one operation remains, and it computes the same."""

from __future__ import annotations

import re

import pytest

from weft.ir.text import parse_module, print_module
from weft.passes import parse_pipeline, run_pipeline
from weft.testing import check_pass

INNER = {
    "add": "arith.addi %x, %c5 FLAGS: i32",
    "subtract": "arith.subi %x, %c5 FLAGS: i32",
    "subtract from": "arith.subi %c5, %x FLAGS: i32",
    "multiply": "arith.muli %x, %c5 FLAGS: i32",
}
OUTER = {
    "add": "arith.addi %y, %c7 : i32",
    "add to": "arith.addi %c7, %y : i32",
    "subtract": "arith.subi %y, %c7 : i32",
    "subtract from": "arith.subi %c7, %y : i32",
    "multiply": "arith.muli %y, %c7 : i32",
}


def kernel(inner: str, outer: str) -> str:
    return f"""
tt.func public @k(%p: !tt.ptr<i32>) {{
  %c5 = arith.constant 5 : i32
  %c7 = arith.constant 7 : i32
  %x = tt.load %p : !tt.ptr<i32>
  %y = {inner}
  %z = {outer}
  tt.store %p, %z : !tt.ptr<i32>
  tt.return
}}
"""


def remaining(text: str) -> list[str]:
    """List the arithmetic operations after canonicalization."""
    module = parse_module(text)
    run_pipeline(parse_pipeline("canonicalize"), module, verify=True)
    return re.findall(r"arith\.(?!constant)\w+ .*", print_module(module))


@pytest.mark.parametrize("outer", OUTER)
@pytest.mark.parametrize("inner", INNER)
def test_merged_constants(inner, outer):
    text = kernel(INNER[inner].replace("FLAGS", ""), OUTER[outer])
    check_pass(text, "canonicalize", grid=(1,), elements=16)
    is_merged = (inner == "multiply") == (outer == "multiply")
    assert len(remaining(text)) == (1 if is_merged else 2)


@pytest.mark.parametrize(
    ("inner", "outer", "common"),
    [("nsw, nuw", "nsw", "nsw"), ("nsw", "nuw", ""), ("nuw", "nsw, nuw", "nuw")],
)
def test_only_common_overflow_flags_remain(inner, outer, common):
    text = kernel(
        INNER["add"].replace("FLAGS", f"overflow<{inner}> "),
        OUTER["add"].replace(" :", f" overflow<{outer}> :"),
    )
    (line,) = remaining(text)
    flags = re.search(r"overflow<(.*)>", line)
    assert (flags[1] if flags else "") == common


def test_constants_on_both_sides_of_other_operations_stay():
    text = kernel("arith.muli %x, %c5 : i32", "arith.addi %y, %x : i32")
    assert len(remaining(text)) == 2


@pytest.mark.parametrize("predicate", ["eq", "ne", "slt"])
@pytest.mark.parametrize("cast", ["extsi", "extui"])
def test_comparisons_of_extensions(cast, predicate):
    module = parse_module(
        "tt.func public @k(%a: i16, %b: i16) -> i1 {\n"
        f"  %x = arith.{cast} %a : i16 to i32\n  %y = arith.{cast} %b : i16 to i32\n"
        f"  %c = arith.cmpi {predicate}, %x, %y : i32\n  tt.return %c : i1\n}}"
    )
    run_pipeline(parse_pipeline("canonicalize"), module, verify=True)
    is_narrow = f"arith.cmpi {predicate}, %arg0, %arg1 : i16" in print_module(module)
    assert is_narrow == (predicate != "slt")
