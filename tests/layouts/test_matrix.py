"""Layouts of matrix instructions: by hand from the manuals, by law, and beside Triton."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.layouts.strategies import cga_vectors, powers, split_over
from weft.errors import LayoutError
from weft.layouts import (
    AmdMfmaEncoding,
    AmdWmmaEncoding,
    DotOperandEncoding,
    Encoding,
    NvidiaMmaEncoding,
)

Case = tuple[Encoding, tuple[int, ...]]
MMA = NvidiaMmaEncoding(2, 0, (1, 1), (16, 8))
MFMA = AmdMfmaEncoding(3, (1, 1), (32, 32, 8), is_transposed=False)


def test_mma_m16n8() -> None:
    """Lane 4r + c holds columns 2c, 2c + 1 of rows r and r + 8 (PTX: fragments of m16n8k16)."""
    layout = MMA.linear((16, 8))
    for lane in range(32):
        held = [
            tuple(layout.apply({"register": i, "lane": lane, "warp": 0, "block": 0}).values())
            for i in range(4)
        ]
        row, column = lane // 4, 2 * (lane % 4)
        assert held == [(row + up, column + i) for up in (0, 8) for i in (0, 1)]


def test_mfma_32x32() -> None:
    """Lane l holds column l % 32, four rows from 4 * (l // 32) of each eight (CDNA 3 ISA)."""
    layout = MFMA.linear((32, 32))
    for lane in (0, 5, 31, 32, 63):
        for i in range(16):
            place = layout.apply({"register": i, "lane": lane, "warp": 0, "block": 0})
            row = 8 * (i // 4) + 4 * (lane // 32) + i % 4
            assert place == {"dim0": row, "dim1": lane % 32}


def test_wmma_of_gfx12() -> None:
    """Lane l holds column l % 16, eight rows from 8 * (l // 16)."""
    layout = AmdWmmaEncoding(2, is_transposed=False, warp=()).linear((16, 16))
    for lane in (0, 7, 16, 31):
        for i in range(8):
            place = layout.apply({"register": i, "lane": lane, "warp": 0, "block": 0})
            assert place == {"dim0": 8 * (lane // 16) + i, "dim1": lane % 16}


@st.composite
def results(draw: st.DrawFn) -> Encoding:
    rank = draw(st.sampled_from([2, 2, 3]))
    warps = draw(split_over(draw(st.integers(0, 3)), rank))
    cga = draw(cga_vectors(rank, draw(st.integers(0, 1))))
    kind = draw(st.sampled_from(["mma", "wgmma", "mfma", "wmma"]))
    if kind == "mma":
        return NvidiaMmaEncoding(2, 0, warps, (16, 8) if rank == 2 else (1, 16, 8), cga)
    if kind == "wgmma":
        columns = draw(st.sampled_from([8, 16, 64, 256]))
        cga = draw(cga_vectors(2, draw(st.integers(0, 1))))
        return NvidiaMmaEncoding(3, 0, (4, draw(powers(1))), (16, columns, 16), cga)
    if kind == "mfma":
        tiles = (1,) * (rank - 2) + draw(split_over(draw(st.integers(0, 1)), 2))
        sides = draw(st.sampled_from([(32, 32, 8), (16, 16, 16), (64, 4, 64), (4, 64, 64)]))
        width = draw(st.sampled_from([32, 64])) if sides[:2] == (16, 16) else 32
        version = draw(st.integers(1, 4))
        turned = sides[:2] == (64, 4) or draw(st.booleans())
        return AmdMfmaEncoding(version, warps, sides, turned, cga, tiles, width)
    version = draw(st.integers(1, 3))
    vectors = draw(cga_vectors(2, draw(st.integers(1, 3))))
    assume(all(map(any, vectors)))
    cut = draw(st.integers(0, len(vectors) - 1))
    sides = (16, 16, 16) if version < 3 else (16, 16, draw(st.sampled_from([4, 32, 64])))
    cga = draw(cga_vectors(2, draw(st.integers(0, 1))))
    return AmdWmmaEncoding(version, draw(st.booleans()), vectors[cut:], vectors[:cut], cga, sides)


@st.composite
def cases(draw: st.DrawFn, *, operands: bool) -> Case:
    parent = draw(results())
    shape = tuple(draw(powers(7)) for _ in range(2))
    if parent.rank == 3:
        shape = (draw(powers(2)), *shape)
    if not operands:
        return parent, shape
    if isinstance(parent, AmdWmmaEncoding):
        width = draw(st.sampled_from([8, 16]))
    else:
        width = draw(powers(3))
    sided = isinstance(parent, NvidiaMmaEncoding) and parent.version_major == 3
    side = 0 if sided else draw(st.integers(0, 1))
    return DotOperandEncoding(side, parent, width), shape


@given(cases(operands=False))
def test_results_hold_every_element(case: Case) -> None:
    encoding, shape = case
    layout = encoding.linear(shape)
    assert layout.is_surjective
    assert tuple(layout.out_dims.values()) == shape
    entries = [[e for e in v if e] for vectors in layout.bases.values() for v in vectors]
    assert all(len(found) <= 1 for found in entries)


@given(cases(operands=True))
def test_operands_hold_every_element(case: Case) -> None:
    encoding, shape = case
    layout = encoding.linear(shape)
    assert layout.is_surjective
    assert tuple(layout.out_dims.values()) == shape


@given(cases(operands=True))
def test_warps_share_k(case: Case) -> None:
    encoding, shape = case
    assert isinstance(encoding, DotOperandEncoding)
    k = len(shape) - 1 - encoding.op_idx
    assert all(vector[k] == 0 for vector in encoding.linear(shape).bases["warp"])


def test_unknown_versions() -> None:
    old = NvidiaMmaEncoding(1, 0, (2, 2), (16, 8))
    with pytest.raises(LayoutError, match="nvidia_mma version 1 is not known"):
        old.linear((16, 16))
    with pytest.raises(LayoutError, match=r"dot_op of #ttg\.nvidia_mma is not known"):
        DotOperandEncoding(0, old).linear((16, 16))


def test_64x4_is_transposed() -> None:
    plain = AmdMfmaEncoding(3, (1, 1), (64, 4, 64), is_transposed=False)
    with pytest.raises(LayoutError, match="a result of 64x4 must be transposed"):
        plain.linear((64, 64))
    # Its operands are laid out all the same.
    assert DotOperandEncoding(0, plain, 4).linear((64, 64)).is_surjective


@pytest.mark.oracle
@given(st.booleans().flatmap(lambda operands: cases(operands=operands)))
def test_as_triton(case: Case) -> None:
    from tests.layouts import oracle

    encoding, shape = case
    theirs = oracle.linear_or_none(encoding, shape)
    assume(theirs is not None)
    assert encoding.linear(shape).bases == theirs
