"""The views of whole encodings, each read by Triton from its text, beside Triton's own views."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.layouts import oracle
from tests.layouts.strategies import blocked, powers, shapes
from weft.layouts import (
    AmdMfmaEncoding,
    AmdRotatingSharedEncoding,
    AmdWmmaEncoding,
    DotOperandEncoding,
    Encoding,
    LinearEncoding,
    NvidiaMmaEncoding,
    NvmmaSharedEncoding,
    SharedLinearEncoding,
    SliceEncoding,
    SwizzledSharedEncoding,
)
from weft.layouts.drawing import hardware_view, tensor_view

Pair = tuple[Encoding, tuple[int, ...]]
GRIDS = [(1, 1), (2, 1), (1, 2), (2, 2), (4, 1), (1, 4)]
MMA_V3 = [
    NvidiaMmaEncoding(3, 0, warps, (16, n, 16)) for warps in ((4, 1), (8, 1)) for n in (8, 32, 64)
]
MATRIX: list[Encoding] = [
    *(NvidiaMmaEncoding(2, 0, grid, (16, 8)) for grid in GRIDS),
    *MMA_V3,
    *(
        AmdMfmaEncoding(version, grid, (size, size, 16), is_transposed=turned)
        for version in (3, 4)
        for grid in GRIDS
        for size in (16, 32)
        for turned in (False, True)
    ),
    *(
        AmdWmmaEncoding(version, turned, ((0, 1), (1, 0)))
        for version in (1, 2)
        for turned in (False, True)
    ),
]


def _widths(parent: Encoding) -> list[int]:
    """Return values of kWidth that an operand of this parent may have."""
    if isinstance(parent, AmdWmmaEncoding):
        return [16] if parent.version == 1 else [8]
    return [4, 8] if isinstance(parent, AmdMfmaEncoding) else [1, 2, 4]


@st.composite
def distributed(draw: st.DrawFn) -> Pair:
    kind = draw(st.sampled_from(["blocked", "slice", "dot", "matrix", "operand", "linear"]))
    if kind in ("blocked", "slice"):
        rank = draw(st.integers(2 if kind == "slice" else 1, 3))
        encoding, shape = draw(blocked(rank)), draw(shapes(rank, 5))
        if kind == "blocked":
            return encoding, shape
        dim = draw(st.integers(0, rank - 1))
        return SliceEncoding(dim, encoding), shape[:dim] + shape[dim + 1 :]
    shape = (draw(powers(7)), draw(powers(7)))
    if kind == "dot":
        return DotOperandEncoding(draw(st.integers(0, 1)), draw(blocked(2)), 0), shape
    if kind == "linear":
        parent = draw(blocked(2))
        bases = parent.linear(shape).bases
        return LinearEncoding(**{name: tuple(map(tuple, v)) for name, v in bases.items()}), shape
    parent = draw(st.sampled_from(MATRIX))
    if isinstance(parent, AmdWmmaEncoding):  # Triton ends its process over smaller ones
        shape = (max(16, shape[0]), max(16, shape[1]))
    if kind == "operand" and parent not in MMA_V3:
        width = draw(st.sampled_from(_widths(parent)))
        return DotOperandEncoding(draw(st.integers(0, 1)), parent, width), shape
    return parent, shape


@st.composite
def shared(draw: st.DrawFn) -> Pair:
    order = tuple(draw(st.permutations(range(2))))
    shape = (8 * draw(powers(3)), 64 * draw(powers(1)))
    kind = draw(st.sampled_from(["swizzled", "rotating", "nvmma", "linear"]))
    phases = (draw(powers(3)), draw(powers(2)), draw(powers(3)))
    if kind == "swizzled":
        return SwizzledSharedEncoding(*phases, order), shape
    if kind == "rotating":
        return AmdRotatingSharedEncoding(*phases, order), shape
    if kind == "nvmma":
        width = draw(st.sampled_from([0, 32, 64, 128]))
        return NvmmaSharedEncoding(width, draw(st.sampled_from([16, 32]))), shape
    bases = SwizzledSharedEncoding(*phases, (1, 0)).linear(shape).bases["offset"]
    return SharedLinearEncoding(tuple(map(tuple, bases)), 16), shape


@pytest.mark.oracle
@given(distributed())
def test_distributed_encodings(pair):
    from triton._C.libtriton import gluon_ir

    encoding, shape = pair
    value = oracle.value_with(encoding, shape)
    gluon = oracle.builder().get_gluon_layout_from_tensor(value)
    layout = encoding.linear(shape)
    assert tensor_view(layout) == gluon_ir.get_layout_view(gluon, list(shape), False)
    assert hardware_view(layout) == gluon_ir.get_layout_view(gluon, list(shape), True)


@pytest.mark.oracle
@given(shared())
def test_shared_encodings(pair):
    from triton._C.libtriton import gluon_ir

    encoding, shape = pair
    layout = encoding.linear(shape)
    views = tensor_view(layout), hardware_view(layout)
    if isinstance(encoding, AmdRotatingSharedEncoding):  # Gluon has no class for it
        assert layout.bases["offset"] == oracle.shared_linear(encoding, shape)
        other = oracle.theirs(layout)
        assert views == (other.get_shared_view(False), other.get_shared_view(True))
        return
    value = oracle.value_with(encoding, shape, shared=True)
    gluon = oracle.builder().get_gluon_layout_from_memdesc(value)
    theirs = (gluon_ir.get_layout_view(gluon, list(shape), hardware) for hardware in (False, True))
    assert views == tuple(theirs)
