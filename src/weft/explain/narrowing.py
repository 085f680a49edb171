"""A part of a report: what one line of the kernel is about, or one value."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from weft.errors import WeftError, did_you_mean
from weft.explain.model import Report

__all__ = ["of_line", "of_value"]


def of_line(report: Report, line: int) -> Report:
    """Return what a report says of one line.

    Raises: WeftError: no value and no conversion comes from that line.
    """

    def here(entries: Iterable[Any]) -> tuple[Any, ...]:
        return tuple(each for each in entries if each.location and each.location.line == line)

    found = _only(report, here)
    if not (found.values or found.conversions or found.memory or found.dots):
        lines = sorted({each.location.line for each in report.values if each.location})
        raise WeftError(f"no tensor comes from line {line}", found=line, accepted=lines)
    return found


def of_value(report: Report, name: str) -> Report:
    """Return what a report says of a value, by its name in the IR or of its variable.

    `%acc` means %acc itself and %acc_12, which hold the same variable.
    Raises: WeftError: there is no such value.
    """
    stem = name if name.startswith("%") else f"%{name}"
    pattern = re.compile(re.escape(stem) + r"(_\d+)?")
    names = {value.name for value in report.values if pattern.fullmatch(value.name)}
    if not names:
        known = [value.name for value in report.values]
        raise WeftError(f"no tensor is called {stem}", found=name, hint=did_you_mean(stem, known))
    lines = {
        value.location.line for value in report.values if value.name in names and value.location
    }

    def about(entries: Iterable[Any]) -> tuple[Any, ...]:
        return tuple(each for each in entries if _names(each) & names)

    found = _only(report, about)
    costly = {each.location.line for each in (*found.conversions, *found.memory, *found.dots)
              if each.location}  # fmt: skip
    return replace(
        found,
        findings=tuple(
            each for each in report.findings
            if each.location and each.location.line in lines & costly
        ),
    )  # fmt: skip


def _names(entry: Any) -> set[str]:
    """Return the values that an entry speaks of."""
    own = {getattr(entry, "name", ""), getattr(entry, "value", "")}
    return own | {anchor.value for anchor in getattr(entry, "anchors", ()) if anchor}


def _only(report: Report, keep: Any) -> Report:
    found = replace(
        report,
        values=keep(report.values),
        conversions=keep(report.conversions),
        memory=keep(report.memory),
        shared=keep(report.shared),
        dots=keep(report.dots),
        findings=keep(report.findings),
    )
    named = {value.layout for value in found.values}
    named |= {name for each in found.conversions for name in (each.before, each.after)}
    named |= {each.layout for each in (*found.memory, *found.shared)}
    return replace(found, layouts=tuple(pair for pair in report.layouts if pair[0] in named))
