"""Trip counts for assumed arguments."""

from __future__ import annotations

import pytest

from tests.explain.advice.kernels import matmul
from weft.explain.loop_iterations import ARGUMENT, LoopIterations
from weft.ir import tt
from weft.ir.rewriting import walk
from weft.ir.text import parse_module
from weft.kernel.compile import compile

LOOP = """
tt.func public @kernel(%x: !tt.ptr<f32>, %n: i32, %m: i64) {{
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant 0.0 : f32
  {bound}
  scf.for %i = %c0 to %bound step %c64 : i32 {{
    tt.store %x, %zero : !tt.ptr<f32>
  }}
  tt.return
}}
"""


@pytest.mark.parametrize(
    ("bound", "expected"),
    [
        ("%bound = arith.constant 640 : i32", 10),
        ("%bound = arith.addi %n, %c1 : i32", ARGUMENT // 64 + 1),
        ("%bound = arith.divsi %n, %c64 : i32", 1),
        ("%bound = arith.trunci %m : i64 to i32", ARGUMENT // 64),
        ("%bound = arith.minsi %n, %c64 : i32", 1),
        ("%bound = arith.constant -5 : i32", 1),  # the loop counts once
        # -(-4097 / 64) is 64, and 128 - -4097 % 64 is 129: both round toward zero
        ("%z = arith.subi %c0, %n : i32\n%y = arith.subi %z, %c1 : i32\n"
         "%q = arith.divsi %y, %c64 : i32\n%d = arith.subi %c0, %q : i32\n"
         "%bound = arith.muli %d, %c64 : i32", 64),
        ("%z = arith.subi %c0, %n : i32\n%y = arith.subi %z, %c1 : i32\n"
         "%q = arith.remsi %y, %c64 : i32\n%d = arith.addi %c64, %c64 : i32\n"
         "%bound = arith.subi %d, %q : i32", 3),
    ],
)  # fmt: skip
def test_bounds(bound, expected):
    module = parse_module(LOOP.format(bound=bound))
    (store,) = [op for op in walk(module) if isinstance(op, tt.StoreOp)]
    loops = LoopIterations()
    assert loops.around(store) == expected
    assert loops.is_certain


def test_unsigned_division_of_a_negative_number_is_unknown():
    bound = "%z = arith.subi %c0, %n : i32\n%bound = arith.divui %z, %c64 : i32"
    (store,) = [op for op in walk(parse_module(LOOP.format(bound=bound))) if op.name == "tt.store"]
    loops = LoopIterations()
    assert loops.around(store) == 16
    assert not loops.is_certain


def test_bounds_that_are_data():
    module = parse_module(
        LOOP.format(bound="%p = tt.addptr %x, %n : !tt.ptr<f32>, i32\n"
                          "%f = tt.load %p : !tt.ptr<f32>\n"
                          "%bound = arith.fptosi %f : f32 to i32")
    )  # fmt: skip
    (store,) = [op for op in walk(module) if isinstance(op, tt.StoreOp)]
    loops = LoopIterations()
    assert loops.around(store) == 16
    assert not loops.is_certain


@pytest.mark.parametrize(("block", "expected"), [(32, 1024 // 32), (64, 1024 // 64)])
def test_an_assumed_argument(block, expected):
    signature = f"*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, 64, 64, {block}"
    module = compile(matmul, signature=signature, target="cuda:90", stop_after="ttir").module(
        "ttir"
    )
    (dot,) = [op for op in walk(module) if isinstance(op, tt.DotOp)]
    assert LoopIterations({"K": 1024}).around(dot) == expected
