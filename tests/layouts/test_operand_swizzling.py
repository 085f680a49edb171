"""Buffers of dot operands: their swizzling, the order of their dimensions, who needs one."""

from __future__ import annotations

import pytest

from weft.errors import LayoutError
from weft.layouts import DotOperandEncoding, parse
from weft.layouts.dimension_order import memory_order
from weft.layouts.needs_shared_memory import needs_shared_memory
from weft.layouts.operand_swizzling import swizzled_operand_encoding

ROWS = (
    "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], "
    "warpsPerCTA = [4, 1], order = [1, 0]}>"
)
MMA = (
    "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], "
    "instrShape = [16, 8]}>"
)
MFMA = "#ttg.amd_mfma<{version = %d, warpsPerCTA = [2, 2], instrShape = [%s], isTransposed = true}>"
WMMA = "#ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {warp = [[1, 0], [2, 0]]}}>"


def operand(parent, index, width) -> DotOperandEncoding:
    encoding = parse(f"#ttg.dot_op<{{opIdx = {index}, parent = {parent}, kWidth = {width}}}>")
    assert isinstance(encoding, DotOperandEncoding)
    return encoding


def numbers(*args, **kwargs):
    encoding = swizzled_operand_encoding(*args, **kwargs)
    return encoding.vec, encoding.per_phase, encoding.max_phase


@pytest.mark.parametrize(
    ("parent", "index", "width", "shape", "order", "bits", "expected"),
    [
        (MMA, 0, 2, (128, 64), (1, 0), 16, (8, 1, 8)),
        (MMA, 0, 2, (128, 32), (1, 0), 16, (8, 2, 4)),
        (MMA, 1, 2, (64, 128), (1, 0), 16, (8, 1, 8)),
        (MMA, 1, 1, (64, 128), (1, 0), 32, (8, 1, 4)),
        (MFMA % (3, "32, 32, 8"), 0, 4, (128, 64), (1, 0), 16, (4, 1, 16)),
        (MFMA % (3, "32, 32, 8"), 1, 4, (64, 128), (1, 0), 16, (1, 1, 1)),
        (MFMA % (4, "32, 32, 16"), 1, 8, (64, 128), (1, 0), 16, (8, 1, 16)),
        (MFMA % (3, "4, 64, 64"), 0, 4, (64, 64), (1, 0), 16, (4, 1, 4)),
        (WMMA, 0, 8, (128, 64), (1, 0), 16, (8, 1, 8)),
        (WMMA, 1, 8, (64, 128), (1, 0), 16, (1, 1, 1)),
        (ROWS, 0, 0, (64, 64), (1, 0), 32, (1, 1, 1)),
    ],
)
def test_swizzling_fits_the_instruction(parent, index, width, shape, order, bits, expected):
    assert numbers(operand(parent, index, width), shape, order, bits) == expected


def test_a_transposed_buffer_exchanges_the_other_dimension():
    layout = operand(MMA, 0, 1)
    assert numbers(layout, (64, 64), (1, 0), 32) == (4, 1, 8)
    assert numbers(layout, (64, 64), (1, 0), 32, transposed=True) == (8, 1, 4)


def test_an_instruction_without_swizzled_operands_is_refused():
    volta = MMA.replace("versionMajor = 2", "versionMajor = 1")
    with pytest.raises(LayoutError, match="are not read from a swizzled buffer"):
        swizzled_operand_encoding(operand(volta, 0, 0), (64, 64), (1, 0), 16, source=parse(ROWS))


def test_order_of_lanes_where_a_thread_holds_one_element():
    one = ROWS.replace("[1, 8], threads", "[1, 1], threads")
    assert memory_order(parse(one.replace("order = [1, 0]", "order = [0, 1]")), (16, 8)) == (0, 1)
    assert memory_order(parse(ROWS), (128, 64)) == (1, 0)


def test_conversion_within_a_thread_needs_no_shared_memory():
    result, first = parse(MMA), operand(MMA, 0, 2)
    assert not needs_shared_memory(result, first, (128, 16))
    assert needs_shared_memory(parse(ROWS), first, (128, 16))
    assert not needs_shared_memory(first, first, (128, 16))
