"""`#ttg.partitioned_shared`: its rules."""

from __future__ import annotations

import pytest

from weft.errors import LayoutError
from weft.layouts import PartitionedSharedEncoding, SwizzledSharedEncoding, parse

PIECE = SwizzledSharedEncoding(1, 1, 1, (1, 0))


def test_pieces():
    encoding = PartitionedSharedEncoding(2, 4, 1, PIECE)
    assert encoding.num_pieces == 8
    assert encoding.rank == 2


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ((3, 1, 0, PIECE), "numPartitions must be a power of 2 and greater than 0"),
        ((2, 0, 0, PIECE), "numGroups must be a power of 2 and greater than 0"),
        ((2, 1, 2, PIECE), r"partitionDim \(2\) must be less than the layout rank \(2\)"),
        (
            (
                2,
                1,
                0,
                parse(
                    "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], "
                    "order = [0]}>"
                ),
            ),
            "partitionLayout must be a SharedEncodingTrait",
        ),
    ],
)
def test_refused(fields, message):
    with pytest.raises(LayoutError, match=message):
        PartitionedSharedEncoding(*fields)


def test_no_linear_layout():
    with pytest.raises(LayoutError, match="has no linear layout"):
        PartitionedSharedEncoding(2, 1, 0, PIECE).linear((16, 16))
