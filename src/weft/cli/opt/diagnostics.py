"""`--verify-diagnostics`: compare what was reported with what comments in the input expect.

    // expected-error@below {{unknown operation}}        the next line without such a comment
    %0 = arith.adi %x, %x : i32
    // expected-error@above {{unknown}}                  the last line without such a comment
    %1 = tt.oops       // expected-error {{tt.oops}}     this line; @+2, @-1: so many lines on
    // expected-error-re@+1 {{needs {{[0-9]+}} warps}}   {{…}} inside is a regular expression
    // expected-error@unknown {{…}}                      an error that has no place in the input

A comment is met by a report of its kind at its line whose message holds its text. One comment
meets any number of equal reports, and one report meets one comment, as in MLIR.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from weft.errors import Location, ParseError, WeftError

__all__ = ["Diagnostic", "Severity", "check", "expectations"]


class Severity(Enum):
    """Kinds of report."""

    ERROR = "error"
    WARNING = "warning"
    REMARK = "remark"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One report about the input."""

    severity: Severity
    error: WeftError


@dataclass(frozen=True, slots=True)
class Expectation:
    """One comment: what it expects, and where the comment itself stands."""

    severity: Severity
    line: int | None  # 1-based; None: a report without a place
    text: str
    pattern: re.Pattern[str]
    place: Location


_COMMENT = re.compile(
    r"expected-(error|warning|remark|note)(-re)? *(?:@([+-]\d+|above|below|unknown))? *"
    r"\{\{(.*)\}\}\s*$"
)
_NESTED = re.compile(r"\{\{(.*?)\}\}")


def expectations(text: str, name: str) -> tuple[Expectation, ...]:
    """Return what the comments of a text expect.

    Raises: ParseError: a regular expression that does not compile.
    """
    lines = text.split("\n")
    found: list[Expectation] = []
    for number, line in enumerate(lines, 1):
        match = _COMMENT.search(line)
        if match is None:
            continue
        place = Location(name, number, match.start() + 1, match.end() + 1, line)
        target = _target(match[3], number, lines)
        pattern = _pattern(match[4], bool(match[2]), place)
        found.append(Expectation(Severity(match[1]), target, match[4], pattern, place))
    return tuple(found)


def _target(offset: str | None, number: int, lines: Sequence[str]) -> int | None:
    """Return the line that a comment on line `number` speaks of."""
    if offset is None:
        return number
    if offset == "unknown":
        return None
    if offset == "above":
        above = range(number - 1, 0, -1)
        return next((n for n in above if not _COMMENT.search(lines[n - 1])), 1)
    if offset == "below":
        below = range(number + 1, len(lines) + 1)
        return next((n for n in below if not _COMMENT.search(lines[n - 1])), len(lines))
    return number + int(offset)


def _pattern(text: str, is_regex: bool, place: Location) -> re.Pattern[str]:
    if not is_regex:
        return re.compile(re.escape(text))
    pieces = _NESTED.split(text)  # literal, expression, literal, …
    source = "".join(
        f"(?:{piece})" if index % 2 else re.escape(piece) for index, piece in enumerate(pieces)
    )
    try:
        return re.compile(source)
    except re.error as error:
        raise ParseError(
            f"the expression in expected-…-re does not compile: {error}",
            location=place,
            found=text,
        ) from None


def check(text: str, name: str, met: Sequence[Diagnostic], level: str) -> list[WeftError]:
    """Return an error for each comment that nothing met, and for each unexpected report.

    Args: text: the part of the input, its lines numbered as in the file.  met: what was reported.
          level: "all", or "only-expected" to let unexpected reports pass.
    """
    try:
        expected = expectations(text, name)
    except ParseError as error:
        return [error]
    matched: set[int] = set()
    wrong: list[WeftError] = []
    for diagnostic in met:
        index = _match(diagnostic, expected, name)
        if index is not None:
            matched.add(index)
        elif level == "all":
            wrong.append(_unexpected(diagnostic, expected, name))
        matched.update(_notes(diagnostic, expected, name))
    wrong += [
        WeftError(
            f'expected {one.severity.value} "{one.text}" was not produced', location=one.place
        )
        for index, one in enumerate(expected)
        if index not in matched
    ]
    return wrong


def _match(diagnostic: Diagnostic, expected: Sequence[Expectation], name: str) -> int | None:
    candidates = _candidates(diagnostic.error.message, diagnostic.error, expected, name)
    return next((i for i in candidates if expected[i].severity is diagnostic.severity), None)


def _candidates(
    message: str, error: WeftError, expected: Sequence[Expectation], name: str
) -> Iterator[int]:
    """Yield the expectations whose line and text a message fits, whatever their kind."""
    place = error.location
    line = place.line if place is not None and place.column else None
    if place is not None and place.file != name:
        return
    for index, one in enumerate(expected):
        if one.line == line and one.pattern.search(message):
            yield index


def _notes(diagnostic: Diagnostic, expected: Sequence[Expectation], name: str) -> Iterator[int]:
    """Yield the notes that the lines below an error's message meet: found, accepted, hint."""
    for line in str(diagnostic.error).split("\n  ")[1:]:
        for index in _candidates(line, diagnostic.error, expected, name):
            if expected[index].severity is Severity.NOTE:
                yield index


def _unexpected(diagnostic: Diagnostic, expected: Sequence[Expectation], name: str) -> WeftError:
    error, kind = diagnostic.error, diagnostic.severity.value
    near = next(_candidates(error.message, error, expected, name), None)
    if near is not None:
        other = expected[near]
        return WeftError(
            f"'{kind}' diagnostic emitted when expecting a '{other.severity.value}'",
            location=other.place,
        )
    return WeftError(
        f"unexpected {kind}: {error.message}",
        location=error.location,
        found=error.found,
        accepted=error.accepted,
        hint=error.hint,
    )
