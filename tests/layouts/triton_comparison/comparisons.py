"""The comparisons of layouts with Triton: their cases, and how each side computes the answer."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable
from typing import Any

from tests.layouts.triton_comparison import (
    bank_conflicts,
    random_encodings,
    random_layouts,
    scales,
)
from tests.layouts.triton_comparison.forked_queries import ENDED, answers, bases
from weft.errors import LayoutError

__all__ = ["COMPARISONS", "LEAST_ANSWERED", "Comparison", "Mismatch", "compare", "digest", "ours"]

# A comparison is useless if Triton answers few of its questions.
LEAST_ANSWERED = 0.4


@dataclasses.dataclass(frozen=True, slots=True)
class Comparison:
    """Questions by number, and the answer of each side.

    Attributes:
        name: The name of the comparison.
        count: The number of questions; the digests hold the first tenth of them.
        question: Generates a question from its number.
        theirs: Asks Triton.
        ours: Asks weft, given the hint; None where the two define the answer differently.
        hint: Extracts the part of Triton's answer that weft needs, None if it needs nothing.
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

    comparison: str
    number: int
    question: Any
    theirs: Any
    ours: Any


def _encoding(kind: str) -> Comparison:
    return Comparison(
        kind,
        950,
        lambda number: random_encodings.pair(kind, number),
        bases,
        lambda pair, _: pair[0].linear(pair[1]).bases,
    )


def _scale(kind: str) -> Comparison:
    return Comparison(
        kind,
        950,
        lambda number: scales.case(kind, number),
        scales.theirs,
        scales.ours,
        scales.hint,
    )


COMPARISONS: dict[str, Comparison] = {
    comparison.name: comparison
    for comparison in (
        *map(_encoding, random_encodings.KINDS),
        *map(_scale, scales.KINDS),
        Comparison(
            "operations",
            20_000,
            random_layouts.case,
            random_layouts.theirs,
            lambda one, _: random_layouts.ours(one),
        ),
        Comparison(
            "banks",
            20_000,
            bank_conflicts.case,
            bank_conflicts.theirs,
            lambda one, _: bank_conflicts.ours(one),
        ),
    )
}


def ours(comparison: Comparison, question: Any, hint: Any) -> Any:
    """Compute weft's answer as JSON represents it, "refused" where it raises an error."""
    try:
        return json.loads(json.dumps(comparison.ours(question, hint)))
    except LayoutError:
        return "refused"


def compare(comparison: Comparison, count: int) -> tuple[int, list[Mismatch], dict[int, Any]]:
    """Ask both sides the first `count` questions.

    Returns:
        The number of answers of Triton, the questions that weft answers differently, and Triton's
        answers by number.
    """
    questions = [comparison.question(number) for number in range(count)]
    responses = answers(questions, comparison.theirs)
    answered, wrong = 0, []
    recorded: dict[int, Any] = {}
    for number, (question, theirs) in enumerate(zip(questions, responses, strict=True)):
        if isinstance(theirs, str) and theirs.startswith((ENDED, "error:")):
            continue
        answer = ours(comparison, question, comparison.hint(theirs))
        if answer is None:
            continue
        answered += 1
        recorded[number] = theirs
        if answer != theirs:
            wrong.append(Mismatch(comparison.name, number, question, theirs, answer))
    return answered, wrong, recorded


def digest(answer: Any) -> str:
    """Compute the first ten hexadecimal digits of an answer's hash."""
    text = json.dumps(answer, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:10]
