"""The default encoding, by example, by law and beside Triton."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.layouts.strategies import powers, shapes
from weft.errors import LayoutError
from weft.layouts import BlockedEncoding, default_blocked

COUNTS = st.tuples(powers(4), st.sampled_from([32, 64]), powers(4))


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ((128,), BlockedEncoding((1,), (32,), (4,), (0,))),
        ((128, 32), BlockedEncoding((1, 1), (1, 32), (4, 1), (1, 0))),
        ((16, 16), BlockedEncoding((1, 1), (2, 16), (4, 1), (1, 0))),
        ((128, 1), BlockedEncoding((1, 1), (32, 1), (4, 1), (1, 0))),
        ((1, 1024), BlockedEncoding((1, 1), (1, 32), (1, 4), (1, 0))),
    ],
)
def test_examples(shape: tuple[int, ...], expected: BlockedEncoding) -> None:
    assert default_blocked(shape, 4, 32) is expected


def test_two_blocks_share_the_slowest_dimension() -> None:
    assert default_blocked((64, 32), 4, 32, 2).cga_layout == ((1, 0),)


@given(st.data(), COUNTS)
def test_every_thread_and_block_is_used(data: st.DataObject, counts: tuple[int, int, int]) -> None:
    warps, threads, blocks = counts
    shape = data.draw(shapes(data.draw(st.integers(1, 4))))
    encoding = default_blocked(shape, warps, threads, blocks)
    assert math.prod(encoding.threads_per_warp) == threads
    assert math.prod(encoding.warps_per_cta) == warps
    assert 1 << len(encoding.cga_layout) == blocks
    assert encoding.linear(shape).is_surjective


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (((48,), 4, 32), "dimension 0 of the shape must be a power of two"),
        (((32,), 3, 32), "num_warps must be a power of two"),
        (((32,), 4, 48), "threads_per_warp must be a power of two"),
        (((32,), 4, 32, 0), "num_ctas must be a power of two"),
        (([], 4, 32, 1), "a tensor of rank 0 has no blocked layout"),
    ],
)
def test_refuses(arguments: tuple, message: str) -> None:
    with pytest.raises(LayoutError) as caught:
        default_blocked(*arguments)
    assert message in str(caught.value)


@pytest.mark.oracle
@given(st.data(), COUNTS)
def test_as_triton(data: st.DataObject, counts: tuple[int, int, int]) -> None:
    from tests.layouts import oracle

    warps, threads, blocks = counts
    shape = data.draw(shapes(data.draw(st.integers(1, 4)), 5))
    assert oracle.default(shape, warps, threads, blocks) is default_blocked(
        shape, warps, threads, blocks
    )
