"""Orders of registers and lanes, runs of a thread, and tiles turned in registers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from weft.layouts import BlockedEncoding, SliceEncoding
from weft.layouts.dimension_order import (
    contiguous_per_thread,
    dimension_order,
    memory_order,
    transposed_in_thread,
)

TALL = BlockedEncoding((4, 8), (8, 8), (2, 1), (1, 0))


def test_order_of_registers_then_of_the_rest():
    layout = TALL.linear((64, 64))
    assert dimension_order(layout) == (1, 0)
    assert dimension_order(layout, "lane") == (1, 0)
    assert dimension_order(layout, "warp", (1, 0)) == (0, 1)
    one = BlockedEncoding((1, 1), (4, 8), (2, 1), (0, 1)).linear((4, 8))
    assert dimension_order(one) == (1, 0)  # no register steps: the last dimension first
    assert dimension_order(one, default=(0, 1)) == (0, 1)


def test_order_in_memory_of_a_dimension_of_one_element():
    # Registers step along dimension 0 and lanes along 2. Dimension 1 comes last, as in registers.
    rows = BlockedEncoding((1, 1, 1), (1, 1, 64), (4, 1, 1), (2, 1, 0))
    assert memory_order(rows, (64, 1, 64)) == (2, 0, 1)


def test_neighbours_of_a_thread():
    assert contiguous_per_thread(TALL.linear((64, 64))) == (4, 8)
    assert contiguous_per_thread(TALL.linear((4, 8))) == (4, 8)
    # A register bit that repeats ends the count.
    assert contiguous_per_thread(TALL.linear((64, 4))) == (1, 4)
    assert contiguous_per_thread(SliceEncoding(0, TALL).linear((64,))) == (8,)


def test_a_turned_tile_steps_along_the_other_dimension_first():
    turned = transposed_in_thread(TALL, (64, 64))
    assert turned.register == ((1, 0), (2, 0), (0, 1), (0, 2), (0, 4))
    assert contiguous_per_thread(turned.linear((64, 64)))[0] == 4


@given(
    st.tuples(*[st.sampled_from((1, 2, 4))] * 2),
    st.sampled_from(((1, 0), (0, 1))),
)
def test_every_thread_keeps_its_elements(sizes, order):
    encoding = BlockedEncoding(sizes, (8, 8), (2, 1), order)
    before = encoding.linear((64, 64))
    after = transposed_in_thread(encoding, (64, 64)).linear((64, 64))
    assert sorted(before.images("register")) == sorted(after.images("register"))
    assert before.images("lane") == after.images("lane")
    assert before.images("warp") == after.images("warp")
