"""Conditionals with a constant condition."""

from __future__ import annotations

import pytest

from weft.ir.text import parse_module, print_module
from weft.passes import parse_pipeline, run_pipeline

WITH_ELSE = """
tt.func public @k(%p: !tt.ptr<i32>, %x: i32, %y: i32) -> i32 {
  %c = arith.constant CONDITION
  %r = scf.if %c -> (i32) {
    tt.store %p, %x : !tt.ptr<i32>
    scf.yield %x : i32
  } else {
    tt.store %p, %y : !tt.ptr<i32>
    scf.yield %y : i32
  }
  tt.return %r : i32
}
"""
WITHOUT_ELSE = """
tt.func public @k(%p: !tt.ptr<i32>, %x: i32) {
  %c = arith.constant CONDITION
  scf.if %c {
    tt.store %p, %x : !tt.ptr<i32>
  }
  tt.return
}
"""


def after(text: str, condition: str) -> str:
    module = parse_module(text.replace("CONDITION", condition))
    run_pipeline(parse_pipeline("canonicalize"), module, verify=True)
    return print_module(module)


@pytest.mark.parametrize(("condition", "value"), [("true", "%arg1"), ("false", "%arg2")])
def test_the_branch_that_runs_remains(condition, value):
    text = after(WITH_ELSE, condition)
    assert "scf.if" not in text
    assert text.count("tt.store") == 1
    assert f"tt.store %arg0, {value}" in text
    assert f"tt.return {value}" in text


@pytest.mark.parametrize(("condition", "stores"), [("true", 1), ("false", 0)])
def test_a_missing_else_is_empty(condition, stores):
    text = after(WITHOUT_ELSE, condition)
    assert "scf.if" not in text
    assert text.count("tt.store") == stores
