"""check_pass detects a pass that changes the meaning of a kernel."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
from msgspec import Struct

from weft.errors import PassError
from weft.ir import arith
from weft.ir.builtin import ModuleOp
from weft.ir.rewriting import walk
from weft.testing import check_pass
from weft.testing.pass_equivalence import compare_arrays

KERNEL = """
tt.func public @k(%x: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %p = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %p, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %q : tensor<64x!tt.ptr<f32>>
  %a = arith.addi %n, %c0 : i32
  %f = arith.sitofp %a : i32 to f32
  %s = tt.splat %f : f32 -> tensor<64xf32>
  %w = arith.subf %v, %s : tensor<64xf32>
  tt.store %q, %w : tensor<64x!tt.ptr<f32>>
  tt.return
}
"""


class SwapOperands(Struct, frozen=True):
    """A pass that breaks subtraction."""

    name: ClassVar[str] = "swap-operands"

    def run(self, module: ModuleOp) -> None:
        """Swap the operands of each subtraction."""
        for op in walk(module):
            if isinstance(op, arith.SubFOp):
                op.operands = tuple(reversed(op.operands))


def test_a_sound_pass_passes():
    check_pass(KERNEL, "canonicalize,cse", grid=(1,))


def test_a_wrong_pass_is_an_error():
    with pytest.raises(PassError, match="argument 0, seed 0: 64 elements differ"):
        check_pass(KERNEL, (SwapOperands(),), grid=(1,))


def test_a_module_with_two_kernels_is_an_error():
    two = KERNEL + KERNEL.replace("@k", "@l")
    with pytest.raises(PassError, match="one public function") as caught:
        check_pass(two, "cse")
    assert "['k', 'l']" in str(caught.value)


def test_arrays_of_pointers_are_not_supported():
    with pytest.raises(PassError, match="random elements of type"):
        check_pass(
            KERNEL.replace("!tt.ptr<f32>", "!tt.ptr<!tt.ptr<f32>>", 1)
            .replace(
                "tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>",
                "tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>",
            )
            .replace("%n: i32", "%n: i32, %y: !tt.ptr<f32>"),
            "cse",
        )


def test_equal_nans_are_no_difference():
    before, after = (np.array([1.0, np.nan, np.inf]) for _ in range(2))
    assert compare_arrays(0, 0, before, after, 0.0) is None
    after[0] = np.nan
    difference = compare_arrays(0, 0, before, after, 0.5)
    assert difference is not None
    assert difference.elements == 1
