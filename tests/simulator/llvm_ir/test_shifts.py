"""Shifts against Python's integers, by amounts below the width and beyond it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulator.llvm_ir.test_instructions import INTEGERS, edges, wrap
from tests.simulator.programs import of_each_thread, run_text

SHIFTS = {
    "shl": lambda a, b, bits: a << b,
    "lshr": lambda a, b, bits: (a & ((1 << bits) - 1)) >> b,
    "ashr": lambda a, b, bits: a >> b,
}


@pytest.mark.parametrize("kind", INTEGERS)
@pytest.mark.parametrize("opcode", SHIFTS)
def test_shifts(kind, opcode):
    a = edges(kind)
    bits = 8 * a.dtype.itemsize
    # NVIDIA's shifts by at least the width shift every bit out.
    b = np.random.default_rng(2).integers(0, min(2 * bits, 127), 64).astype(kind)
    values = of_each_thread(f"{opcode} i{bits} %x, %y", a, b)
    expected = [SHIFTS[opcode](int(x), int(y), bits) for x, y in zip(a, b, strict=True)]
    assert values.tolist() == [wrap(number, bits) for number in expected]


def test_an_amount_is_unsigned():
    a, b = np.full(4, -1, np.int32), np.array([-1, 32, 31, 0], np.int32)
    assert of_each_thread("shl nsw i32 %x, %y", a, b).tolist() == [0, 0, -(1 << 31), -1]
    assert of_each_thread("ashr exact i32 %x, %y", a, b).tolist() == [-1, -1, -1, -1]


def test_amd_takes_the_lower_bits_of_an_amount():
    array = np.array([40], np.int32)
    body = """
  %y = load i32, ptr addrspace(1) %p0
  %z = shl i32 3, %y
  store i32 %z, ptr addrspace(1) %p0
  ret void"""
    run_text(body, [array], threads=1, chip="gfx942", lanes=64)
    assert array.tolist() == [3 << 8]
