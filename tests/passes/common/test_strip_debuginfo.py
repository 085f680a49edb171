"""strip-debuginfo: locations, and the names in them."""

from __future__ import annotations

from weft.ir.text import parse_module, print_module
from weft.passes import parse_pipeline, run_pipeline

TEXT = """
tt.func public @k(%n: i32 loc("n"("k.py":1:0))) {
  %b = arith.addi %n, %n : i32 loc("b"("k.py":2:0))
  cf.br ^bb1(%b : i32) loc("k.py":3:0)
^bb1(%x: i32 loc("x"("k.py":3:0))):
  tt.return loc("k.py":4:0)
}
"""


def test_operations_and_arguments_lose_locations_and_names():
    module = parse_module(TEXT)
    run_pipeline(parse_pipeline("strip-debuginfo"), module)
    text = print_module(module, locations=True, local_scope=True)
    assert '"' not in text
    assert "@k(%arg0: i32 loc(unknown))" in text
    assert "%0 = arith.addi %arg0, %arg0 : i32 loc(unknown)" in text
    assert "^bb1(%1: i32 loc(unknown)):" in text
