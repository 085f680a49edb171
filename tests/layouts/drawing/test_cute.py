"""CuTe's words mean the same map."""

from __future__ import annotations

import ast
import json
import math
import re

import pytest
from hypothesis import given

from tests.layouts.strategies import encoded_shapes
from weft.errors import LayoutError
from weft.layouts import (
    LinearLayout,
    NvmmaSharedEncoding,
    PaddedSharedEncoding,
    SwizzledSharedEncoding,
    parse,
)
from weft.layouts.drawing import as_json, cute
from weft.layouts.drawing.element_tables import shape_of


def flat(value) -> list[int]:
    return [value] if isinstance(value, int) else [n for item in value for n in flat(item)]


def groups(text: str) -> list[tuple[list[int], list[int]]]:
    """Return sizes and strides of each mode of the top level."""
    shape, stride = (ast.literal_eval(part) for part in text.split(":"))
    return [(flat(a), flat(b)) for a, b in zip(shape, stride, strict=True)]


def at(group: tuple[list[int], list[int]], index: int) -> int:
    total = 0
    for size, stride in zip(*group, strict=True):
        total += index % size * stride
        index //= size
    return total


@given(encoded_shapes())
def test_thread_value_layouts(pair):
    encoding, shape = pair
    layout = encoding.linear(shape)
    modes = groups(cute(layout))
    lanes, blocks = layout.in_dims["lane"], layout.in_dims["block"]
    for thread in range(lanes * layout.in_dims["warp"]):
        for register in range(min(layout.in_dims["register"], 16)):
            place = {"register": register, "lane": thread % lanes, "warp": thread // lanes}
            expected = layout.apply(place | {"block": blocks - 1}).values()
            element = sum(c * math.prod(shape[:d]) for d, c in enumerate(expected))
            result = at(modes[0], thread) + at(modes[1], register)
            assert element == result + (at(modes[2], blocks - 1) if blocks > 1 else 0)


def test_the_result_of_an_mma_is_that_of_cutlass():
    encoding = parse(
        "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], "
        "instrShape = [16, 8]}>"
    )
    assert cute(encoding.linear((16, 8))) == "((4,8),(2,2)):((32,1),(16,8))"


SHARED = [
    (SwizzledSharedEncoding(8, 1, 8, (1, 0)), (64, 64), "Swizzle<3,3,3> o (64,64):(64,1)"),
    (SwizzledSharedEncoding(8, 2, 4, (1, 0)), (64, 32), "Swizzle<2,3,3> o (64,32):(32,1)"),
    (SwizzledSharedEncoding(4, 1, 4, (0, 1)), (32, 8), "Swizzle<2,2,3> o (32,8):(1,32)"),
    (SwizzledSharedEncoding(1, 1, 1, (1, 0)), (64, 32), "(64,32):(32,1)"),
    (NvmmaSharedEncoding(128, 16), (64, 64), "Swizzle<3,3,3> o (64,64):(64,1)"),
    (NvmmaSharedEncoding(128, 16), (64, 128), "Swizzle<3,3,3> o (64,(64,2)):(64,(1,4096))"),
]


@pytest.mark.parametrize(("encoding", "shape", "text"), SHARED, ids=lambda value: str(value)[-40:])
def test_shared_memory(encoding, shape, text):
    layout = encoding.linear(shape)
    assert cute(layout) == text
    match = re.match(r"Swizzle<(\d),(\d),(\d)> o ", text)
    bits, base, shift = map(int, match.groups()) if match else (0, 0, 0)
    modes = groups(text.rpartition(" o ")[2])
    inverse = layout.invert()
    for row in range(0, shape[0], 3):
        for column in range(shape[1]):
            offset = at(modes[0], row) + at(modes[1], column)
            offset ^= (offset >> base + shift & (1 << bits) - 1) << base
            assert inverse.apply({"dim0": row, "dim1": column})["offset"] == offset


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        (LinearLayout.from_bases({"lane": [[1, 1], [0, 1]]}, ["a", "b"]), r"\[1, 1\] of lane"),
        (
            LinearLayout.identity_1d(4, "row", "d"),
            "CuTe has no notation for this layout\n  found: row",
        ),
        (LinearLayout.from_bases({"offset": [[1], [0]]}, ["d"]), "broadcasts or omits elements"),
        (LinearLayout.from_bases({"offset": [[1], [3], [5]]}, ["d"]), "XOR neighbouring bits"),
        (LinearLayout.from_bases({"offset": [[1]], "block": [[2]]}, ["d"]), "of one block"),
    ],
)
def test_layouts_without_a_notation(layout, message):
    with pytest.raises(LayoutError, match=message):
        cute(layout)


def test_json():
    encoding = PaddedSharedEncoding.with_identity((2,), (1,), (2, 2), (1, 0))
    layout = encoding.linear((2, 2))
    result = json.loads(as_json(layout, "text", element="f16", bits=16, padding=((2, 1),)))
    assert (result["layout"], result["bits"]) == ("text", 16)
    assert result["shape"] == list(shape_of(layout))
    assert result["bases"] == layout.bases
    assert result["places"] == ["block", "offset"]
    assert [each["held_by"] for each in result["elements"]] == [
        [[0, 0]],
        [[0, 1]],
        [[0, 3]],
        [[0, 4]],
    ]
    assert result["elements"][3]["at"] == [1, 1]
