"""Swizzles by phase: the formula, and Triton's layouts."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.layouts.strategies import powers, shapes
from weft.layouts import AmdRotatingSharedEncoding, SwizzledSharedEncoding


def test_the_table_of_the_docstring() -> None:
    layout = SwizzledSharedEncoding(2, 1, 4, (1, 0)).linear((4, 8))
    columns = [layout.apply({"offset": offset, "block": 0})["dim1"] for offset in range(32)]
    assert columns[8:16] == [2, 3, 0, 1, 6, 7, 4, 5]
    assert columns[16:24] == [4, 5, 6, 7, 0, 1, 2, 3]
    assert columns[24:] == [6, 7, 4, 5, 2, 3, 0, 1]


@given(powers(3), powers(3), powers(3), st.permutations(range(2)), shapes(2))
def test_swizzle_is_the_formula(
    vec: int, per_phase: int, max_phase: int, order: list[int], shape: tuple[int, ...]
) -> None:
    layout = SwizzledSharedEncoding(vec, per_phase, max_phase, tuple(order)).linear(shape)
    columns = shape[order[0]]
    for offset in range(0, math.prod(shape), 7):
        row, column = divmod(offset, columns)
        column ^= vec * (row // per_phase % max_phase) % columns
        point = {f"dim{order[0]}": column, f"dim{order[1]}": row}
        assert layout.apply({"offset": offset, "block": 0}) == point


@given(powers(3), powers(3), powers(3), shapes(2))
def test_rotation_is_the_formula(
    vec: int, per_phase: int, max_phase: int, shape: tuple[int, ...]
) -> None:
    layout = AmdRotatingSharedEncoding(vec, per_phase, max_phase, (1, 0)).linear(shape)
    for row in (1 << bit for bit in range(shape[0].bit_length() - 1)):
        step = row // per_phase
        phase = step % max_phase ^ step // max_phase % max_phase
        point = layout.apply({"offset": row * shape[1], "block": 0})
        assert point == {"dim0": row, "dim1": vec * phase % shape[1]}


@pytest.mark.oracle
@given(
    st.sampled_from([SwizzledSharedEncoding, AmdRotatingSharedEncoding]),
    st.tuples(powers(3), powers(3), powers(4)),
    st.permutations(range(2)),
    shapes(2),
)
def test_shared_as_triton(
    cls: type[SwizzledSharedEncoding | AmdRotatingSharedEncoding],
    numbers: tuple[int, int, int],
    order: list[int],
    shape: tuple[int, ...],
) -> None:
    from tests.layouts import oracle

    encoding = cls(*numbers, tuple(order))
    if math.prod(shape) > 1:
        assert encoding.linear(shape).bases["offset"] == oracle.shared_linear(encoding, shape)


def test_further_dimensions_and_one_dimension() -> None:
    encoding = SwizzledSharedEncoding(1, 1, 2, (2, 1, 0))
    assert encoding.linear((2, 2, 2)).bases["offset"] == [[0, 0, 1], [0, 1, 1], [1, 0, 0]]
    line = SwizzledSharedEncoding(4, 1, 8, (0,)).linear((8,))
    assert line.bases["offset"] == [[1], [2], [4]]


def test_a_rotation_is_of_the_whole_tensor() -> None:
    """CTAs that share the rows do not change the phase of a rotating swizzle."""
    numbers = (1, 1, 2, (1, 0), ((1, 0),))
    swizzled = SwizzledSharedEncoding(*numbers).linear((4, 2))
    assert swizzled.bases == {"offset": [[0, 1], [1, 1]], "block": [[2, 0]]}
    rotating = AmdRotatingSharedEncoding(*numbers).linear((4, 2))
    assert rotating.bases == {"offset": [[0, 1], [1, 1], [0, 1]], "block": [[2, 0]]}
