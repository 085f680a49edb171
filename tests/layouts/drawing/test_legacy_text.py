"""The spelling of Triton before 3.2."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.layouts import oracle
from weft.errors import LayoutError
from weft.layouts import BlockedEncoding, NvmmaSharedEncoding, SwizzledSharedEncoding, parse
from weft.layouts.drawing.legacy_text import is_legacy, parse_legacy

BLOCKED = "sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]"
SHARED = "#triton_gpu.shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1,0]"


def test_is_legacy():
    assert is_legacy("#triton_gpu.blocked<{")
    assert is_legacy(" #shared<{vec=1")
    assert not is_legacy("#ttg.blocked<{")
    assert not is_legacy("BlockedEncoding(")


def test_blocked_differs_in_the_dialect_only():
    read = parse_legacy(f"#triton_gpu.blocked<{{{BLOCKED}}}>")
    assert read.encoding is parse(f"#ttg.blocked<{{{BLOCKED}}}>")
    assert read.text == f"#triton_gpu.blocked<{{{BLOCKED}}}>"


def test_shared_is_swizzled():
    read = parse_legacy(f"{SHARED}, hasLeadingOffset = false}}>")
    assert read.encoding is SwizzledSharedEncoding(2, 1, 4, (1, 0))
    assert read.text == (
        "#triton_gpu.shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0], "
        "hasLeadingOffset = false}>"
    )
    assert parse_legacy("#shared<{vec=2, perPhase=1, maxPhase=4, order=[1,0]}>") == parse_legacy(
        f"{SHARED}}}>"
    )


@pytest.mark.parametrize(("per_phase", "most"), [(1, 8), (2, 4), (4, 2)])
def test_a_leading_offset_is_nvmma(per_phase, most):
    read = parse_legacy(
        f"#triton_gpu.shared<{{vec = 8, perPhase = {per_phase}, maxPhase = {most}, "
        "order = [0, 1], hasLeadingOffset = true}>"
    )
    assert read.encoding is NvmmaSharedEncoding(16 * most, 16, transposed=True)


def test_parents_are_read_and_printed_in_the_same_spelling():
    text = f"#triton_gpu.slice<{{dim = 1, parent = #triton_gpu.blocked<{{{BLOCKED}}}>}}>"
    read = parse_legacy(text)
    assert read.text == text
    assert str(read.encoding).startswith("#ttg.slice<{dim = 1, parent = #ttg.blocked<{")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#triton_gpu.bloked<{}>", "unknown encoding #triton_gpu.bloked, at character 1"),
        ("#triton_gpu.bloked<{}>", "did you mean #triton_gpu.blocked"),
        ("#triton_gpu.shared<{vec 2}>", "expected '=' at character 25"),
        (f"{SHARED}}}> x", "nothing may follow an encoding at character"),
        (f"{SHARED}, vec = 1}}>", "vec is given twice"),
        ("#shared<{vec = x}>", "expected a value"),
        ("#shared<{= 1}>", "expected a name"),
        ("#triton_gpu.shared<{vec = 2}>", "perPhase is missing"),
        ("#shared<{vec = 2, hasLeadingOffset = true}>", "perPhase is missing"),
        (
            "#shared<{vec = 8, perPhase = 1, maxPhase = 4, order = [1, 0], "
            "hasLeadingOffset = true}>",
            "found: vec = 8, perPhase = 1, maxPhase = 4",
        ),
        (
            f"#triton_gpu.blocked<{{{BLOCKED}, CTAsPerCGA = [2, 3]}}>",
            "must be powers of two, the second not above the first",
        ),
        (f"#triton_gpu.blocked<{{{BLOCKED}, CTAOrder = [1, 0]}}>", "have the same dimensions"),
    ],
)
def test_mistakes(text, message):
    with pytest.raises(LayoutError) as error:
        parse_legacy(text)
    assert message in str(error.value)


@pytest.mark.oracle
@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=3),
    st.data(),
)
def test_clusters_are_those_of_triton(bits, data):
    from triton._C.libtriton import gluon_ir

    blocks = [1 << (split + more) for split, more in bits]
    splits = [1 << split for split, _ in bits]
    rank = len(bits)
    order = data.draw(st.permutations(range(rank)))
    ones = [1] * rank
    read = parse_legacy(
        f"#triton_gpu.blocked<{{sizePerThread = {ones}, threadsPerWarp = {[32, *ones[1:]]}, "
        f"warpsPerCTA = {ones}, order = {list(range(rank))}, CTAsPerCGA = {blocks}, "
        f"CTASplitNum = {splits}, CTAOrder = {order}}}>"
    )
    oracle.builder()
    theirs = gluon_ir.make_cga_layout(blocks, splits, list(order))
    assert isinstance(read.encoding, BlockedEncoding)
    assert read.encoding.cga_layout == tuple(map(tuple, theirs))
