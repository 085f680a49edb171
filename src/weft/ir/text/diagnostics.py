"""Parse errors: convert any exception of parsing into one with line, column and a caret.

xDSL reports errors in several ways: its parser's errors have a span, its attributes raise ordinary
exceptions. All of them become a `weft.errors.ParseError`.
"""

from __future__ import annotations

from xdsl.utils.exceptions import MultipleSpansParseError, VerifyException
from xdsl.utils.exceptions import ParseError as XdslParseError

from weft.errors import LayoutError, Location, ParseError, WeftError

__all__ = ["PARSE_EXCEPTIONS", "parse_error"]

PARSE_EXCEPTIONS = (
    XdslParseError,
    VerifyException,
    LayoutError,
    RecursionError,
    ValueError,
    TypeError,
    OverflowError,
    NotImplementedError,
)


def parse_error(error: Exception, text: str, name: str, position: int) -> ParseError:
    """Convert an exception of parsing.

    Args:
        error: One of `PARSE_EXCEPTIONS`.
        text: The text that was parsed.
        name: The name of its file.
        position: The offset that the parser has reached, for exceptions without a span.
    """
    message, start, end = _message_and_span(error, position)
    start = min(start, len(text))
    begin = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", start)
    source = text[begin : line_end if line_end >= 0 else len(text)]
    column = start - begin + 1
    width = max(min(end, begin + len(source)) - start, 1)
    line = text.count("\n", 0, start) + 1
    location = Location(name, line, column, column + width, source)
    if isinstance(error, WeftError):
        return ParseError(
            message,
            location=location,
            found=error.found,
            accepted=error.accepted,
            hint=error.hint,
        )
    return ParseError(message, location=location)


def _message_and_span(error: Exception, position: int) -> tuple[str, int, int]:
    """Get the message of an exception, and the start and end of the text it refers to."""
    if isinstance(error, RecursionError):
        return "regions or attributes are nested too deeply", position, position
    if isinstance(error, MultipleSpansParseError) and "missing block" in error.msg and error.refs:
        span = error.refs[0][0]
        return f"reference to an undefined block {span.text}", span.start, span.end
    if isinstance(error, XdslParseError):
        span = error.span
        message = error.msg.strip()
        if message.endswith("after {first_char}"):
            message = f"expected a name after {span.text[:1]}"
        return message, span.start, span.end
    message = error.message if isinstance(error, WeftError) else str(error)
    if isinstance(error, OverflowError):
        message = f"number out of range: {message}"
    return message, position, position
