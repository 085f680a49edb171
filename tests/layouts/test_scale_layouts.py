"""Scales in registers: by hand and beside Triton."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.layouts.strategies import cga_vectors, powers, split_vectors
from weft.errors import LayoutError
from weft.layouts.scale_layouts import mfma_scale, mma_scale, wmma_scale

scale_shapes = st.tuples(st.integers(3, 8), st.integers(0, 6)).map(lambda s: (1 << s[0], 1 << s[1]))
pairs = st.tuples(powers(2), powers(2))


def test_mfma_by_hand() -> None:
    """Lane l of a 16x16 instruction has the scale of row l % 16 and of K group l // 16."""
    layout = mfma_scale((16, 4), 0, 16, (1, 1), (1, 1))
    for lane in (0, 5, 16, 63):
        place = layout.apply({"register": 0, "lane": lane, "warp": 0, "block": 0})
        assert place == {"dim0": lane % 16, "dim1": lane // 16}


@pytest.mark.parametrize(
    ("shape", "op_idx", "warps", "registers", "warp"),
    [
        ((128, 4), 0, (2, 2), [[0, 1], [0, 2], [32, 0], [64, 0]], [[0, 0], [16, 0]]),
        ((128, 8), 1, (1, 4), [[0, 1], [0, 2], [0, 4], [32, 0], [64, 0]], [[8, 0], [16, 0]]),
        ((64, 2), 1, (2, 4), [[0, 1], [32, 0]], [[8, 0], [16, 0], [0, 0]]),
        ((16, 4), 0, (2, 2), [[0, 1], [0, 2]], [[0, 0], [0, 0]]),
    ],
)
def test_sm120_as_triton_prints(shape, op_idx, warps, registers, warp) -> None:
    """What Triton 3.7.1 writes into the TTGIR of a scaled dot for sm_120."""
    bases = mma_scale(shape, op_idx, warps).bases
    assert bases["register"] == registers
    assert bases["warp"] == warp
    upper = [8, 0] if op_idx == 0 else [0, 0]
    assert bases["lane"] == [upper, [0, 0], [1, 0], [2, 0], [4, 0]]


@given(scale_shapes, st.integers(0, 1), pairs)
def test_every_scale_is_held(shape, op_idx, warps) -> None:
    assert mfma_scale(shape, op_idx, 32, (1, 1), warps).is_surjective
    assert mma_scale(shape, op_idx, warps).is_surjective
    assert wmma_scale(shape, op_idx, (), ((0, 1), (1, 0))).is_surjective


@given(scale_shapes, st.integers(0, 1), pairs, cga_vectors(2, 2))
def test_each_block_of_a_cluster_holds_its_part(shape, op_idx, warps, cga) -> None:
    """Triton's functions know no clusters: a block's part is laid out as if it were alone."""
    counts = [1 << max((v[d].bit_length() for v in cga), default=0) for d in range(2)]
    part = tuple(max(1, size // count) for size, count in zip(shape, counts, strict=True))
    for make in (
        lambda shape, cga: mfma_scale(shape, op_idx, 32, (1, 1), warps, cga),
        lambda shape, cga: wmma_scale(shape, op_idx, (), ((0, 1), (1, 0)), cga),
        lambda shape, cga: mma_scale(shape, op_idx, warps, cga),
    ):
        whole, alone = make(shape, cga), make(part, ())
        assert whole.is_surjective
        for name in ("register", "lane", "warp"):
            assert whole.bases[name] == alone.bases[name]
        assert whole.bases["block"] == [
            [e * p if e < s else 0 for e, p, s in zip(v, part, shape, strict=True)] for v in cga
        ]


@pytest.mark.oracle
@given(
    scale_shapes,
    st.integers(0, 1),
    st.sampled_from([16, 32]),
    st.tuples(powers(1), powers(1)),
    pairs,
)
def test_mfma_as_triton(shape, op_idx, m_dim, tiles, warps) -> None:
    from tests.layouts import oracle

    gluon_ir = pytest.importorskip("triton._C.libtriton").gluon_ir
    theirs = oracle.named_bases(
        gluon_ir.get_amd_mfma_scale_layout(op_idx, list(shape), m_dim, list(tiles), list(warps))
    )
    assert mfma_scale(shape, op_idx, m_dim, tiles, warps).bases == theirs


@pytest.mark.oracle
@given(scale_shapes, st.integers(0, 1), split_vectors(2, 4), st.integers(0, 3))
def test_wmma_as_triton(shape, op_idx, vectors, cut) -> None:
    from tests.layouts import oracle

    gluon_ir = pytest.importorskip("triton._C.libtriton").gluon_ir
    register, warp = [[list(v) for v in part] for part in (vectors[:cut], vectors[cut:])]
    result = gluon_ir.get_amd_wmma_scale_layout(op_idx, list(shape), 16, register, warp)
    assert wmma_scale(shape, op_idx, register, warp).bases == oracle.named_bases(result)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: mma_scale((16, 4), 2, (1, 1)), "op_idx must be 0 or 1"),
        (lambda: mma_scale((16,), 0, (1, 1)), "scales must have 2 dimensions"),
        (lambda: mma_scale((16, 3), 0, (1, 1)), "dimension 1 of the shape must be a power of two"),
        (lambda: mfma_scale((16, 4), 0, 8, (1, 1), (1, 1)), "m_dim must be 16 or 32"),
        (lambda: mma_scale((16, 4), 0, (1, 1), [[2, 0]]), "the layout is not surjective"),
        (lambda: mma_scale((16, 4), 0, (1, 1), [[1]]), "a basis vector of block must have 2"),
    ],
)
def test_refuses(make, message: str) -> None:
    with pytest.raises(LayoutError) as caught:
        make()
    assert message in str(caught.value)
