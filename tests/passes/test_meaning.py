"""Whole pipelines keep what the examples compute: the IR is run after every pass of theirs."""

from __future__ import annotations

import pytest

from tests.oracle import meaning
from tests.oracle.corpus import CHIPS, EXAMPLES, is_for, kernels_of, name

# The first case of every example's kernels, each on a chip of its own.
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
def test_every_pass_keeps_what_is_computed(path, index, target):
    try:
        checked, wrong = meaning.check(path, index, target)
    except meaning.Unsuitable as problem:
        pytest.skip(f"not for random data: {problem}")
    assert checked > 10
    assert not wrong, str(wrong[0])
