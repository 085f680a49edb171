"""Parse encodings from the text that Triton prints.

`parse("#ttg.slice<{dim = 1, parent = #ttg.blocked<{…}>}>")` returns the encoding. `parse_prefix`
parses one in the middle of a longer text and returns where it ends, for a parser of IR. The text of
earlier releases of Triton is accepted too; see `weft.layouts.legacy_encodings`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from weft.errors import LayoutError, did_you_mean
from weft.layouts.encodings import ENCODINGS, Encoding
from weft.layouts.encodings.base import Value
from weft.layouts.legacy_encodings import DIALECTS, NAMES, modernize

__all__ = ["parse", "parse_prefix"]

_TOKEN = re.compile(
    r"\s*(?:(?P<hash>#[A-Za-z_][\w.$]*)|(?P<number>-?\d+)|(?P<word>[A-Za-z_]\w*)"
    r"|(?P<gap>:\+)|(?P<mark>[\[\]{}<>,=]))"
)
_ELEMENT_TYPE = re.compile(r"b?f\d+|i\d+")


def parse(text: str, aliases: Mapping[str, Encoding] | None = None) -> Encoding:
    """Parse an encoding.

    Args:
        text: an encoding such as "#ttg.blocked<{sizePerThread = [1], …}>".
        aliases: encodings by their name in the text, such as "#blocked".

    Raises:
        LayoutError: the text is malformed; the message has the place in the text.
    """
    encoding, end = parse_prefix(text, 0, aliases)
    if text[end:].strip():
        raise LayoutError(
            f"nothing may follow an encoding, at character {end + 1}", found=text[end:].strip()
        )
    return encoding


def parse_prefix(
    text: str, start: int = 0, aliases: Mapping[str, Encoding] | None = None
) -> tuple[Encoding, int]:
    """Parse the encoding that begins at `start`.

    Returns:
        The encoding, and the index after its last character.

    Raises:
        LayoutError: as of `parse`.
    """
    parser = _Parser(text, start, {} if aliases is None else aliases)
    return parser.encoding(), parser.position


class _Parser:
    """A recursive-descent parser with one token of lookahead.

    Attributes:
        text: the text.
        position: the index of the next character.
        aliases: encodings by name.
    """

    def __init__(self, text: str, position: int, aliases: Mapping[str, Encoding]) -> None:
        self.text = text
        self.position = position
        self.aliases = aliases

    def peek(self) -> tuple[str, str, int]:
        """Return (kind, text, end) of the next token; the kind is "end" if there is none."""
        match = _TOKEN.match(self.text, self.position)
        if match is None or match.lastgroup is None:
            return "end", self.text[self.position : self.position + 12].strip(), self.position
        return match.lastgroup, match.group(match.lastgroup), match.end()

    def next(self) -> tuple[str, str]:
        """Consume the next token and return (kind, text)."""
        kind, word, end = self.peek()
        self.position = end
        return kind, word

    def accept(self, mark: str) -> bool:
        """Consume the next token if it is `mark`, and return whether it was."""
        _, word, end = self.peek()
        # At the end of the text `peek` returns what follows as the word, and consumes nothing.
        if word == mark and end != self.position:
            self.position = end
            return True
        return False

    def expect(self, mark: str) -> None:
        """Consume `mark`, or raise an error."""
        if not self.accept(mark):
            raise self.error(f"expected {mark!r}")

    def error(self, message: str) -> LayoutError:
        """Return an error with the place in the text."""
        _, word, _ = self.peek()
        return LayoutError(
            f"{message} at character {self.position + 1} of the encoding's text",
            found=word or "the end of the text",
        )

    def encoding(self) -> Encoding:
        """Parse `#dialect.name<…>` or an alias."""
        kind, word, end = self.peek()
        if kind != "hash":
            raise self.error("expected an encoding such as #ttg.blocked<{…}>")
        if word in self.aliases:
            self.position = end
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
        self.position = end
        # An unresolved encoding, such as #gluon.auto_encoding, has no parameters in the text.
        if cls.family == "unresolved":
            return cls.from_fields({})
        # Earlier releases use other names, keys and defaults; the fields may change the encoding.
        mnemonic, fields = modernize(name, self.body(mnemonic))
        return ENCODINGS[mnemonic].from_fields(fields)

    def body(self, mnemonic: str) -> dict[str, Value]:
        """Parse what is between the angle brackets: `{key = value, …}`, bare pairs, or both."""
        self.expect("<")
        fields = self.paddings() if mnemonic == "padded_shared" else {}
        if self.accept("{"):
            inner = self.pairs("}")
            if mnemonic == "shared_linear" and "alignment" in inner:
                raise self.error("alignment must be specified outside of the linear layout braces")
            fields |= inner
            if self.accept(","):
                fields |= self.pairs(">")
                return fields
            self.expect(">")
            return fields
        return fields | self.pairs(">")

    def paddings(self) -> dict[str, Value]:
        """Parse the [interval:+padding, …] of #ttg.padded_shared."""
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
        """Parse an integer."""
        if self.peek()[0] != "number":
            raise self.error("expected a number")
        return int(self.next()[1])

    def pairs(self, closing: str) -> dict[str, Value]:
        """Parse `key = value, …` and the closing mark."""
        pairs: dict[str, Value] = {}
        while not self.accept(closing):
            if pairs:  # no comma before the first
                self.expect(",")
            if self.peek()[0] != "word":
                raise self.error("expected a key")
            key = self.next()[1]
            if key in pairs:
                raise self.error(f"{key} is given twice")
            self.expect("=")
            pairs[key] = self.value()
        return pairs

    def value(self) -> Value:
        """Parse a number, a flag, an element type, an encoding, a list or a dictionary."""
        kind, word, _ = self.peek()
        if kind == "number":
            return self.number()
        if kind == "hash":
            return self.encoding()
        if word in ("true", "false"):
            self.next()
            return word == "true"
        if kind == "word" and _ELEMENT_TYPE.fullmatch(word):
            return self.next()[1]
        if self.accept("["):
            items: list[Value] = []
            while not self.accept("]"):
                if items:
                    self.expect(",")
                items.append(self.value())
            return items
        if self.accept("{"):
            return self.pairs("}")
        raise self.error("expected a value")
