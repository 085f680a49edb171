"""Dot instructions of AMD's vector ALU: exact sums, signed bytes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulator.programs import of_each_thread
from weft.errors import CodegenError

LEFT = np.array([0x7F80_01FF, 0x0000_0001, 0xFFFF_FFFF, 0x8080_8080], np.uint32)
RIGHT = np.array([0x0102_0304, 0x0000_00FF, 0xFFFF_FFFF, 0x8080_8080], np.uint32)


def test_bytes_are_signed():
    start = np.array([10, 20, 30, 40], np.int32)
    text = "call i32 @llvm.amdgcn.sdot4(i32 %x, i32 %y, i32 %z, i1 false)"
    total = of_each_thread(text, LEFT.view(np.int32), RIGHT.view(np.int32), start)
    products = LEFT.view(np.int8).astype(int) * RIGHT.view(np.int8)
    np.testing.assert_array_equal(total, start + products.reshape(4, 4).sum(axis=1))


def test_clamping_is_an_error():
    numbers = np.zeros(4, np.int32)
    with pytest.raises(CodegenError, match="does not support these modifiers"):
        of_each_thread(
            "call i32 @llvm.amdgcn.sdot4(i32 %x, i32 %y, i32 %z, i1 true)",
            numbers, numbers, numbers,
        )  # fmt: skip
