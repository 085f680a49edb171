"""Compare thousands of encodings, operations and bank conflicts with Triton.

Digests of Triton's answers for a tenth of the cases are recorded: the default run compares every
fifth of these, the slow run all, and `make oracle` compares all cases with the wheel itself. A
failure prints the number of the case, from which `comparison.question(number)` generates it again.
"""

from __future__ import annotations

import json

import pytest

from tests.layouts.triton_comparison import digests, random_encodings
from tests.layouts.triton_comparison.comparisons import (
    COMPARISONS,
    LEAST_ANSWERED,
    compare,
    digest,
    ours,
)

comparisons = pytest.mark.parametrize(
    "comparison", COMPARISONS.values(), ids=lambda comparison: comparison.name
)


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.slow)])
@comparisons
def test_recorded_digests(comparison, step) -> None:
    entries = digests.recorded()[comparison.name]
    assert len(entries) == digests.tenth(comparison)
    wrong = []
    for number in range(0, len(entries), step):
        entry = entries[number]
        if entry == digests.NONE:
            continue
        hint, _, expected = entry.rpartition(" ")
        question = comparison.question(number)
        answer = ours(comparison, question, json.loads(hint) if hint else None)
        if digest(answer) != expected:
            wrong.append((number, question, answer))
    assert not wrong
    answered = sum(entry != digests.NONE for entry in entries)
    assert answered >= LEAST_ANSWERED * len(entries)


@pytest.mark.oracle
@comparisons
def test_all(comparison) -> None:
    pytest.importorskip("triton")
    answered, wrong, answers = compare(comparison, comparison.count)
    assert not wrong
    assert answered >= LEAST_ANSWERED * comparison.count
    tenth = digests.tenth(comparison)
    assert digests.entries_of(comparison, answers, tenth) == digests.recorded()[comparison.name]


def test_the_number_of_cases() -> None:
    """At least 20,000 pairs of an encoding and a shape, layouts, and tiles in banks."""
    scales = {"mfma_scale", "wmma_scale", "mma_scale"}
    pairs = [
        f.count for name, f in COMPARISONS.items() if name in scales | set(random_encodings.KINDS)
    ]
    assert sum(pairs) >= 20_000
    assert min(COMPARISONS["operations"].count, COMPARISONS["banks"].count) >= 20_000
    clusters = [
        pair.linear(shape).in_dims.get("block", 1)
        for kind in ("blocked", "slice", "amd_mfma", "swizzled_shared", "nvidia_mma v3")
        for pair, shape in (random_encodings.pair(kind, number) for number in range(100))
    ]
    assert {1, 2, 4} <= set(clusters)
