"""Encodings as the printing tool of Triton before 3.2 was given them, and printed them again.

#triton_gpu.shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0], hasLeadingOffset = false}>

The dialect may be left out (`#shared<{…}>`), lists may stand in braces and commas may be missing,
as in the documentation of that time. `weft.layouts.legacy_encodings` translates the keys.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from weft.errors import LayoutError, did_you_mean
from weft.layouts.encodings import ENCODINGS, Encoding
from weft.layouts.encodings.base import value_text
from weft.layouts.legacy_encodings import NAMES, modernize

__all__ = ["LegacyEncoding", "is_legacy", "parse_legacy"]

_NAMES = ("blocked", "slice", "dot_op", "nvidia_mma", "amd_mfma", "amd_wmma", *NAMES)
_HEAD = re.compile(r"\s*#(?:triton_gpu\.)?(\w+)\s*<")
_TOKEN = re.compile(r"\s*(?:(#?[A-Za-z_][\w.]*)|(-?\d+)|([\[\]{}<>,=]))")
_CLOSING = {"[": "]", "{": "}"}


@dataclass(frozen=True, slots=True)
class LegacyEncoding:
    """An encoding of now, and the text that the tool of then printed of it."""

    encoding: Encoding
    text: str


def is_legacy(text: str) -> bool:
    """Return whether the text begins like an encoding of the older spelling."""
    return _HEAD.match(text) is not None


def parse_legacy(text: str) -> LegacyEncoding:
    """Read `#triton_gpu.blocked<{…}>` and its kind.

    Raises: LayoutError that says where the text stops making sense, or which name or key is not
    known.
    """
    reader = _Reader(text)
    found = reader.encoding()
    if reader.peek():
        raise reader.error("nothing may follow an encoding")
    return found


class _Reader:
    """Descend through the text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def peek(self) -> str:
        match = _TOKEN.match(self.text, self.at)
        return match[0].strip() if match else self.text[self.at :].strip()[:12]

    def accept(self, token: str) -> bool:
        match = _TOKEN.match(self.text, self.at)
        if match is None or match[0].strip() != token:
            return False
        self.at = match.end()
        return True

    def expect(self, token: str) -> None:
        if not self.accept(token):
            raise self.error(f"expected {token!r}")

    def error(self, message: str) -> LayoutError:
        rest = self.text[self.at :]
        place = self.at + len(rest) - len(rest.lstrip()) + 1
        return LayoutError(
            f"{message} at character {place} of the encoding's text",
            found=self.peek() or "the end of the text",
        )

    def word(self) -> str:
        match = _TOKEN.match(self.text, self.at)
        if match is None or match[1] is None:
            raise self.error("expected a name")
        self.at = match.end()
        return match[1]

    def encoding(self) -> LegacyEncoding:
        start = self.at
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
        fields: dict[str, Any] = {}
        while not self.accept("}"):
            key = self.word()
            if key in fields:
                raise self.error(f"{key} is given twice")
            self.expect("=")
            fields[key] = self.value()
            self.accept(",")
        self.expect(">")
        pairs = ", ".join(f"{key} = {_text(value)}" for key, value in fields.items())
        plain = {k: v.encoding if isinstance(v, LegacyEncoding) else v for k, v in fields.items()}
        mnemonic, modern_fields = modernize(name, plain)
        made = ENCODINGS[mnemonic].from_fields(modern_fields)
        return LegacyEncoding(made, f"#triton_gpu.{name}<{{{pairs}}}>")

    def value(self) -> Any:
        token = self.peek()
        if token.startswith("#"):
            return self.encoding()
        if token in ("true", "false"):
            return self.word() == "true"
        if token in _CLOSING:
            self.expect(token)
            items = []
            while not self.accept(_CLOSING[token]):
                items.append(self.value())
                self.accept(",")
            return tuple(items)
        if re.fullmatch(r"-?\d+", token):
            self.expect(token)
            return int(token)
        raise self.error("expected a value")


def _text(value: Any) -> str:
    return value.text if isinstance(value, LegacyEncoding) else value_text(value)
