"""Symbols of lowered functions."""

from __future__ import annotations

import pytest

import weft.language as tl
from weft.frontend import mangling, static_values
from weft.frontend.semantics.values import TensorValue
from weft.ir import types
from weft.ir.builtin import Block
from weft.language.kernel_function import kernel_function


@kernel_function
def function(x):
    return x


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3, "c3"),
        (1.0, "c1.0"),
        (True, "cTrue"),
        (None, "cNone"),
        ("abc", "c_sq_abc_sq_"),
        (tl.float32, "cfp32"),
        ((64, (None,)), "Tc64_TcNoneTT"),
        (function, f"cJITFunction({__name__}:function)"),
    ],
)
def test_constants(value, text):
    assert mangling.mangle(static_values.from_python(value)) == text


def test_run_time_values_are_mangled_by_type():
    block = Block(arg_types=[types.i32, types.tensor((64, 32), types.f16)])
    scalar = TensorValue(block.args[0], tl.int32)
    tile = TensorValue(block.args[1], tl.block_type(tl.float16, [64, 32]))
    assert mangling.symbol(function, [scalar, tile]) == f"{__name__}.function__i32_fp16S64_32S"
