"""An operation has one lowering; an operation without one is an error that names it."""

from __future__ import annotations

import pytest

from weft.codegen.lowering.registry import find_lowering, lowers
from weft.errors import CodegenError
from weft.ir import tt
from weft.ir.text import parse_module

KERNEL = """
tt.func public @kernel(%x: i1) {
  %t = tt.splat %x : i1 -> tensor<4xi1>
  cf.assert %x, "x" loc("kernel.py":7:3)
  tt.return
}
"""


def test_lowering_lookup_by_operation_class():
    function = parse_module(KERNEL).body.block.first_op
    assert isinstance(function, tt.FuncOp)
    splat, unknown, _ = function.body.block.ops
    assert find_lowering(splat).__module__ == "weft.codegen.lowering.shape"
    with pytest.raises(CodegenError, match=r"cf\.assert cannot be lowered to LLVM IR") as caught:
        find_lowering(unknown)
    assert caught.value.hint is not None
    assert "did you mean tt.assert" in caught.value.hint
    assert caught.value.location is not None
    assert (caught.value.location.file, caught.value.location.line) == ("kernel.py", 7)


def test_an_operation_has_one_lowering():
    with pytest.raises(ValueError, match=r"tt\.splat is registered twice"):
        lowers(tt.SplatOp)(lambda low, op: None)
