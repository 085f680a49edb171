"""Encodings in the spelling of the printing tool of Triton before 3.2, parsed and printed.

#triton_gpu.shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0], hasLeadingOffset = false}>

As in the documentation of that time, the dialect may be omitted (`#shared<{…}>`), lists may be in
braces, and commas may be missing. `weft.layouts.legacy_encodings` translates the keys.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct

from weft.errors import LayoutError, did_you_mean
from weft.layouts.encodings import ENCODINGS, Encoding
from weft.layouts.encodings.base import Value, value_text
from weft.layouts.legacy_encodings import NAMES, modernize

__all__ = ["LegacyEncoding", "is_legacy", "parse_legacy"]

_NAMES = ("blocked", "slice", "dot_op", "nvidia_mma", "amd_mfma", "amd_wmma", *NAMES)
_START = re.compile(r"\s*#(?:triton_gpu\.)?(\w+)\s*<")
_TOKEN = re.compile(r"\s*(?:(#?[A-Za-z_][\w.]*)|(-?\d+)|([\[\]{}<>,=]))")
_CLOSING = {"[": "]", "{": "}"}


class LegacyEncoding(Struct, frozen=True):
    """An encoding in the legacy spelling.

    Attributes:
        encoding: the encoding of today.
        text: what the tool printed for it.
    """

    encoding: Encoding
    text: str


_Parsed: TypeAlias = "int | tuple[_Parsed, ...] | LegacyEncoding"


def is_legacy(text: str) -> bool:
    """Check whether the text begins like an encoding in the legacy spelling."""
    return _START.match(text) is not None


def parse_legacy(text: str) -> LegacyEncoding:
    """Parse `#triton_gpu.blocked<{…}>` or another encoding of that time.

    Raises:
        LayoutError: the text is malformed, with the place in it; or a name or key is unknown.
    """
    parser = _Parser(text)
    encoding = parser.encoding()
    if parser.peek():
        raise parser.error("nothing may follow an encoding")
    return encoding


class _Parser:
    """A recursive-descent parser.

    Attributes:
        text: the text.
        position: the index of the next character.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0

    def peek(self) -> str:
        """Return the next token, or the rest of the text if it is none."""
        match = _TOKEN.match(self.text, self.position)
        return match[0].strip() if match else self.text[self.position :].strip()[:12]

    def accept(self, token: str) -> bool:
        """Consume the next token if it is `token`, and return whether it was."""
        match = _TOKEN.match(self.text, self.position)
        if match is None or match[0].strip() != token:
            return False
        self.position = match.end()
        return True

    def expect(self, token: str) -> None:
        """Consume `token`, or raise an error."""
        if not self.accept(token):
            raise self.error(f"expected {token!r}")

    def error(self, message: str) -> LayoutError:
        """Return an error with the place in the text."""
        rest = self.text[self.position :]
        character = self.position + len(rest) - len(rest.lstrip()) + 1
        return LayoutError(
            f"{message} at character {character} of the encoding's text",
            found=self.peek() or "the end of the text",
        )

    def word(self) -> str:
        """Parse a name."""
        match = _TOKEN.match(self.text, self.position)
        if match is None or match[1] is None:
            raise self.error("expected a name")
        self.position = match.end()
        return match[1]

    def encoding(self) -> LegacyEncoding:
        """Parse `#name<{key = value, …}>`."""
        start = self.position
        word = self.word()
        name = word.removeprefix("#").removeprefix("triton_gpu.")
        if not word.startswith("#") or name not in _NAMES:
            known = [f"#triton_gpu.{each}" for each in _NAMES]
            raise LayoutError(
                f"unknown encoding {word}, at character {start + 1}",
                found=word,
                accepted=known,
                hint=did_you_mean(f"#triton_gpu.{name}", known),
            )
        self.expect("<")
        self.expect("{")
        fields: dict[str, _Parsed] = {}
        while not self.accept("}"):
            key = self.word()
            if key in fields:
                raise self.error(f"{key} is given twice")
            self.expect("=")
            fields[key] = self.value()
            self.accept(",")
        self.expect(">")
        mnemonic, modern_fields = modernize(name, _modern_values(fields))
        encoding = ENCODINGS[mnemonic].from_fields(modern_fields)
        pairs = ", ".join(f"{key} = {_text(value)}" for key, value in fields.items())
        return LegacyEncoding(encoding, f"#triton_gpu.{name}<{{{pairs}}}>")

    def value(self) -> _Parsed:
        """Parse an encoding, a flag, a list or a number."""
        token = self.peek()
        if token.startswith("#"):
            return self.encoding()
        if token in ("true", "false"):
            return self.word() == "true"
        if token in _CLOSING:
            self.expect(token)
            items: list[_Parsed] = []
            while not self.accept(_CLOSING[token]):
                items.append(self.value())
                self.accept(",")
            return tuple(items)
        if re.fullmatch(r"-?\d+", token):
            self.expect(token)
            return int(token)
        raise self.error("expected a value")


def _modern_values(fields: Mapping[str, _Parsed]) -> dict[str, Value]:
    return {key: _modern_value(value) for key, value in fields.items()}


def _modern_value(value: _Parsed) -> Value:
    if isinstance(value, LegacyEncoding):
        return value.encoding
    return tuple(map(_modern_value, value)) if isinstance(value, tuple) else value


def _text(value: _Parsed) -> str:
    if isinstance(value, LegacyEncoding):
        return value.text
    return value_text(_modern_value(value))
