"""Padded shared memory: gaps, sizes and refusals."""

from __future__ import annotations

import numpy as np
import pytest

from weft.errors import LayoutError
from weft.layouts import PaddedSharedEncoding

PADDED = PaddedSharedEncoding.with_identity((16, 64), (4, 8), (8, 32), (1, 0))


def test_gaps_are_added_to_offsets() -> None:
    assert PADDED.linear((8, 32)).bases["offset"][:2] == [[0, 1], [0, 2]]
    assert [PADDED.padded(offset) for offset in (0, 15, 16, 63, 64)] == [0, 15, 20, 75, 88]
    offsets = PADDED.padded(np.arange(256))
    assert len(set(offsets.tolist())) == 256
    assert PADDED.allocated == offsets.max() + 1


def test_a_run_ends_at_an_interval_or_is_misaligned_by_a_padding() -> None:
    assert PADDED.longest_run == 4
    assert PaddedSharedEncoding.with_identity((4,), (8,), (16,), (0,)).longest_run == 4


def test_the_shape_follows_from_the_vectors() -> None:
    assert PADDED.shape == (8, 32)
    split = PaddedSharedEncoding((8,), (4,), ((0, 1), (0, 2)), ((1, 0),), 2)
    assert split.shape == (2, 4)
    assert split.linear((2, 4)).bases == {"offset": [[0, 1], [0, 2]], "block": [[1, 0]]}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: PaddedSharedEncoding.with_identity((8,), (), (4,), (0,)),
            "needs one padding for each interval",
        ),
        (
            lambda: PaddedSharedEncoding.with_identity((), (), (4,), (0,)),
            "needs one padding for each interval",
        ),
        (
            lambda: PaddedSharedEncoding.with_identity((8,), (4,), (4, 4), (0,)),
            "Mismatch of shape and order ranks in padded layout",
        ),
        (
            lambda: PADDED.linear((16, 32)),
            "#ttg.padded_shared: the shape must be the one that the basis vectors describe",
        ),
    ],
)
def test_refuses(make, message: str) -> None:
    with pytest.raises(LayoutError) as caught:
        make()
    assert message in str(caught.value)
