"""Fences and the barrier of a warp."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulator.programs import run_text
from weft.errors import CodegenError


def test_a_warp_barrier_in_a_diverged_warp():
    body = """
  %low = icmp ult i32 %i, 16
  br i1 %low, label %then, label %done
then:
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  br label %done
done:
  ret void"""
    with pytest.raises(CodegenError, match=r"bar\.warp\.sync in a warp that has diverged"):
        run_text(body, [np.zeros(1, np.int32)])
