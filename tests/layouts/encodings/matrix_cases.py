"""Random encodings of matrix instructions, and checks that all of them share."""

from __future__ import annotations

from hypothesis import assume
from hypothesis import strategies as st

from tests.layouts.strategies import cga_vectors, powers, split_over, split_vectors
from weft.layouts import (
    AmdMfmaEncoding,
    AmdWmmaEncoding,
    DotOperandEncoding,
    Encoding,
    NvidiaMmaEncoding,
)

Case = tuple[Encoding, tuple[int, ...]]
KINDS = ("mma", "wgmma", "mfma", "wmma")


@st.composite
def results(draw: st.DrawFn, kinds: tuple[str, ...] = KINDS) -> Encoding:
    rank = draw(st.sampled_from([2, 2, 3]))
    warps = draw(split_over(draw(st.integers(0, 3)), rank))
    cga = draw(cga_vectors(rank, draw(st.integers(0, 1))))
    kind = draw(st.sampled_from(kinds))
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
        transposed = sides[:2] == (64, 4) or draw(st.booleans())
        return AmdMfmaEncoding(version, warps, sides, transposed, cga, tiles, width)
    version = draw(st.integers(1, 3))
    vectors = draw(split_vectors(2, draw(st.integers(1, 3))))
    cut = draw(st.integers(0, len(vectors) - 1))
    sides = (16, 16, 16) if version < 3 else (16, 16, draw(st.sampled_from([4, 32, 64])))
    cga = draw(cga_vectors(2, draw(st.integers(0, 1))))
    return AmdWmmaEncoding(version, draw(st.booleans()), vectors[cut:], vectors[:cut], cga, sides)


@st.composite
def result_cases(draw: st.DrawFn, kinds: tuple[str, ...] = KINDS) -> Case:
    """An encoding of a result, and a shape."""
    encoding = draw(results(kinds))
    shape = tuple(draw(powers(7)) for _ in range(2))
    return encoding, (draw(powers(2)), *shape) if encoding.rank == 3 else shape


def result_cases_of_triton(kinds: tuple[str, ...] = KINDS) -> st.SearchStrategy[Case]:
    """`result_cases`, without shapes for which Triton's WMMA layouts abort the process."""
    return result_cases(kinds).map(_with_whole_tiles)


def _with_whole_tiles(case: Case) -> Case:
    encoding, shape = case
    if not isinstance(encoding, AmdWmmaEncoding):
        return case
    *batch, rows, columns = shape
    return encoding, (*batch, *(size if size == 1 else max(size, 16) for size in (rows, columns)))


@st.composite
def operand_cases(draw: st.DrawFn, kinds: tuple[str, ...] = KINDS) -> Case:
    """An encoding of an operand, and a shape."""
    parent, shape = draw(result_cases(kinds))
    k_width = draw(st.sampled_from([8, 16]) if isinstance(parent, AmdWmmaEncoding) else powers(3))
    left_only = isinstance(parent, NvidiaMmaEncoding) and parent.version_major == 3
    op_idx = 0 if left_only else draw(st.integers(0, 1))
    return DotOperandEncoding(op_idx, parent, k_width), shape


def check_covers(case: Case) -> None:
    """Check that a layout holds every element, and steps along one dimension per bit."""
    encoding, shape = case
    layout = encoding.linear(shape)
    assert layout.is_surjective
    assert tuple(layout.out_dims.values()) == shape
    for vectors in layout.bases.values():
        assert all(sum(entry != 0 for entry in vector) <= 1 for vector in vectors)


def check_like_triton(case: Case) -> None:
    """Compare a layout with Triton's, where Triton has one."""
    from tests.layouts import oracle

    encoding, shape = case
    theirs = oracle.linear_or_none(encoding, shape)
    assume(theirs is not None)
    assert encoding.linear(shape).bases == theirs
