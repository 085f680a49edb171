"""Loads of a pipeline's prologue move up over stores to other pointer arguments."""

from __future__ import annotations

from weft.ir.text import parse_module, print_module
from weft.passes import parse_pipeline, run_pipeline

LOADS = """
tt.func public @k(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>, %n: i32, %x: i32) {
  tt.store %p, %x : !tt.ptr<i32>
  %y = tt.load %ADDRESS {amd.pipeliner_part = "prologue"} : !tt.ptr<i32>
  %z = arith.addi %y, %n : i32
  tt.store %q, %z : !tt.ptr<i32>
  tt.return
}
"""


COMPUTED = """
tt.func public @k(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>, %n: i32, %x: i32) {
  %address = tt.addptr ADDRESS, %n : !tt.ptr<i32>, i32
  %c0 = arith.constant 0 : i32
  scf.for %i = %c0 to %n step %n iter_args(%a = %p) -> (!tt.ptr<i32>) : i32 {
    %b = tt.addptr %a, %n : !tt.ptr<i32>, i32
    tt.store %b, %x : !tt.ptr<i32>
    %y = tt.load %address {amd.pipeliner_part = "prologue"} : !tt.ptr<i32>
    tt.store %q, %y : !tt.ptr<i32>
    scf.yield %b : !tt.ptr<i32>
  }
  tt.return
}
"""


def after(text: str) -> str:
    module = parse_module(text)
    run_pipeline(parse_pipeline("tritonamdgpu-move-up-prologue-loads"), module, verify=True)
    return print_module(module)


def test_a_load_is_not_moved_above_a_store_to_its_argument():
    same_pointer = after(LOADS.replace("%ADDRESS", "%p"))
    assert same_pointer.index("tt.store %arg0") < same_pointer.index("tt.load")
    other_pointer = after(LOADS.replace("%ADDRESS", "%q"))
    assert other_pointer.index("tt.load") < other_pointer.index("tt.store %arg0")


def test_the_argument_is_found_through_tt_addptr_and_iter_args():
    same_pointer = after(COMPUTED.replace("ADDRESS", "%p"))
    assert same_pointer.index("tt.store") < same_pointer.index("tt.load")
    other_pointer = after(COMPUTED.replace("ADDRESS", "%q"))
    assert other_pointer.index("tt.load") < other_pointer.index("tt.store")
