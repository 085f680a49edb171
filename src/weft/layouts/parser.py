"""Read encodings from the text that Triton prints.

`parse("#ttg.slice<{dim = 1, parent = #ttg.blocked<{…}>}>")` gives the encoding; `parse_prefix`
reads one from the middle of a longer text and says where it ends, for a parser of IR to call. What
earlier releases printed is read as well: see `weft.layouts.legacy_encodings`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from weft.errors import LayoutError, did_you_mean
from weft.layouts.encodings import ENCODINGS, Encoding
from weft.layouts.legacy_encodings import DIALECTS, NAMES, modern

__all__ = ["parse", "parse_prefix"]

_TOKEN = re.compile(
    r"\s*(?:(?P<hash>#[A-Za-z_][\w.$]*)|(?P<number>-?\d+)|(?P<word>[A-Za-z_]\w*)"
    r"|(?P<gap>:\+)|(?P<mark>[\[\]{}<>,=]))"
)
_ELEMENT = re.compile(r"b?f\d+|i\d+")


def parse(text: str, aliases: Mapping[str, Encoding] | None = None) -> Encoding:
    """Return the encoding that `text` spells.

    Args: text: such as "#ttg.blocked<{sizePerThread = [1], …}>".  aliases: encodings by their
    name in the text, such as "#blocked".
    Raises: LayoutError with the place in the text where it stops making sense.
    """
    found, end = parse_prefix(text, 0, aliases)
    if text[end:].strip():
        raise LayoutError(
            f"nothing may follow an encoding, at character {end + 1}", found=text[end:].strip()
        )
    return found


def parse_prefix(
    text: str, start: int = 0, aliases: Mapping[str, Encoding] | None = None
) -> tuple[Encoding, int]:
    """Return the encoding that begins at `start`, and the index after its last character.

    Raises: LayoutError as `parse` does.
    """
    reader = _Reader(text, start, aliases or {})
    return reader.encoding(), reader.at


class _Reader:
    """Descend through the text, one token ahead."""

    def __init__(self, text: str, at: int, aliases: Mapping[str, Encoding]) -> None:
        self.text = text
        self.at = at
        self.aliases = aliases

    def peek(self) -> tuple[str, str, int]:
        """Return (kind, text, end) of the next token; kind "end" where none follows."""
        match = _TOKEN.match(self.text, self.at)
        if match is None or match.lastgroup is None:
            return "end", self.text[self.at : self.at + 12].strip(), self.at
        return match.lastgroup, match.group(match.lastgroup), match.end()

    def next(self) -> tuple[str, str]:
        kind, word, end = self.peek()
        self.at = end
        return kind, word

    def accept(self, mark: str) -> bool:
        _, word, end = self.peek()
        if word == mark and end != self.at:
            self.at = end
            return True
        return False

    def expect(self, mark: str) -> None:
        if not self.accept(mark):
            raise self.error(f"expected {mark!r}")

    def error(self, message: str) -> LayoutError:
        _, word, _ = self.peek()
        return LayoutError(
            f"{message} at character {self.at + 1} of the encoding's text",
            found=word or "the end of the text",
        )

    def encoding(self) -> Encoding:
        kind, word, end = self.peek()
        if kind != "hash":
            raise self.error("expected an encoding such as #ttg.blocked<{…}>")
        if word in self.aliases:
            self.at = end
            return self.aliases[word]
        dialect, _, name = word[1:].partition(".")
        mnemonic = NAMES.get(name, name)
        cls = ENCODINGS.get(mnemonic)
        if cls is None or cls.dialect != DIALECTS.get(dialect, dialect):
            known = [f"#{c.dialect}.{c.mnemonic}" for c in ENCODINGS.values()]
            raise LayoutError(
                f"unknown encoding {word}",
                found=word,
                accepted=(*known, *self.aliases),
                hint=did_you_mean(word, (*known, *self.aliases)),
            )
        self.at = end
        if cls.family == "unresolved":
            return cls.from_fields({})
        mnemonic, fields = modern(name, self.body(mnemonic))
        return ENCODINGS[mnemonic].from_fields(fields)

    def body(self, mnemonic: str) -> dict[str, Any]:
        self.expect("<")
        fields = self.gaps() if mnemonic == "padded_shared" else {}
        if self.accept("{"):
            fields |= self.pairs("}")
            if self.accept(","):
                fields |= self.pairs(">")
                return fields
            self.expect(">")
            return fields
        return fields | self.pairs(">")

    def gaps(self) -> dict[str, Any]:
        """Read the [interval:+padding, …] of a padded encoding."""
        intervals: list[int] = []
        paddings: list[int] = []
        self.expect("[")
        while True:
            intervals.append(self.number())
            if self.peek()[0] != "gap":
                raise self.error("expected ':+'")
            self.next()
            paddings.append(self.number())
            if not self.accept(","):
                break
        self.expect("]")
        return {"intervals": intervals, "paddings": paddings}

    def number(self) -> int:
        if self.peek()[0] != "number":
            raise self.error("expected a number")
        return int(self.next()[1])

    def pairs(self, closing: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while not self.accept(closing):
            if found:
                self.expect(",")
            if self.peek()[0] != "word":
                raise self.error("expected a key")
            key = self.next()[1]
            if key in found:
                raise self.error(f"{key} is given twice")
            self.expect("=")
            found[key] = self.value()
        return found

    def value(self) -> Any:
        kind, word, _ = self.peek()
        if kind == "number":
            return self.number()
        if kind == "hash":
            return self.encoding()
        if word in ("true", "false"):
            self.next()
            return word == "true"
        if kind == "word" and _ELEMENT.fullmatch(word):
            return self.next()[1]
        if self.accept("["):
            items: list[Any] = []
            while not self.accept("]"):
                if items:
                    self.expect(",")
                items.append(self.value())
            return items
        if self.accept("{"):
            return self.pairs("}")
        raise self.error("expected a value")
