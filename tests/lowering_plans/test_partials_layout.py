"""Shared-memory order of partial results: a permutation, vectorized, without bank conflicts."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
import weft.language as tl
from weft.codegen import lower
from weft.lowering_plans.partials_layout import choose_partials_layout


def sums(images):
    """Return the xor of the images of every number's bits."""
    out = [0]
    for image in images:
        out += [number ^ image for number in out]
    return out


@st.composite
def numberings(draw):
    """Draw 2^n slots, their bits held by registers, lanes and warps, some mixed or repeated."""
    bits = draw(st.integers(1, 8))
    exchange = draw(st.integers(0, min(3, bits)))
    kinds = ("register", "lane", "warp")
    numbers: dict[str, list[int]] = {kind: [] for kind in kinds}
    numbers["warp"] += [1 << bit for bit in range(exchange)]
    others = [bit for bit in range(exchange, bits)]
    for bit in draw(st.permutations(others)):
        mixed = draw(st.integers(0, (1 << bits) - 1)) & ((1 << bit) - 1) & -(1 << exchange)
        numbers[draw(st.sampled_from(kinds))].append(1 << bit | mixed)
    for _ in range(draw(st.integers(0, 2))):
        repeated = draw(st.sampled_from([0, *(n for n in others and [1 << others[0]])]))
        numbers[draw(st.sampled_from(kinds))].append(repeated)
    return numbers, 1 << exchange, 1 << bits


@settings(deadline=None)
@given(numberings(), st.sampled_from([1, 2, 4, 16]))
def test_order_is_a_permutation(drawn, widest):
    numbers, parts, slots = drawn
    order = choose_partials_layout(numbers, parts, widest)
    kinds = ("register", "lane", "warp")
    names: dict[int, int] = {}
    for kind in kinds:
        for image, renamed in zip(sums(numbers[kind]), sums(order.numbers[kind]), strict=True):
            assert names.setdefault(image, renamed) == renamed
            assert 0 <= renamed < slots
    old, renamed = (
        [a ^ b ^ c for a in sums(x["register"]) for b in sums(x["lane"]) for c in sums(x["warp"])]
        for x in (numbers, order.numbers)
    )
    assert len(set(old)) == len(set(renamed)) == len(set(zip(old, renamed, strict=True)))
    assert [order.part(1 << n) for n in range(len(order.parts))] == [
        order.numbers["warp"][n] for n in range(len(order.parts))
    ]
    assert order.stored <= order.loaded <= widest
    threads = sums([*order.numbers["lane"], *order.numbers["warp"]])
    assert not any(one % order.stored for one in threads)
    assert not any((one & ~order.parts_mask) % order.loaded for one in threads)


def test_registers_before_lanes():
    numbers = {"register": [4, 8, 256], "lane": [16, 32, 64, 128, 0], "warp": [1, 2]}
    order = choose_partials_layout(numbers, 4, 4)
    assert order.numbers == {
        "register": (1, 2, 256),
        "lane": (4, 8, 16, 32, 0),
        "warp": (64, 128),
    }
    assert (order.stored, order.loaded, order.parts) == (4, 4, (6, 7))


def test_exchanging_warps_fill_the_vector():
    order = choose_partials_layout({"register": [4], "lane": [8, 16], "warp": [1, 2, 32]}, 4, 4)
    assert (order.stored, order.loaded, order.parts) == (2, 4, (1, 4))
    alone = choose_partials_layout({"register": [], "lane": [0], "warp": [1, 2]}, 4, 4)
    assert (alone.stored, alone.loaded, alone.parts) == (1, 4, (0, 1))


@weft.jit
def summed(x, out, rows: tl.constexpr, columns: tl.constexpr):
    at = tl.arange(0, rows)[:, None] * columns + tl.arange(0, columns)[None, :]
    tl.store(out + at, tl.cumsum(tl.load(x + at), 0))


@pytest.mark.parametrize(("kind", "stores"), [("fp32", 8), ("fp16", 4)])
def test_scan_of_many_columns_is_vectorized(kind, stores):
    compiled = weft.compile(
        summed, signature=f"*{kind}:16, *{kind}:16, 64, 64", target="cuda:90", num_warps=4
    )
    text = lower(compiled.module("ttgir")).text
    wide = re.findall(r"store <(\d) x \w+> \S+, ptr addrspace\(3\)", text)
    assert len(wide) == stores
    assert len(re.findall(r"load <\d x \w+>, ptr addrspace\(3\)", text)) == 4 * stores
