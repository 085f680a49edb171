"""Sectors and lines of global memory, by hand and by brute force."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.layouts.strategies import encoded_shapes
from weft.errors import LayoutError
from weft.layouts import BlockedEncoding
from weft.layouts.coalescing import coalescing

WIDE = BlockedEncoding((1, 8), (8, 4), (4, 1), (1, 0))


def test_wide_rows_waste_nothing() -> None:
    report = coalescing(WIDE.linear((64, 32)), (64, 32), 16)
    assert (report.vector_bits, report.limited_by) == (128, "the widest instruction")
    assert (report.requests, report.sectors, report.efficiency) == (8, 128, 1.0)
    assert report.lines == 32


def test_a_column_takes_a_sector_for_each_element() -> None:
    tall = BlockedEncoding((1, 1), (32, 1), (1, 1), (0, 1))
    report = coalescing(tall.linear((32, 32)), (32, 32), 32)
    assert report.vector_bits == 128  # a lane holds a whole row
    assert report.worst_sectors == 32
    strided = coalescing(tall.linear((32, 1)), (32, 1), 32, strides=(64, 1))
    assert (strided.worst_sectors, strided.lines) == (32, 32)
    assert strided.efficiency == 4 / 32


def test_reasons_of_a_narrow_access() -> None:
    layout = WIDE.linear((64, 32))
    narrow = coalescing(layout, (64, 32), 16, alignment=4)
    assert (narrow.vector_bits, narrow.limited_by) == (32, "the alignment of 4 bytes")
    two = BlockedEncoding((1, 2), (8, 4), (4, 1), (1, 0)).linear((32, 8))
    assert coalescing(two, (32, 8), 16).limited_by == "the registers, which hold 2 neighbours"
    none = coalescing(layout, (64, 32), 16, strides=(64, 2))
    assert (none.vector_bits, none.limited_by) == (16, "no dimension is contiguous in memory")


@given(encoded_shapes())
def test_counts_by_brute_force(case) -> None:
    encoding, shape = case
    layout = encoding.linear(shape)
    report = coalescing(layout, shape, 32)
    expected = 1
    for size in shape:
        expected *= size
    assert (
        report.sectors >= report.ideal_sectors >= -(-expected * 4 // 32) // layout.in_size("block")
    )
    assert report.lines <= report.sectors
    assert 0 < report.efficiency <= 1
    assert report.worst_sectors * report.requests >= report.sectors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"element_bits": 4}, "an element must have 8, 16, 32 … bits"),
        ({"element_bits": 16, "alignment": 3}, "the alignment must be a power of two"),
        ({"element_bits": 16, "strides": (1,)}, "needs 2 strides"),
    ],
)
def test_refuses(arguments, message: str) -> None:
    with pytest.raises(LayoutError) as caught:
        coalescing(WIDE.linear((64, 32)), (64, 32), **arguments)
    assert message in str(caught.value)
    with pytest.raises(LayoutError, match="the layout must be of this shape"):
        coalescing(WIDE.linear((64, 32)), (32, 64), 16)
