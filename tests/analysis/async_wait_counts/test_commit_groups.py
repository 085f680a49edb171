"""Wait counts of waits for commit groups: by example, and over all paths of random programs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.analysis.async_wait_counts import UNBOUNDED, max_outstanding_for_groups
from weft.ir.text import parse_module

COMMIT = "ttg.async_commit_group"
_LINES = {"copy": "%r{} = rocdl.readfirstlane %one : i32", "commit": f"%g{{}} = {COMMIT}"}
MANY = 30  # more copies than a program has
# A program: a list of "copy", "commit", ("for", program), ("if", program, program or None),
# ("while", program, program), ("execute", program).
Program = list


def body(program: Program, numbers: Iterator[int]) -> str:
    """Write a program as IR."""
    lines = []
    for step in program:
        if isinstance(step, str):
            lines.append(_LINES[step].format(next(numbers)))
        elif step[0] == "for":
            inside = body(step[1], numbers)
            lines.append(
                f"scf.for %i{next(numbers)} = %zero to %n step %one : i32 {{\n{inside}\n}}"
            )
        elif step[0] == "while":
            lines.append(
                f"scf.while : () -> () {{\n{body(step[1], numbers)}\nscf.condition(%c)\n}} "
                f"do {{\n{body(step[2], numbers)}\nscf.yield\n}}"
            )
        elif step[0] == "execute":
            lines.append(f"scf.execute_region {{\n{body(step[1], numbers)}\nscf.yield\n}}")
        else:
            otherwise = "" if step[2] is None else f"else {{\n{body(step[2], numbers)}\n}}"
            lines.append(f"scf.if %c {{\n{body(step[1], numbers)}\n}} {otherwise}")
    return "\n".join(lines)


def after(program: Program, states: set[tuple[int, ...]], groups: int) -> set[tuple[int, ...]]:
    """Compute every state in which a program may end.

    A state is the number of copies after each of the last commits, the latest commit first.
    """
    for step in program:
        if step == "copy":
            states = {tuple(min(n + 1, MANY) for n in state) for state in states}
        elif step == "commit":
            states = {(0, *state[:groups]) for state in states}
        elif step[0] == "if":
            states = after(step[1], states, groups) | after(step[2] or [], states, groups)
        elif step[0] == "execute":
            states = after(step[1], states, groups)
        elif step[0] == "while":
            before = None
            while before != states:
                before = states
                states = states | after(step[2], after(step[1], states, groups), groups)
            states = after(step[1], states, groups)
        else:
            before = None
            while before != states:
                before, states = states, states | after(step[1], states, groups)
    return states


def least(program: Program, groups: int) -> int:
    """Compute how many copies may be outstanding: the least over all paths."""
    ends = after(program, {()}, groups)
    return min(state[groups] if len(state) > groups else UNBOUNDED for state in ends)


def least_from_start(program: Program, groups: int) -> int:
    """Compute the same, where a path with fewer commits counts with all its copies."""
    total = (*["commit"] * (groups + 1), *program)
    return least(list(total), groups)


def analysed(program: Program, groups: int, *, stop_at_start: bool = False) -> int:
    numbers = iter(range(1000))
    text = f"""
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32,
 ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32}} {{
tt.func public @k(%n: i32, %c: i1) {{
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
{body(program, numbers)}
  %w = ttg.async_wait {{num = {groups} : i32}}
  tt.return
}}
}}
"""
    (wait,) = (op for op in parse_module(text).walk() if op.name == "ttg.async_wait")
    return max_outstanding_for_groups(
        wait,
        groups,
        lambda op: int(op.name == "rocdl.readfirstlane"),
        stop_at_start=stop_at_start,
    )


@pytest.mark.parametrize(
    ("program", "groups", "expected"),
    [
        (["copy", "commit", "copy", "copy", "commit"], 1, 2),
        (["copy", "commit", "copy", "copy", "commit"], 0, 0),
        (["copy", "commit"], 1, UNBOUNDED),
        (["copy", "commit", "copy"], 0, 1),
        (["copy", "commit", ("for", ["copy", "copy", "commit"])], 1, 2),
        (["commit", ("if", ["copy"], None), "copy", "commit"], 1, 1),
    ],
)
def test_examples(program, groups, expected):
    assert analysed(program, groups) == expected


@pytest.mark.parametrize(("step", "expected"), [("commit", 2), ("copy", 4)])
def test_calls(step, expected):
    """The search does not go on before a call that may commit a group."""
    numbers = iter(range(1000))
    text = f"""
module {{
tt.func private @callee(%one: i32) {{
{body([step], numbers)}
  tt.return
}}
tt.func public @k(%one: i32) {{
{body(["commit", "copy", "commit", "copy"], numbers)}
  tt.call @callee(%one) : (i32) -> ()
{body(["copy", "copy", "commit"], numbers)}
  %w = ttg.async_wait {{num = 2 : i32}}
  tt.return
}}
}}
"""
    (wait,) = (op for op in parse_module(text).walk() if op.name == "ttg.async_wait")
    count = lambda op: int(op.name == "rocdl.readfirstlane")  # noqa: E731
    assert max_outstanding_for_groups(wait, 2, count) == expected


def test_time_is_not_exponential_in_the_number_of_branches():
    """Forty conditionals have a million million paths."""
    program = ["copy", "commit", *40 * [("if", ["copy"], ["copy", "copy"])], "copy", "commit"]
    assert analysed(program, 1) == 41


steps = st.recursive(
    st.sampled_from(["copy", "commit"]),
    lambda inner: st.one_of(
        st.tuples(st.just("for"), st.lists(inner, max_size=3)),
        st.tuples(st.just("execute"), st.lists(inner, max_size=3)),
        st.tuples(st.just("while"), st.lists(inner, max_size=2), st.lists(inner, max_size=2)),
        st.tuples(
            st.just("if"),
            st.lists(inner, max_size=3),
            st.one_of(st.none(), st.lists(inner, max_size=3)),
        ),
    ),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(st.lists(steps, max_size=5), st.integers(0, 2))
def test_the_minimum_over_all_paths(program, groups):
    assert analysed(program, groups) == least(program, groups)
    assert analysed(program, groups, stop_at_start=True) == least_from_start(program, groups)
