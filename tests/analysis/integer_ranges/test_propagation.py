"""Ranges through sizes, loops, assumptions and calls."""

from __future__ import annotations

import pytest

from weft.analysis.integer_ranges import IntegerRanges
from weft.ir.text import parse_module

HEAD = """
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c10 = arith.constant 10 : i32
  %c2000 = arith.constant 2000 : i32
"""


def stored_range(body: str, callee: str = "") -> tuple[int, int] | None:
    """Compute the signed range of the value that a function stores."""
    text = f"{callee}\ntt.func public @k(%p: !tt.ptr<i32>, %n: i32, %m: i32, %c: i1) {{\n{HEAD}"
    module = parse_module(f"{text}{body}\n  tt.store %p, %x : !tt.ptr<i32>\n  tt.return\n}}\n")
    (store,) = (op for op in module.walk() if op.name == "tt.store")
    range_ = IntegerRanges(module).of(store.operands[1])
    return None if range_ is None else (range_.smin, range_.smax)


FULL = (-(2**31), 2**31 - 1)


def assume(text: str) -> str:
    return f"  %t = arith.cmpi {text} : i32\n  llvm.intr.assume %t : i1\n"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("%x = tt.get_program_id x : i32", (0, 2**31 - 1)),
        ("%x = tt.get_num_programs x : i32", FULL),
        ("%x = arith.addi %n, %c1 : i32", FULL),
        (assume("slt, %n, %c10") + "%x = arith.addi %n, %c1 : i32", (-(2**31) + 1, 10)),
        (assume("sge, %c10, %n") + "%x = arith.addi %n, %c1 : i32", (-(2**31) + 1, 11)),
        (assume("eq, %n, %c10") + "%x = arith.addi %n, %c1 : i32", (11, 11)),
        (assume("ult, %n, %c10") + "%x = arith.addi %n, %c1 : i32", (1, 10)),
        (assume("ne, %n, %c10") + "%x = arith.addi %n, %c1 : i32", FULL),
        (assume("sle, %n, %m") + "%x = arith.addi %n, %c1 : i32", FULL),
        ("%x = arith.select %c, %c1, %c10 : i32", (1, 10)),
        (
            "%x = scf.if %c -> (i32) {\n scf.yield %c1 : i32\n} else {\n scf.yield %c10 : i32\n}",
            (1, 10),
        ),
    ],
)
def test_facts(body, expected):
    assert stored_range(body) == expected


def loop(high: str, step: str = "%c1", low: str = "%c0") -> str:
    return f"""
  %x = scf.for %i = {low} to {high} step {step} iter_args(%a = %c0) -> (i32) : i32 {{
    %b = arith.addi %a, %i : i32
    scf.yield %b : i32
  }}"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (loop("%c10"), (0, 90)),
        (loop("%c10", "%c10"), (0, 9)),
        (loop("%c0"), (0, 0)),
        (loop("%c2000"), FULL),
        (loop("%n"), FULL),
        (assume("slt, %n, %c10") + loop("%n"), (0, 72)),
    ],
)
def test_loops(body, expected):
    assert stored_range(body) == expected


def test_an_assumption_on_a_result():
    body = """
  %x = arith.addi %n, %m : i32
  %t = arith.cmpi slt, %x, %c10 : i32
  llvm.intr.assume %t : i1"""
    assert stored_range(body) == (-(2**31), 9)
    inferred = body.replace("%n, %m", "%c1, %c1")
    assert stored_range(inferred) == (2, 2)


def test_an_assumption_in_a_branch_is_local_to_it():
    body = f"""
  %x = scf.if %c -> (i32) {{
    {assume("sge, %n, %c0")}
    %u = arith.addi %n, %c0 : i32
    scf.yield %u : i32
  }} else {{
    scf.yield %c0 : i32
  }}"""
    assert stored_range(body) == (0, 2**31 - 1)
    outside = body.replace("%x =", "%z =") + "\n  %x = arith.addi %n, %c0 : i32"
    assert stored_range(outside) == FULL


def test_iter_args_of_a_while_loop_are_unbounded():
    body = """
  %x = scf.while (%a = %c0) : (i32) -> i32 {
    %t = arith.cmpi slt, %a, %c10 : i32
    scf.condition(%t) %a : i32
  } do {
  ^bb0(%b: i32):
    %d = arith.addi %b, %c1 : i32
    scf.yield %d : i32
  }"""
    assert stored_range(body) == FULL


CALLEE = """
tt.func private @add(%x: i32) -> i32 attributes {noinline = true} {
  %c5 = arith.constant 5 : i32
  %y = arith.addi %x, %c5 : i32
  tt.return %y : i32
}"""
RECURSIVE = """
tt.func private @add(%x: i32) -> i32 attributes {noinline = true} {
  %y = tt.call @add(%x) : (i32) -> i32
  tt.return %y : i32
}"""
CALLS = """
  %x = tt.call @add(%c1) : (i32) -> i32
  %z = tt.call @add(%c10) : (i32) -> i32"""


def test_arguments_join_over_calls():
    assert stored_range(CALLS, CALLEE) == (6, 15)
    assert stored_range(CALLS, RECURSIVE) == FULL


def test_block_arguments_join_and_cycles_are_unbounded():
    body = """
  cf.cond_br %c, ^bb1(%c1 : i32), ^bb1(%c10 : i32)
^bb1(%y: i32):
  cf.br ^bb2(%y : i32)
^bb2(%x: i32):"""
    assert stored_range(body) == (1, 10)
    cycle = body.replace("cf.br ^bb2(%y : i32)", "cf.cond_br %c, ^bb1(%c0 : i32), ^bb2(%y : i32)")
    assert stored_range(cycle) == FULL
