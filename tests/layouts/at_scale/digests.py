"""Triton's answers to the first tenth of every family's questions, as short words in a file.

    python -m tests.layouts.at_scale.digests      # asks the wheel and writes them anew

A word is the digest of an answer, behind a hint where weft needs one, or "-" where Triton gave
none. The full comparison holds the file against the wheel, so that it cannot fall behind.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.layouts.at_scale.families import FAMILIES, Family, compare, digest

__all__ = ["recorded", "tenth", "word", "words"]

FILE = Path(__file__).with_suffix(".json")
NONE = "-"


def tenth(family: Family) -> int:
    """Return how many of a family's questions are in the file."""
    return family.count // 10


def word(family: Family, answer: Any) -> str:
    """Return the word for an answer of Triton's."""
    hint = family.hint(answer)
    return digest(answer) if hint is None else f"{json.dumps(hint)} {digest(answer)}"


def words(family: Family, answers: dict[int, Any], count: int) -> list[str]:
    """Return one word for each of the first questions."""
    return [word(family, answers[n]) if n in answers else NONE for n in range(count)]


def recorded() -> dict[str, list[str]]:
    """Return the file: words by family."""
    return {name: text.split(";") for name, text in json.loads(FILE.read_text()).items()}


def main() -> None:
    """Write the file."""
    found = {}
    for family in FAMILIES.values():
        count = tenth(family)
        answered, wrong, answers = compare(family, count)
        print(f"{family.name}: {answered} of {count} answered, {len(wrong)} differ")
        found[family.name] = ";".join(words(family, answers, count))
    FILE.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
