"""The texts of triton-tensor-layout: as printed in documents, and beside Triton's own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.layouts import oracle
from tests.layouts.strategies import encoded_shapes, layouts, powers
from weft.errors import LayoutError
from weft.layouts import LinearLayout, SwizzledSharedEncoding, parse
from weft.layouts.drawing import hardware_view, tensor_view
from weft.layouts.drawing.legacy_text import parse_legacy

PRINTED = sorted((Path(__file__).parent / "printed").glob("*.txt"))
BLOCKED = "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [2, 2], warpsPerCTA = [2, 1], "


@pytest.mark.parametrize("file", PRINTED, ids=lambda file: file.stem)
def test_printed_examples(file):
    """What the tool printed in 2024 is what the view is, to the character."""
    command, header, expected = file.read_text().split("\n", 2)
    match = re.search(r'-l "(.*)" -t "tensor<([\dx]+)xf16>"', command)
    assert match
    read = parse_legacy(match[1])
    assert header == f"Print layout attribute: {read.text}"
    shape = tuple(map(int, match[2].split("x")))
    result, dots, _ = expected.partition("...")
    view = tensor_view(read.encoding.linear(shape))
    assert view.startswith(result) if dots else view == result


# Of a 4x4 tensor: vec, perPhase, maxPhase, and what each row of memory holds.
SWIZZLES = [
    (1, 1, 1, ["0:0 0:1 0:2 0:3", "1:0 1:1 1:2 1:3", "2:0 2:1 2:2 2:3", "3:0 3:1 3:2 3:3"]),
    (1, 1, 4, ["0:0 0:1 0:2 0:3", "1:1 1:0 1:3 1:2", "2:2 2:3 2:0 2:1", "3:3 3:2 3:1 3:0"]),
    (1, 2, 4, ["0:0 0:1 0:2 0:3", "1:0 1:1 1:2 1:3", "2:1 2:0 2:3 2:2", "3:1 3:0 3:3 3:2"]),
    (1, 1, 2, ["0:0 0:1 0:2 0:3", "1:1 1:0 1:3 1:2", "2:0 2:1 2:2 2:3", "3:1 3:0 3:3 3:2"]),
    (2, 1, 4, ["0:0 0:1 0:2 0:3", "1:2 1:3 1:0 1:1", "2:0 2:1 2:2 2:3", "3:2 3:3 3:0 3:1"]),
    (2, 2, 4, ["0:0 0:1 0:2 0:3", "1:0 1:1 1:2 1:3", "2:2 2:3 2:0 2:1", "3:2 3:3 3:0 3:1"]),
]


@pytest.mark.parametrize(("vec", "per_phase", "max_phase", "rows"), SWIZZLES)
def test_swizzles_of_four_by_four(vec, per_phase, max_phase, rows):
    view = tensor_view(SwizzledSharedEncoding(vec, per_phase, max_phase, (1, 0)).linear((4, 4)))
    lines = [re.findall(r"\d:\d", line) for line in view.splitlines()]
    assert lines == [row.split() for row in rows]


def threads(text: str) -> list[list[int]]:
    """Return the first thread of each element of a tensor view."""
    return [[int(n) for n in re.findall(r"T(\d+):", line)] for line in text.splitlines()]


WARP = [[lane // 4 * 4 + c // 2 for c in range(8)] for lane in range(0, 32, 4) for _ in range(2)]
ONE_TILE = [[*row, *(32 + n for n in row)] for row in WARP]


@pytest.mark.parametrize(("size", "blocks"), [(16, 1), (32, 1), (32, 2)])
def test_blocked_examples_of_the_attribute_documentation(size, blocks):
    """16x16 over two warps; 32x32 repeats it; four blocks hold a quarter of 32x32 each."""
    read = parse_legacy(
        "#triton_gpu.blocked_layout<{sizePerThread = {2, 2} threadsPerWarp = {8, 4} "
        f"warpsPerCTA = {{1, 2}} order = {{1, 0}} CTAsPerCGA = {{{blocks}, {blocks}}}}}>"
    )
    layout = read.encoding.linear((size, size))
    result = threads(tensor_view(layout))
    assert ONE_TILE[0] == [0, 0, 1, 1, 2, 2, 3, 3, 32, 32, 33, 33, 34, 34, 35, 35]
    assert ONE_TILE[-1] == [28, 28, 29, 29, 30, 30, 31, 31, 60, 60, 61, 61, 62, 62, 63, 63]
    assert result == [row * (size // 16) for row in ONE_TILE] * (size // 16)
    assert layout.in_dims["block"] == blocks * blocks


def test_example_of_the_distributed_function():
    """A 2x8 tensor over a 4x4 grid of threads: each element is in two, {0, 8} for the first."""
    layout = LinearLayout.from_bases(
        {"register": [[0, 4]], "lane": [[0, 1], [0, 2], [1, 0], [0, 0]]}, ["dim0", "dim1"]
    )
    result = threads(tensor_view(layout))
    pairs = [result[0][i : i + 2] for i in range(0, 16, 2)]
    assert pairs == [[0, 8], [1, 9], [2, 10], [3, 11]] * 2
    assert result[1][:4] == [4, 12, 5, 13]


def test_hardware_view():
    layout = parse(BLOCKED + "order = [1, 0]}>").linear((4, 4))
    assert hardware_view(layout).splitlines()[:3] == [
        "Warp0:", "(0,0), (0,2), (1,0), (1,2)", "(0,1), (0,3), (1,1), (1,3)",
    ]  # fmt: skip


def test_layouts_with_other_dimension_names():
    swizzle = LinearLayout.from_bases(
        {"thread": [[1, 1], [2, 2]], "warp": [[0, 1], [0, 2]]}, ["row", "column"]
    )
    assert tensor_view(swizzle).splitlines()[1] == "[ W1:T1, W0:T1, W3:T1, W2:T1]"
    assert "warp=2, thread=3 -> (3,1)" in hardware_view(swizzle).splitlines()


def test_missing_dimensions_have_size_one():
    layout = LinearLayout.from_bases({"lane": [[1]]}, ["dim0"])
    assert tensor_view(layout) == "[T0:0, T1:0]\n"
    assert hardware_view(LinearLayout.from_bases({"offset": [[1]]}, ["dim0"])) == (
        "Block: 0:\nOffset: 0 -> (0)\nOffset: 1 -> (1)\n"
    )


def test_too_large():
    layout = LinearLayout.zeros_1d(1 << 23, "lane", "dim0")
    with pytest.raises(LayoutError, match=r"too many places to list one by one\n  found: 8388608"):
        tensor_view(layout)


def _same(layout: LinearLayout, *, shared: bool) -> None:
    other = oracle.theirs(layout)
    theirs = other.get_shared_view if shared else other.get_distributed_view
    assert tensor_view(layout) == theirs(False)
    assert hardware_view(layout) == theirs(True)


def completed(layout: LinearLayout, names: tuple[str, ...]) -> LinearLayout:
    """Give the layout the in-dimensions that Triton insists on."""
    sizes = dict(layout.ins)
    return LinearLayout(tuple((name, sizes.get(name, ())) for name in names), layout.outs)


@pytest.mark.oracle
@given(layouts())
def test_any_distributed_layout_as_triton_prints_it(layout):
    _same(completed(layout, ("register", "lane", "warp", "block")), shared=False)


@pytest.mark.oracle
@given(layouts())
def test_any_shared_layout_as_triton_prints_it(layout):
    ins = dict(layout.ins)
    shared = LinearLayout((("offset", ins["register"]), ("block", ins["warp"][:2])), layout.outs)
    _same(shared, shared=True)


@pytest.mark.oracle
@given(encoded_shapes())
def test_blocked_as_triton_prints_it(pair):
    encoding, shape = pair
    _same(encoding.linear(shape), shared=False)


MATRIX = [
    "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], "
    "instrShape = [16, 8]}>",
    "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], "
    "instrShape = [16, 64, 16]}>",
    "#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], "
    "isTransposed = true}>",
    "#ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {warp = [[0, 1], [1, 0]]}}>",
]


@pytest.mark.oracle
@pytest.mark.parametrize("text", MATRIX)
@pytest.mark.parametrize("shape", [(16, 16), (64, 32), (128, 128)])
@pytest.mark.parametrize("operand", [None, 0, 1])
def test_matrix_layouts_as_triton_prints_them(text, shape, operand):
    if operand == 1 and "versionMajor = 3" in text:
        return  # a warp-group mma takes its right operand from shared memory
    if operand is not None:
        width = 8 if "wmma" in text else 4 if "mfma" in text else 2
        text = f"#ttg.dot_op<{{opIdx = {operand}, parent = {text}, kWidth = {width}}}>"
    _same(parse(text).linear(shape), shared=False)


@pytest.mark.oracle
@given(powers(3), powers(3), powers(4), st.permutations(range(2)), powers(5), powers(6))
def test_swizzles_as_triton_prints_them(vec, per_phase, max_phase, order, rows, columns):
    encoding = SwizzledSharedEncoding(vec, per_phase, max_phase, tuple(order))
    if columns >= vec * max_phase <= rows:
        _same(encoding.linear((rows, columns)), shared=True)
