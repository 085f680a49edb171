"""Operands of scf.for."""

from __future__ import annotations

from weft.ir import scf
from weft.ir.text import parse_module

TEXT = """
tt.func @f(%n: i32, %x: f32, %y: f32) {
  %r:2 = scf.for %i = %n to %n step %n iter_args(%a = %x, %b = %y) -> (f32, f32) : i32 {
    scf.yield %b, %a : f32, f32
  }
  tt.return
}
"""


def test_init_args():
    module = parse_module(TEXT)
    (loop,) = [op for op in module.walk() if isinstance(op, scf.ForOp)]
    x, y = loop.init_args
    assert [loop.init_arg_index(operand) for operand in range(5)] == [None, None, None, 0, 1]
    loop.set_init_arg(1, x)
    assert loop.init_args == (x, x)
    assert list(loop.bounds) == [loop.operands[0]] * 3
    assert not list(y.uses)
