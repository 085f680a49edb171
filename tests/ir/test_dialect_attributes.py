"""Attributes of ttg on operations of any dialect."""

from __future__ import annotations

import pytest

from weft.errors import VerifyError
from weft.ir.text import parse_module
from weft.ir.verifier import verify

LOOP = """
tt.func @f(%n: i32, %x: i32) {{
  %r = scf.for %i = %n to %n step %n iter_args(%a = %x) -> (i32)  : i32 {{
    %s = arith.addi %a, %x {{ttg.partition = {inner}}} : i32
    scf.yield %s : i32
  }} {{ttg.partition = {outer}, ttg.partition.outputs = {outputs}}}
  tt.return
}}
"""


def loop(inner: str = "array<i32: 0>", outer: str = "array<i32: 0, 1>", outputs: str = "") -> str:
    return LOOP.format(inner=inner, outer=outer, outputs=outputs or "[array<i32: 0>]")


def test_partitions_of_a_loop_contain_those_of_its_operations() -> None:
    verify(parse_module(loop()))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (loop(inner="array<i32: 0, 0>"), "has duplicated partition ids"),
        (loop(inner="array<i32: 1, 0>"), "partition ids not in sorted order"),
        (loop(inner="array<i32>"), "has no partition ids"),
        (loop(inner="0 : i32"), "must be an array of i32"),
        (loop(inner="array<i32: 2>"), "does not contain partition ids of all child ops"),
        (loop(outputs="[array<i32: 3>]"), "must be the union of all partition ids"),
        (loop(outputs="[]"), "should match number of results"),
        (
            'tt.func @f() attributes {ttg.target = "cuda:90"} {\ntt.return\n}',
            "expected only on `module` ops",
        ),
        (
            "tt.func @f() attributes {tt.warp_specialize} {\ntt.return\n}",
            "expected only on `scf.for` ops",
        ),
    ],
)
def test_an_attribute_is_invalid(text: str, message: str) -> None:
    with pytest.raises(VerifyError) as caught:
        verify(parse_module(text))
    assert message in caught.value.message
