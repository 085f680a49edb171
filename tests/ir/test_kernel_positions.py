"""Positions in a kernel of operations that its standard library creates."""

from __future__ import annotations

import weft
import weft.language as tl
from weft.ir import locations, tt
from weft.ir.kernel_positions import is_in_library, kernel_position
from weft.ir.locations import unknown
from weft.ir.rewriting import walk


@weft.jit
def helper(x):
    return tl.sum(x, 0)


@weft.jit
def row_sum(p, N: tl.constexpr):
    x = tl.load(p + tl.arange(0, N))
    tl.store(p, helper(x))


def test_a_reduction_of_the_library_has_the_line_that_calls_it():
    module = weft.compile(row_sum, signature="*fp32, 64", target="cuda:90").module("ttir")
    (reduction,) = (op for op in walk(module) if isinstance(op, tt.ReduceOp))
    innermost, own = locations.position(reduction.location), kernel_position(reduction.location)
    assert innermost is not None
    assert own is not None
    assert is_in_library(innermost.file)
    assert (own.file, own.line) == (__file__, helper.fn.__code__.co_firstlineno + 2)


def test_a_position_outside_of_the_library_is_the_innermost():
    module = weft.compile(row_sum, signature="*fp32, 64", target="cuda:90").module("ttir")
    (load,) = (op for op in walk(module) if isinstance(op, tt.LoadOp))
    assert kernel_position(load.location) == locations.position(load.location) is not None
    assert kernel_position(unknown) is None
