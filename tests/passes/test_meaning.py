"""Pipelines preserve values: the interpreter runs the examples after every pass."""

from __future__ import annotations

import pytest

from tests.oracle import meaning
from tests.oracle.corpus import CHIPS, EXAMPLES, is_for, kernels_of, name

# The first case of every kernel of the examples; the chips take turns.
FIRST = tuple(
    (path, index)
    for path, index in EXAMPLES
    if kernels_of(path).index(kernels_of(path)[index]) == index
)
COMPILES = tuple(
    (path, index, chips[number * 3 % len(chips)])
    for number, (path, index) in enumerate(FIRST)
    for chips in [[chip for chip in CHIPS if is_for(path, index, chip)]]
)


@pytest.mark.parametrize(("path", "index", "target"), COMPILES, ids=[name(*c) for c in COMPILES])
def test_every_pass_preserves_values(path, index, target):
    try:
        checked, errors = meaning.check(path, index, target)
    except meaning.Unsuitable as problem:
        pytest.skip(f"not for random data: {problem}")
    assert checked > 10
    assert not errors, str(errors[0])
