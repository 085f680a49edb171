"""Check the launches of a test by the sanitizer.

def test_copy():
    y = weft.testing.unwritten(100)
    with weft.testing.sanitize():
        copy[(2,)](x, y, 100, BLOCK=64)     # SanitizerError, if it does what is not defined
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from weft.errors import SanitizerError
from weft.interpreter.sanitizer import Finding, Sanitizer, unwritten
from weft.launch.checking import check_launches

__all__ = ["Finding", "Sanitizer", "sanitize", "unwritten"]


@contextmanager
def sanitize(*, raises: bool = True) -> Iterator[Sanitizer]:
    """Check the launches on the CPU device in the block.

    Args:
        raises: Raise an error at the end of the block if there are findings.

    Yields:
        The sanitizer, whose `findings` list the errors.

    Raises:
        SanitizerError: There are findings; its notes are the reports.
    """
    sanitizer = Sanitizer()
    with check_launches(sanitizer):
        yield sanitizer
    if raises and sanitizer.findings:
        raise _error(sanitizer)


def _error(sanitizer: Sanitizer) -> SanitizerError:
    first, *others = sanitizer.findings
    error = SanitizerError(
        first.message,
        location=first.stack[0] if first.stack else None,
        found=f"{len(others) + 1} findings in {sanitizer.launches} launches",
    )
    error.callers.extend(first.stack[1:])
    for finding in sanitizer.findings:
        error.add_note(str(finding))
    return error
