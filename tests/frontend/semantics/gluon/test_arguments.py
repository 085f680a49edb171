"""Checks of the arguments of Gluon's builtins."""

from __future__ import annotations

import pytest

from weft.errors import TypeMismatchError
from weft.frontend.semantics.gluon.arguments import require_equal_ranks


@pytest.mark.parametrize(
    ("ranks", "message"),
    [
        ((0, 0, 0), "Expected 1 <= ndim <= 5 but got 0 dimensions"),
        ((6, 6, 6), "Expected 1 <= ndim <= 5 but got 6 dimensions"),
        ((2, 1, 2), "Expected 2 strides but got 1"),
        ((2, 2, 3), "Expected block_shape to have 2 dimensions but got 3"),
    ],
)
def test_tensor_descriptors_of_other_ranks(ranks, message):
    with pytest.raises(TypeMismatchError, match=f"error: {message}"):
        require_equal_ranks(*([1] * rank for rank in ranks))


@pytest.mark.parametrize("rank", [1, 5])
def test_the_ranks_of_tensor_descriptors(rank):
    require_equal_ranks([1] * rank, [1] * rank, [1] * rank)
