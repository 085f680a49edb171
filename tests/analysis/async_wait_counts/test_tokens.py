"""Wait counts of waits for tokens: each `copy` is one instruction."""

from __future__ import annotations

import pytest

from weft.analysis.async_wait_counts import max_outstanding_for_tokens
from weft.ir.text import parse_module

TOKEN = "!ttg.async.token"
HEAD = """
tt.func public @k(%n: i32, %c: i1, %given: !ttg.async.token) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
"""


def outstanding(body: str) -> list[int]:
    """Compute the count of each wait.

    `copy` is an instruction, `%g = commit` makes a token, `wait %g` waits for it.
    """
    lines = []
    for number, line in enumerate(body.splitlines()):
        line = line.replace("= commit", "= ttg.async_commit_group").strip()
        if line == "copy":
            line = f"%r{number} = rocdl.readfirstlane %one : i32"
        if line.startswith("wait"):
            line = f"%w{number} = ttg.async_{line} {{num = 0 : i32}}"
        lines.append(line)
    module = parse_module(HEAD + "\n".join(lines) + "\n  tt.return\n}")
    return [
        max_outstanding_for_tokens(op, lambda each: int(each.name == "rocdl.readfirstlane"))
        for op in module.walk()
        if op.name == "ttg.async_wait"
    ]


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("%g = commit\nwait %g", 0),
        ("copy\n%g = commit\ncopy\ncopy\nwait %g\ncopy", 2),
        ("%g = commit\ncopy\n%h = commit\ncopy\nwait %g, %h", 1),  # the later of them
        ("copy\nwait", 0),
        ("copy\nwait %given", 0),  # an argument of the function
    ],
)
def test_in_one_block(body, count):
    assert outstanding(body) == [count]


def test_regions_count_groups_that_every_path_issues():
    choice = "%g = commit\nscf.if %c {\ncopy\ncopy\n} else {\ncopy\n}\nwait %g"
    assert outstanding(choice) == [1]
    assert outstanding(choice.replace(" else {\ncopy\n}", "")) == [0]
    loop = "%g = commit\nscf.for %i = %zero to %n step %one : i32 {\ncopy\n}\ncopy\nwait %g"
    assert outstanding(loop) == [1]
    assert outstanding("%four = arith.constant 4 : i32\n" + loop.replace("%n", "%four")) == [5]


def test_a_wait_in_a_region():
    inside = "%g = commit\ncopy\nscf.if %c {\ncopy\nwait %g\ncopy\n}"
    assert outstanding(inside) == [2]
    outside = "scf.if %c {\n%g = commit\n}\ncopy\n%h = commit\nwait %h"
    assert outstanding(outside) == [0]


def test_the_result_of_a_conditional():
    body = f"""%t = scf.if %c -> ({TOKEN}) {{
      %g = commit
      copy
      copy
      copy
      scf.yield %g : {TOKEN}
    }} else {{
      %h = commit
      copy
      copy
      scf.yield %h : {TOKEN}
    }}
    copy
    wait %t"""
    assert outstanding(body) == [3]


def loop(first: str, in_body: str, last: str, init: str = "%g", yielded: str = "%h") -> str:
    return f"""%g = commit
    {first}
    %t = scf.for %i = %zero to %n step %one iter_args(%a = {init}) -> ({TOKEN}) : i32 {{
      {in_body}
      wait %a
      %h = commit
      {last}
      scf.yield {yielded} : {TOKEN}
    }}
    copy
    wait %t"""


@pytest.mark.parametrize(
    ("body", "counts"),
    [
        (loop("copy\ncopy", "copy", "copy\ncopy"), [3, 3]),
        (loop("copy", "copy", "copy\ncopy"), [2, 2]),  # the first iteration
        (loop("copy\ncopy", "copy", "copy"), [2, 2]),  # the later ones
        (loop("copy\ncopy", "copy", "copy", yielded="%a"), [3, 3]),  # always the first token
        (loop("copy", "", "", yielded="%given"), [0, 1]),  # the copy after the loop is certain
        (loop("copy", "", "", init="%given"), [0, 1]),
    ],
)
def test_loop_carried_tokens(body, counts):
    assert outstanding(body) == counts


def test_unknown_tokens_count_as_zero():
    loop_of_conditions = f"""%g = commit
    copy
    %t = scf.while (%a = %g) : ({TOKEN}) -> {TOKEN} {{
      copy
      scf.condition(%c) %a : {TOKEN}
    }} do {{
    ^bb0(%b: {TOKEN}):
      copy
      wait %b
      scf.yield %b : {TOKEN}
    }}
    copy
    wait %t"""
    assert outstanding(loop_of_conditions) == [0, 0]
    branches = "%g = commit\ncopy\ncf.br ^bb1\n^bb1:\ncopy\nwait %g"
    assert outstanding(branches) == [0]
    argument = f"%g = commit\ncopy\ncf.br ^bb1(%g : {TOKEN})\n^bb1(%a: {TOKEN}):\ncopy\nwait %a"
    assert outstanding(argument) == [0]
    several_blocks = f"""%t = scf.execute_region -> {TOKEN} {{
      cf.br ^bb1
    ^bb1:
      %g = commit
      copy
      scf.yield %g : {TOKEN}
    }}
    copy
    wait %t"""
    assert outstanding(several_blocks) == [0]


def test_swapped_loop_carried_tokens():
    body = f"""%g = commit
    copy
    %h = commit
    copy
    copy
    %t:2 = scf.for %i = %zero to %n step %one iter_args(%a = %g, %b = %h)
        -> ({TOKEN}, {TOKEN}) : i32 {{
      copy
      wait %a
      scf.yield %b, %a : {TOKEN}, {TOKEN}
    }}
    wait %t#0"""
    # Inside: 3 after %g and that of the iteration, or 2 after %h and those of two iterations.
    # After no iteration: 3 after %g; after one: 2 after %h and that of the iteration.
    assert outstanding(body) == [4, 3]
