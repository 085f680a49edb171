"""What may vanish once nobody reads it."""

from __future__ import annotations

import pytest

from weft.ir.rewriting import walk
from weft.ir.text import parse_module
from weft.passes.rewrite.deadness import dead_when_unused

TEXT = """
tt.func public @f(%p: !tt.ptr<i32>, %c: i1, %n: i32) {{
  {op}
  tt.return
}}
"""


@pytest.mark.parametrize(
    ("op", "dead"),
    [
        ("%0 = arith.addi %n, %n : i32", True),
        ("%0 = tt.load %p : !tt.ptr<i32>", True),
        ("%0 = tt.load %p {isVolatile = true} : !tt.ptr<i32>", False),
        ("tt.store %p, %n : !tt.ptr<i32>", False),
        ("%0 = tt.call @g(%n) : (i32) -> i32", False),
        ("scf.if %c { %0 = tt.load %p : !tt.ptr<i32> \n }", True),
        ("scf.if %c { tt.store %p, %n : !tt.ptr<i32> \n }", False),
        (
            '%0 = tt.elementwise_inline_asm "nop;" {constraints = "=r,r", packed_element = 1 : i32,'
            " pure = true} %n : i32 -> i32",
            True,
        ),
        (
            '%0 = tt.elementwise_inline_asm "nop;" {constraints = "=r,r", packed_element = 1 : i32,'
            " pure = false} %n : i32 -> i32",
            False,
        ),
    ],
)
def test_dead_when_unused(op, dead):
    function = parse_module(TEXT.format(op=op)).body.block.first_op
    assert function is not None
    first = list(walk(function))[1]
    assert dead_when_unused(first) is dead
    assert not dead_when_unused(function)
