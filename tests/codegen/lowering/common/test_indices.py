"""Tensor indices per register: grouped input bits, and no index computed twice."""

from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import weft
import weft.language as tl
from tests.layouts.strategies import blocked, shapes
from weft.codegen import lower
from weft.codegen.llvm.writer import Writer
from weft.codegen.lowering.common.indices import ThreadIndices
from weft.codegen.lowering.common.linear_maps import apply_bases, terms_of
from weft.codegen.lowering.common.registers import constant_run_registers

LANES = 5
IMAGES = [0, 1, 2, 4, 8, 16, 32, 64, 128, 3, 5, 6, 12]


@weft.jit
def masked(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """Negate n numbers, and zero what follows."""
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + index, mask=index < n, other=0.0)
    tl.store(out_ptr + index, tl.where(index < n, -x, 0.0))


def text_of(divisor: str) -> str:
    compiled = weft.compile(
        masked, signature=f"*fp16:16, *fp16:16, i32{divisor}, 1024", target="cuda:90"
    )
    return lower(compiled.module("ttgir")).text


@pytest.mark.parametrize(("divisor", "compared"), [(":16", 1), ("", 8)])
def test_equal_indices_are_computed_once(divisor, compared):
    """With n a multiple of 16, one comparison serves all 8 numbers that a thread holds."""
    assert text_of(divisor).count("icmp slt i32") == compared


def test_adjacent_lane_and_warp_bits_are_grouped():
    text = text_of(":16")
    thread = re.search(r"(%\w+) = call i32 @llvm.nvvm.read.ptx.sreg.tid.x", text)
    assert thread
    assert f"shl nuw nsw i32 {thread[1]}, 3\n" in text


def evaluated(writer: Writer, values: dict[str, int], result: str) -> int:
    """Compute the few instructions that indices are made of."""
    known = dict(values)

    def read(name: str) -> int:
        return known[name] if name in known else int(name)

    verbs = {
        "and": lambda a, b: a & b,
        "shl": lambda a, b: a << b,
        "lshr": lambda a, b: a >> b,
        "mul": lambda a, b: a * b,
        "xor": lambda a, b: a ^ b,
    }
    for line in map(str, writer.lines):
        name, _, rest = line.strip().partition(" = ")
        verb, *_, a, b = rest.replace(",", "").split()
        if "disjoint" in rest:
            assert read(a) & read(b) == 0, line
            known[name] = read(a) | read(b)
        else:
            known[name] = verbs[verb](read(a), read(b))
    return read(result)


@given(
    st.lists(
        st.sampled_from([0, 1, 2, 4, 8, 16, 32, 64, 128, 3, 5, 6, 12]), min_size=LANES, max_size=8
    ),
    st.integers(0, 255),
)
def test_offset_is_the_xor_of_basis_images(bases, thread):
    """Bits that run from lane to warp are taken from the thread's index.

    Images that double but overlap, such as 3, 6 and 12, are no multiple of the index.
    """
    bits = len(bases)
    thread %= 1 << bits
    writer = Writer()
    ids = {"lane": ("%lane", LANES), "warp": ("%warp", bits - LANES), "block": ("0", 0)}
    threads = ThreadIndices(writer, ids, "%thread", "@shared")
    offset, mask = threads.offset(bases[:LANES], bases[LANES:])
    values = {"%thread": thread, "%lane": thread % (1 << LANES), "%warp": thread >> LANES}
    expected = 0
    for bit, image in enumerate(bases):
        expected ^= image * (thread >> bit & 1)
    actual = evaluated(writer, values, offset)
    assert actual == expected
    assert actual & ~mask == 0
    both = ((1 << LANES) - 1, (1 << bits) - (1 << LANES))
    terms = terms_of(tuple(bases), (1 << bits) - 1)
    crossing = any(all(piece.bits & some for some in both) for piece in terms)
    assert crossing == any("%thread" in str(line) for line in writer.lines)


@pytest.mark.parametrize(
    ("bases", "instructions"),
    [
        ((1, 2, 4), 0),
        ((8, 16, 32), 1),
        ((0, 2, 4), 1),
        ((0, 0, 1, 2), 1),
        ((8, 16, 32, 72, 144, 288), 3),  # a swizzle: shift, mask and xor
        ((3, 6), 2),  # images overlap: shift and xor, and not a multiplication
        ((9, 18, 36), 2),  # shift and or, or one product: many chips do both in one
        ((0x108, 0, 0), 2),
    ],
)
def test_basis_images_take_few_instructions(bases, instructions):
    writer = Writer()
    apply_bases(writer, "%n", len(bases), bases)
    assert len(writer.lines) == instructions


@given(st.data())
def test_equal_registers_are_grouped(data):
    rank = data.draw(st.integers(1, 2))
    layout = data.draw(blocked(rank, clusters=False)).linear(data.draw(shapes(rank)))
    constancy = tuple(1 << data.draw(st.integers(0, 4)) for _ in range(rank))
    firsts = constant_run_registers(layout, constancy)
    threads = product(*(range(dict(layout.in_dims)[name]) for name in ("lane", "warp", "block")))
    for lane, warp, block in list(threads)[:: data.draw(st.integers(1, 7))]:
        groups = [
            tuple(
                n // size
                for n, size in zip(
                    layout.apply(
                        {"register": register, "lane": lane, "warp": warp, "block": block}
                    ).values(),
                    constancy,
                    strict=True,
                )
            )
            for register in range(len(firsts))
        ]
        assert [groups[first] for first in firsts] == groups
