"""`--verify-diagnostics`: compare the diagnostics with the comments that expect them.

    // expected-error@below {{unknown operation}}        the next line without such a comment
    %0 = arith.adi %x, %x : i32
    // expected-error@above {{unknown}}                  the last line without such a comment
    %1 = tt.oops       // expected-error {{tt.oops}}     this line; @+2, @-1: relative
    // expected-error-re@+1 {{needs {{[0-9]+}} warps}}   {{…}} inside is a regular expression
    // expected-error@unknown {{…}}                      an error without a location

A comment matches a diagnostic of its kind on its line whose message contains its text. As in MLIR,
a comment may match several diagnostics, and a diagnostic matches one comment.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from weft.errors import Location, ParseError, WeftError
from weft.passes.diagnostics import Diagnostic, Severity

__all__ = ["check", "expectations"]


@dataclass(frozen=True, slots=True)
class Expectation:
    """A comment that expects a diagnostic.

    Attributes:
        severity: Kind of the diagnostic.
        line: Its line, from 1; None for a diagnostic without a location.
        text: The text of the comment.
        pattern: The text as a regular expression.
        location: Location of the comment.
    """

    severity: Severity
    line: int | None
    text: str
    pattern: re.Pattern[str]
    location: Location


_COMMENT = re.compile(
    r"expected-(error|warning|remark|note)(-re)? *(?:@([+-]\d+|above|below|unknown))? *"
    r"\{\{(.*)\}\}\s*$"
)
_INFERENCE = "failed to infer returned types: "
_NESTED = re.compile(r"\{\{(.*?)\}\}")


def expectations(text: str, name: str) -> tuple[Expectation, ...]:
    """Parse the comments of a text.

    Raises:
        ParseError: An invalid regular expression.
    """
    lines = text.split("\n")
    result: list[Expectation] = []
    for number, line in enumerate(lines, 1):
        match = _COMMENT.search(line)
        if match is None:
            continue
        location = Location(name, number, match.start() + 1, match.end() + 1, line)
        target = _target(match[3], number, lines)
        pattern = _pattern(match[4], bool(match[2]), location)
        result.append(Expectation(Severity(match[1]), target, match[4], pattern, location))
    return tuple(result)


def _target(offset: str | None, number: int, lines: Sequence[str]) -> int | None:
    """Compute the line that a comment on line `number` refers to."""
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


def _pattern(text: str, is_regex: bool, location: Location) -> re.Pattern[str]:
    if not is_regex:
        return re.compile(re.escape(text))
    pieces = _NESTED.split(text)  # alternately literals and expressions
    source = "".join(
        f"(?:{piece})" if index % 2 else re.escape(piece) for index, piece in enumerate(pieces)
    )
    try:
        return re.compile(source, re.DOTALL)  # as LLVM's regular expressions
    except re.error as error:
        raise ParseError(
            f"invalid regular expression in expected-…-re: {error}",
            location=location,
            found=text,
        ) from None


def check(text: str, name: str, diagnostics: Sequence[Diagnostic], level: str) -> list[WeftError]:
    """List an error for each comment without a diagnostic, and for each unexpected diagnostic.

    Args:
        text: A part of the input.
        name: Name of the input.
        diagnostics: The diagnostics of the part.
        level: "all", or "only-expected" to accept unexpected diagnostics.
    """
    try:
        expected = expectations(text, name)
    except ParseError as error:
        return [error]
    matched: set[int] = set()
    errors: list[WeftError] = []
    for diagnostic in diagnostics:
        index = _match(diagnostic, expected, name, matched)
        if index is not None:
            matched.add(index)
        elif level == "all" and diagnostic.severity is not Severity.NOTE:
            errors.append(_unexpected(diagnostic, expected, name))
        matched.update(_notes(diagnostic, expected, name))
        matched.update(_reasons(diagnostic, expected, name))
    errors += [
        WeftError(
            f'expected {one.severity.value} "{one.text}" was not produced', location=one.location
        )
        for index, one in enumerate(expected)
        if index not in matched
    ]
    return errors


def _match(
    diagnostic: Diagnostic, expected: Sequence[Expectation], name: str, matched: Container[int]
) -> int | None:
    """Find a comment that matches a diagnostic, one that matched no other if there is one."""
    found = _candidates(diagnostic.error.message, diagnostic.error, expected, name)
    candidates = [i for i in found if expected[i].severity is diagnostic.severity]
    return next((i for i in candidates if i not in matched), next(iter(candidates), None))


def _reasons(diagnostic: Diagnostic, expected: Sequence[Expectation], name: str) -> Iterator[int]:
    """Yield the comments that match why types cannot be inferred, which MLIR reports separately."""
    _, inference, reason = diagnostic.error.message.partition(_INFERENCE)
    if inference:
        for index in _candidates(reason, diagnostic.error, expected, name):
            if expected[index].severity is diagnostic.severity:
                yield index


def _candidates(
    message: str, error: WeftError, expected: Sequence[Expectation], name: str
) -> Iterator[int]:
    """Yield the comments of any kind whose line and text match a message."""
    location = error.location
    line = location.line if location is not None and location.column else None
    if location is not None and location.file != name:
        return
    for index, one in enumerate(expected):
        if one.line == line and one.pattern.search(message):
            yield index


def _notes(diagnostic: Diagnostic, expected: Sequence[Expectation], name: str) -> Iterator[int]:
    """Yield the notes that match the lines below an error's message: found, accepted, hint."""
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
            location=other.location,
        )
    return WeftError(
        f"unexpected {kind}: {error.message}",
        location=error.location,
        found=error.found,
        accepted=error.accepted,
        hint=error.hint,
    )
