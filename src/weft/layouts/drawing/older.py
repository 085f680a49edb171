"""Encodings in the spelling of Triton before version 3.2, as its printing tool was given them.

#triton_gpu.shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0], hasLeadingOffset = false}>
    is  #ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0]}>
#triton_gpu.blocked<{…, CTAsPerCGA = [2, 1], CTASplitNum = [2, 1], CTAOrder = [1, 0]}>
    is  #ttg.blocked<{…, CGALayout = [[1, 0]]}>

The dialect may be left out (`#shared<{…}>`), lists may stand in braces and commas may be missing,
as in the documentation of that time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from weft.errors import LayoutError, did_you_mean
from weft.layouts.encodings import ENCODINGS, Encoding
from weft.layouts.encodings.base import value_text
from weft.layouts.encodings.checks import is_power_of_two

__all__ = ["OlderSpelling", "is_older", "read_older"]

# Names of then: the mnemonic of now. A leading offset makes a shared layout another encoding.
_NAMES = {
    "blocked": "blocked",
    "blocked_layout": "blocked",
    "slice": "slice",
    "dot_op": "dot_op",
    "nvidia_mma": "nvidia_mma",
    "shared": "swizzled_shared",
}
_HEAD = re.compile(r"\s*#(?:triton_gpu\.)?(\w+)\s*<")
_TOKEN = re.compile(r"\s*(?:(#?[A-Za-z_][\w.]*)|(-?\d+)|([\[\]{}<>,=]))")
_CLUSTER = ("CTAsPerCGA", "CTASplitNum", "CTAOrder")
_CLOSING = {"[": "]", "{": "}"}


@dataclass(frozen=True, slots=True)
class OlderSpelling:
    """An encoding of now, and the text that the tool of then printed of it."""

    encoding: Encoding
    text: str


def is_older(text: str) -> bool:
    """Return whether the text begins like an encoding of the older spelling."""
    return _HEAD.match(text) is not None


def read_older(text: str) -> OlderSpelling:
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

    def encoding(self) -> OlderSpelling:
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
        plain = {k: v.encoding if isinstance(v, OlderSpelling) else v for k, v in fields.items()}
        return OlderSpelling(_encoding(name, plain), f"#triton_gpu.{name}<{{{pairs}}}>")

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
    return value.text if isinstance(value, OlderSpelling) else value_text(value)


def _encoding(name: str, fields: dict[str, Any]) -> Encoding:
    """Build the encoding of now from keys of then."""
    cluster = {key: fields.pop(key) for key in _CLUSTER if key in fields}
    if cluster:
        fields["CGALayout"] = _cluster_vectors(cluster)
    mnemonic = _NAMES[name]
    if name == "shared" and fields.pop("hasLeadingOffset", False):
        mnemonic = "nvmma_shared"
        fields = _leading_offset(fields)
    return ENCODINGS[mnemonic].from_fields(fields)


def _cluster_vectors(fields: dict[str, Any]) -> tuple[tuple[int, ...], ...]:
    """Return basis vectors over the blocks: CTASplitNum apart, the others hold the same part."""
    blocks = fields.get("CTAsPerCGA", ())
    splits = fields.get("CTASplitNum", blocks)
    order = fields.get("CTAOrder", tuple(reversed(range(len(blocks)))))
    rank = len(blocks)
    if not rank or len(splits) != rank or sorted(order) != list(range(rank)):
        raise LayoutError(
            "CTAsPerCGA, CTASplitNum and CTAOrder must speak of the same dimensions",
            found=", ".join(f"{key} = {value_text(value)}" for key, value in fields.items()),
        )
    for count, split in zip(blocks, splits, strict=True):
        if not is_power_of_two(count) or not is_power_of_two(split) or split > count:
            raise LayoutError(
                "CTAsPerCGA and CTASplitNum must be powers of two, the second not above the first",
                found=f"{value_text(blocks)}, {value_text(splits)}",
            )
    vectors: list[tuple[int, ...]] = []
    for dim in order:
        bits, used = blocks[dim].bit_length() - 1, splits[dim].bit_length() - 1
        for bit in range(bits):
            step = 1 << bit if bit < used else 0
            vectors.append(tuple(step if d == dim else 0 for d in range(rank)))
    return tuple(vectors)


def _leading_offset(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the keys of nvmma_shared: 16-byte vectors, exchanged over 16 * maxPhase bytes."""
    keys = ("vec", "perPhase", "maxPhase", "order")
    for key in keys:
        if key not in fields:
            raise LayoutError(f"#triton_gpu.shared: {key} is missing", accepted=keys)
    vec, per_phase, most = fields["vec"], fields["perPhase"], fields["maxPhase"]
    order: Sequence[int] = fields["order"]
    if per_phase * most != 8 or vec not in (1, 2, 4, 8, 16) or len(order) != 2:
        raise LayoutError(
            "#triton_gpu.shared with a leading offset exchanges vectors of 16 bytes over 8 rows",
            found=f"vec = {vec}, perPhase = {per_phase}, maxPhase = {most}",
            accepted=["vec = 128 / element bits, perPhase * maxPhase = 8"],
        )
    made = {
        "swizzlingByteWidth": 16 * most,
        "transposed": tuple(order) == (0, 1),
        "elementBitWidth": 128 // vec,
    }
    return made | {key: value for key, value in fields.items() if key not in keys}
