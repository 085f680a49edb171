"""What is said of a text that cannot be read: the line, the column, a caret, near names.

xDSL tells of a mistake in several ways: its own errors carry a span, its attributes refuse a
value with whatever exception comes to hand. All of them become `weft.errors.ParseError`.
"""

from __future__ import annotations

from xdsl.utils.exceptions import MultipleSpansParseError, VerifyException
from xdsl.utils.exceptions import ParseError as XdslParseError

from weft.errors import LayoutError, Location, ParseError, WeftError

__all__ = ["REFUSALS", "mistake"]

REFUSALS = (
    XdslParseError,
    VerifyException,
    LayoutError,
    RecursionError,
    ValueError,
    TypeError,
    OverflowError,
    NotImplementedError,
)


def mistake(error: Exception, text: str, name: str, position: int) -> ParseError:
    """Return what to say of an exception that reading `text` ended in.

    Args: error: one of REFUSALS.  name: of the file.  position: the offset that was reached,
          for exceptions that do not know theirs.
    """
    message, start, end = _said(error, position)
    start = min(start, len(text))
    begin = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", start)
    source = text[begin : line_end if line_end >= 0 else len(text)]
    column = start - begin + 1
    width = max(min(end, begin + len(source)) - start, 1)
    line = text.count("\n", 0, start) + 1
    place = Location(name, line, column, column + width, source)
    if isinstance(error, WeftError):
        return ParseError(
            message,
            location=place,
            found=error.found,
            accepted=error.accepted,
            hint=error.hint,
        )
    return ParseError(message, location=place)


def _said(error: Exception, position: int) -> tuple[str, int, int]:
    """Return the message of an exception, and the span of the text that it is about."""
    if isinstance(error, RecursionError):
        return "regions or attributes are nested too deeply to be read", position, position
    if isinstance(error, MultipleSpansParseError) and "missing block" in error.msg and error.refs:
        span = error.refs[0][0]
        return f"block {span.text} is used but not defined", span.start, span.end
    if isinstance(error, XdslParseError):
        span = error.span
        if span is None:
            return error.msg.strip(), position, position
        message = error.msg.strip()
        if message.endswith("after {first_char}"):
            message = f"a name expected after {span.text[:1]}"
        return message, span.start, span.end
    message = error.message if isinstance(error, WeftError) else str(error)
    if isinstance(error, OverflowError):
        message = f"a number that is too large: {message}"
    return message, position, position
