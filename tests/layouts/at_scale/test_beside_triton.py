"""Thousands of encodings, operations and bank conflicts, compared with Triton.

Digests of Triton's answers for a tenth of the cases are recorded: the default run compares every
fifth of these, the slow run all, and `make oracle` compares all cases with the wheel itself. A
failure prints the number of the case, from which `family.question(number)` generates it again.
"""

from __future__ import annotations

import json

import pytest

from tests.layouts.at_scale import digests, encodings
from tests.layouts.at_scale.families import FAMILIES, LEAST_ANSWERED, compare, digest, ours

families = pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.name)


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.slow)])
@families
def test_recorded_digests(family, step) -> None:
    recorded = digests.recorded()[family.name]
    assert len(recorded) == digests.tenth(family)
    wrong = []
    for number in range(0, len(recorded), step):
        word = recorded[number]
        if word == digests.NONE:
            continue
        hint, _, expected = word.rpartition(" ")
        question = family.question(number)
        found = ours(family, question, json.loads(hint) if hint else None)
        if digest(found) != expected:
            wrong.append((number, question, found))
    assert not wrong
    answered = sum(word != digests.NONE for word in recorded)
    assert answered >= LEAST_ANSWERED * len(recorded)


@pytest.mark.oracle
@families
def test_all(family) -> None:
    pytest.importorskip("triton")
    answered, wrong, answers = compare(family, family.count)
    assert not wrong
    assert answered >= LEAST_ANSWERED * family.count
    tenth = digests.tenth(family)
    assert digests.words(family, answers, tenth) == digests.recorded()[family.name]


def test_there_are_enough() -> None:
    """At least 20,000 pairs of an encoding and a shape, layouts, and tiles in banks."""
    scales = {"mfma_scale", "wmma_scale", "mma_scale"}
    pairs = [f.count for name, f in FAMILIES.items() if name in scales | set(encodings.KINDS)]
    assert sum(pairs) >= 20_000
    assert min(FAMILIES["operations"].count, FAMILIES["banks"].count) >= 20_000
    clusters = [
        pair.linear(shape).in_dims.get("block", 1)
        for kind in ("blocked", "slice", "amd_mfma", "swizzled_shared", "nvidia_mma v3")
        for pair, shape in (encodings.pair(kind, number) for number in range(100))
    ]
    assert {1, 2, 4} <= set(clusters)
