"""`#ttg.shared_linear`: the vectors are the layout."""

from __future__ import annotations

import pytest

from weft.errors import LayoutError
from weft.layouts import SharedLinearEncoding


def test_the_vectors_are_the_layout() -> None:
    encoding = SharedLinearEncoding(((0, 1), (1, 1)), 16, ((2, 0),))
    assert encoding.rank == 2
    assert encoding.linear((4, 2)).bases == {"offset": [[0, 1], [1, 1]], "block": [[2, 0]]}


def test_it_has_one_shape() -> None:
    with pytest.raises(LayoutError, match="the shape must be the one that the basis vectors"):
        SharedLinearEncoding(((1,),), 16).linear((4,))
