"""What there is to compare at scale: every kind of question, and how both sides are asked."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable
from typing import Any

from tests.layouts.at_scale import banks, encodings, scales, vectors
from tests.layouts.at_scale.asking import ENDED, answers, bases
from weft.errors import LayoutError

__all__ = ["FAMILIES", "LEAST_ANSWERED", "Family", "Mismatch", "compare", "digest", "ours"]

# A family's comparison says nothing where Triton gives no answer to most of its questions.
LEAST_ANSWERED = 0.4


@dataclasses.dataclass(frozen=True, slots=True)
class Family:
    """Questions by number.

    count: how many make up the full comparison; the first tenth of them are in the digests.
    question: by number.  theirs: Triton's answer.  ours: weft's, None where the two do not count
    the same thing; it gets the part of Triton's answer that `hint` takes from it.
    """

    name: str
    count: int
    question: Callable[[int], Any]
    theirs: Callable[[Any], Any]
    ours: Callable[[Any, Any], Any]
    hint: Callable[[Any], Any] = lambda answer: None


@dataclasses.dataclass(frozen=True, slots=True)
class Mismatch:
    """A question that the two sides answer differently."""

    family: str
    number: int
    question: Any
    theirs: Any
    ours: Any


def _encoding(kind: str) -> Family:
    return Family(
        kind,
        950,
        lambda number: encodings.pair(kind, number),
        bases,
        lambda pair, _: pair[0].linear(pair[1]).bases,
    )


def _scale(kind: str) -> Family:
    return Family(
        kind,
        950,
        lambda number: scales.case(kind, number),
        scales.theirs,
        scales.ours,
        scales.hint,
    )


FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        *map(_encoding, encodings.KINDS),
        *map(_scale, scales.KINDS),
        Family(
            "operations", 20_000, vectors.case, vectors.theirs, lambda one, _: vectors.ours(one)
        ),
        Family("banks", 20_000, banks.case, banks.theirs, lambda one, _: banks.ours(one)),
    )
}


def ours(family: Family, question: Any, hint: Any) -> Any:
    """Return weft's answer as JSON keeps it, "refused" where it has none."""
    try:
        return json.loads(json.dumps(family.ours(question, hint)))
    except LayoutError:
        return "refused"


def compare(family: Family, count: int) -> tuple[int, list[Mismatch], dict[int, Any]]:
    """Ask both sides the first `count` questions.

    Returns: how many Triton answered; where weft says something else; Triton's answers by number.
    """
    questions = [family.question(number) for number in range(count)]
    found = answers(questions, family.theirs)
    answered, wrong = 0, []
    kept: dict[int, Any] = {}
    for number, (question, theirs) in enumerate(zip(questions, found, strict=True)):
        if isinstance(theirs, str) and theirs.startswith((ENDED, "error:")):
            continue
        made = ours(family, question, family.hint(theirs))
        if made is None:
            continue
        answered += 1
        kept[number] = theirs
        if made != theirs:
            wrong.append(Mismatch(family.name, number, question, theirs, made))
    return answered, wrong, kept


def digest(answer: Any) -> str:
    """Return a short word for an answer."""
    text = json.dumps(answer, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:10]
