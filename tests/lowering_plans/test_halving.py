"""The number of halving steps: none where butterflies cost no more."""

from __future__ import annotations

import pytest

from weft.lowering_plans.halving import choose_halving_steps


@pytest.mark.parametrize(
    ("rows", "steps", "parts", "words", "instructions", "waited_for", "folded"),
    [
        (1, 5, 4, 1, 1, False, 0),
        (2, 2, 1, 1, 1, False, 0),
        (4, 2, 1, 1, 1, False, 2),
        (4, 2, 1, 1, 1, True, 0),
        (8, 5, 1, 1, 1, True, 3),
        (8, 5, 4, 2, 7, True, 3),
        (4, 1, 8, 2, 7, False, 1),
        (64, 5, 1, 2, 1, True, 5),
        (8, 0, 4, 1, 1, False, 0),
    ],
)
def test_number_of_halving_steps(rows, steps, parts, words, instructions, waited_for, folded):
    actual = choose_halving_steps(rows, steps, parts, words, instructions, waited_for=waited_for)
    assert actual == folded
