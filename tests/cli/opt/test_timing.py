"""The report of times."""

from __future__ import annotations

import re

from weft.cli.opt.timing import PassTimer

ROW = re.compile(r"^  +(\d+\.\d{4}) \( *(-?\d+\.\d)%\)  (.*)$", re.MULTILINE)


def test_report_in_a_pipe(weft_command):
    text = "module {\n}\n"
    result = weft_command("opt", "-canonicalize", "-cse", "--mlir-timing", stdin=text)
    assert result.stdout == text
    assert "... Execution time report ..." in result.stderr
    names = [row[3] for row in ROW.finditer(result.stderr)]
    assert names == [
        "Parser", "Verifier", "Canonicalizer", "CSE", "Output", "Rest", "Total",
    ]  # fmt: skip


def test_the_slowest_first(weft_command):
    flags = ("--mlir-timing", "--mlir-timing-display=list")
    result = weft_command("opt", "-canonicalize", "-cse", *flags, stdin="module {\n}\n")
    seconds = [float(row[1]) for row in ROW.finditer(result.stderr)][:-2]
    assert seconds == sorted(seconds, reverse=True)


def test_steps_inside_a_step_are_not_counted_twice():
    timer = PassTimer()
    with timer.measure("outer", nested="inner") as inner:
        inner.append(-1.0)
    rows = {name: seconds for name, seconds, _ in timer.rows(slowest_first=False)}
    assert rows["inner"] == -1.0
    assert 1.0 <= rows["outer"] < 1.1
    assert list(rows) == ["inner", "outer", "Rest", "Total"]
