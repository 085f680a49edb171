"""Restrict a report to one line of the kernel or to one value."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from weft.errors import WeftError, did_you_mean
from weft.explain.model import Entry, LoopLoad, Report, Value

__all__ = ["filter_by_line", "filter_by_value"]


def filter_by_line(report: Report, line: int) -> Report:
    """Restrict a report to one line of the kernel.

    Raises:
        WeftError: No value, conversion, access or dot comes from that line.
    """
    part = _filter(report, lambda entry: _line(entry) == line)
    if not (part.values or part.conversions or part.memory or part.dots or part.loops):
        lines = sorted({each.location.line for each in report.values if each.location})
        raise WeftError(f"no tensor comes from line {line}", found=line, accepted=lines)
    return part


def filter_by_value(report: Report, name: str) -> Report:
    """Restrict a report to a value, by its name in the IR or the name of its variable.

    "acc" and "%acc" select %acc and %acc_12, which are values of the same variable.

    Raises:
        WeftError: There is no such value.
    """
    ssa_name = name if name.startswith("%") else f"%{name}"
    pattern = re.compile(re.escape(ssa_name) + r"(_\d+)?")
    names = {value.name for value in report.values if pattern.fullmatch(value.name)}
    if not names:
        known = [value.name for value in report.values]
        hint = did_you_mean(ssa_name, known)
        raise WeftError(f"no tensor is called {ssa_name}", found=name, hint=hint)
    part = _filter(report, lambda entry: bool(_value_names(entry) & names))
    # A finding has no value. It is kept if its line has an entry that findings are about.
    lines = {_line(entry) for entry in (*part.conversions, *part.memory, *part.dots)}
    lines &= {_line(value) for value in part.values}
    lines.discard(None)
    findings = tuple(finding for finding in report.findings if _line(finding) in lines)
    return replace(part, findings=findings)


def _line(entry: Entry | LoopLoad) -> int | None:
    return None if entry.location is None else entry.location.line


def _value_names(entry: Entry | LoopLoad) -> set[str]:
    """Collect the names of the values that an entry is about."""
    name = entry.name if isinstance(entry, Value) else getattr(entry, "value", "")
    return {name, *(anchor.value for anchor in getattr(entry, "anchors", ()) if anchor)}


def _filter(report: Report, predicate: Callable[[Entry | LoopLoad], bool]) -> Report:
    """Keep the entries that satisfy a predicate, and the layouts that they name."""
    part = replace(
        report,
        values=tuple(filter(predicate, report.values)),
        conversions=tuple(filter(predicate, report.conversions)),
        memory=tuple(filter(predicate, report.memory)),
        shared=tuple(filter(predicate, report.shared)),
        scratch=tuple(filter(predicate, report.scratch)),
        dots=tuple(filter(predicate, report.dots)),
        loops=tuple(loop for loop in report.loops if any(map(predicate, (loop, *loop.loads)))),
        findings=tuple(filter(predicate, report.findings)),
    )
    layouts = {value.layout for value in part.values}
    layouts |= {name for each in part.conversions for name in (each.before, each.after)}
    layouts |= {each.layout for each in (*part.memory, *part.shared, *part.scratch)}
    return replace(part, layouts=tuple(pair for pair in report.layouts if pair[0] in layouts))
