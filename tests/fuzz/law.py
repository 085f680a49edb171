"""Parser property: every text round-trips, or is rejected with a source location."""

from __future__ import annotations

from weft.errors import WeftError
from weft.ir.text import parse_module, print_module
from weft.ir.verifier import verify


def check(text: str) -> bool:
    """Read, check, print and read again any text; return whether it was good IR.

    Raises: AssertionError: the law does not hold.  Anything else: neither does it.
    """
    try:
        module = parse_module(text, "fuzzed")
        verify(module)
    except WeftError as error:
        _check_place(error, text)
        return False
    for locations in (False, True):
        printed = print_module(module, locations=locations)
        again = parse_module(printed, "printed")
        verify(again)
        assert print_module(again, locations=locations) == printed
    return True


def _check_place(error: WeftError, text: str) -> None:
    place = error.location
    if place is None or place.file != "fuzzed":
        # Where the text itself says where an operation comes from, that is its place.
        assert "loc" in text, f"no place: {error}"
        return
    lines = text.split("\n")
    assert 1 <= place.line <= len(lines), f"no such line: {error}"
    assert 1 <= place.column <= len(lines[place.line - 1]) + 1, f"no such column: {error}"
    assert str(error).startswith(f"{place}: error: ")
    assert error.message.strip()
