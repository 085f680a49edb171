"""Triton's answers to the first tenth of every comparison's questions, as digests in a file.

    python -m tests.layouts.triton_comparison.digests      # asks the wheel and rewrites the file

An entry is the digest of an answer, preceded by a hint if weft needs one, or "-" if Triton gave no
answer. `make oracle` compares the file with the wheel.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.layouts.triton_comparison.comparisons import COMPARISONS, Comparison, compare, digest

__all__ = ["entries_of", "entry", "recorded", "tenth"]

FILE = Path(__file__).with_suffix(".json")
NONE = "-"


def tenth(comparison: Comparison) -> int:
    """Count the questions of a comparison that are in the file."""
    return comparison.count // 10


def entry(comparison: Comparison, answer: Any) -> str:
    """Write the entry of one of Triton's answers."""
    hint = comparison.hint(answer)
    return digest(answer) if hint is None else f"{json.dumps(hint)} {digest(answer)}"


def entries_of(comparison: Comparison, answers: dict[int, Any], count: int) -> list[str]:
    """Write the entries of the first questions."""
    return [entry(comparison, answers[n]) if n in answers else NONE for n in range(count)]


def recorded() -> dict[str, list[str]]:
    """Read the file: entries by comparison."""
    return {name: text.split(";") for name, text in json.loads(FILE.read_text()).items()}


def main() -> None:
    """Write the file."""
    entries = {}
    for comparison in COMPARISONS.values():
        count = tenth(comparison)
        answered, wrong, answers = compare(comparison, count)
        print(f"{comparison.name}: {answered} of {count} answered, {len(wrong)} differ")
        entries[comparison.name] = ";".join(entries_of(comparison, answers, count))
    FILE.write_text(json.dumps(entries, indent=1) + "\n")


if __name__ == "__main__":
    main()
