"""Arithmetic intrinsics."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulator.programs import of_each_thread, run_text
from weft.errors import CodegenError


def test_ties_are_rounded_away_from_zero():
    values = np.array([0.5, -0.5, 1.5, 2.5, 0.49999997, 8388609.0, -2.4], np.float32)
    result = of_each_thread("call float @llvm.round.f32(float %x)", values)
    np.testing.assert_array_equal(result, np.array([1, -1, 2, 3, 0, 8388609, -2], np.float32))


def test_assumptions_must_hold():
    body = "  %c = icmp slt i32 %i, LIMIT\n  call void @llvm.assume(i1 %c)\n  ret void"
    run_text(body.replace("LIMIT", "32"), [])
    with pytest.raises(CodegenError, match=r"llvm\.assume of a false condition") as caught:
        run_text(body.replace("LIMIT", "9"), [])
    assert "thread 9" in str(caught.value)
