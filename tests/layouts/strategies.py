"""Random layouts and encodings for hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

from weft.layouts import BlockedEncoding, LinearLayout
from weft.layouts.tile_builder import dimension_names


def powers(limit: int) -> st.SearchStrategy[int]:
    return st.integers(0, limit).map(lambda bit: 1 << bit)


@st.composite
def split_over(draw: st.DrawFn, bits: int, rank: int) -> tuple[int, ...]:
    """Deal 2^bits over the dimensions."""
    sizes = [1] * rank
    for _ in range(bits):
        sizes[draw(st.integers(0, rank - 1))] *= 2
    return tuple(sizes)


@st.composite
def cga_vectors(
    draw: st.DrawFn, rank: int, bits: int, *, copies: bool = True
) -> tuple[tuple[int, ...], ...]:
    used = [0] * rank
    vectors = []
    for _ in range(bits):
        dim = draw(st.integers(0, rank if copies else rank - 1))  # `rank`: the same part again
        vector = [0] * rank
        if dim < rank:
            vector[dim] = 1 << used[dim]
            used[dim] += 1
        vectors.append(tuple(vector))
    return tuple(vectors)


def split_vectors(rank: int, bits: int) -> st.SearchStrategy[tuple[tuple[int, ...], ...]]:
    """`cga_vectors` without copies: each block has a different part."""
    return cga_vectors(rank, bits, copies=False)


@st.composite
def blocked(draw: st.DrawFn, rank: int, *, clusters: bool = True) -> BlockedEncoding:
    order = tuple(draw(st.permutations(range(rank))))
    return BlockedEncoding(
        draw(split_over(draw(st.integers(0, 3)), rank)),
        draw(split_over(draw(st.integers(5, 6)), rank)),
        draw(split_over(draw(st.integers(0, 3)), rank)),
        order,
        draw(cga_vectors(rank, draw(st.integers(0, 2)))) if clusters else (),
    )


def shapes(rank: int, limit: int = 6) -> st.SearchStrategy[tuple[int, ...]]:
    return st.tuples(*(powers(limit) for _ in range(rank)))


@st.composite
def encoded_shapes(
    draw: st.DrawFn, least: int = 1, most: int = 3
) -> tuple[BlockedEncoding, tuple[int, ...]]:
    rank = draw(st.integers(least, most))
    return draw(blocked(rank)), draw(shapes(rank))


@st.composite
def layouts(draw: st.DrawFn, *, surjective: bool = False) -> LinearLayout:
    """Any linear layout: vectors are random, not only powers of two."""
    rank = draw(st.integers(1, 3))
    sizes = dict(
        zip(dimension_names(rank), draw(st.tuples(*(powers(3) for _ in range(rank)))), strict=True)
    )
    groups = {}
    for name in ("register", "lane", "warp"):
        count = draw(st.integers(0, 4))
        groups[name] = [
            tuple(draw(st.integers(0, size - 1)) for size in sizes.values()) for _ in range(count)
        ]
    if surjective:
        groups["block"] = [
            tuple(1 << bit if n == name else 0 for n in sizes)
            for name, size in sizes.items()
            for bit in range(size.bit_length() - 1)
        ]
    return LinearLayout.from_bases(groups, sizes, surjective=False)


@st.composite
def bijections(draw: st.DrawFn) -> LinearLayout:
    """A layout that permutes 2^n points."""
    bits = draw(st.integers(1, 6))
    columns: list[int] = []
    from weft.layouts import gf2

    for _ in range(bits):
        free = [v for v in range(1, 1 << bits) if gf2.rank([*columns, v]) == len(columns) + 1]
        columns.append(draw(st.sampled_from(free)))
    cut = draw(st.integers(0, bits))
    return LinearLayout(
        (("register", tuple(columns[:cut])), ("lane", tuple(columns[cut:]))), (("dim0", 1 << bits),)
    )
