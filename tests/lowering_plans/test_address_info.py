"""Facts about pointers that an offset in bytes is added to."""

from __future__ import annotations

from tests.lowering_plans.modules import BLOCKED, find
from weft.lowering_plans.address_info import address_info

ROW = BLOCKED % (8, 32, 4, 0)
BODY = f"""
tt.func public @k(%p: !tt.ptr<f16> {{tt.divisibility = 16 : i32}}, %o: i64) {{
  %i = tt.make_range {{end = 1024 : i32, start = 0 : i32}} : tensor<1024xi32, {ROW}>
  %s = tt.splat %p : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>, {ROW}>
  %q = tt.addptr %s, %i : tensor<1024x!tt.ptr<f16>, {ROW}>, tensor<1024xi32, {ROW}>
  %b = tt.bitcast %q : tensor<1024x!tt.ptr<f16>, {ROW}> -> tensor<1024x!tt.ptr<i8>, {ROW}>
  OFFSET
  %m = tt.addptr %b, %n : tensor<1024x!tt.ptr<i8>, {ROW}>, tensor<1024xi64, {ROW}>
  %r = tt.bitcast %m : tensor<1024x!tt.ptr<i8>, {ROW}> -> tensor<1024x!tt.ptr<f16>, {ROW}>
  %x = tt.load %r : tensor<1024x!tt.ptr<f16>, {ROW}>
  tt.return
}}
"""
UNIFORM = f"%n = tt.splat %o : i64 -> tensor<1024xi64, {ROW}>"
VARYING = f"%n = arith.extsi %i : tensor<1024xi32, {ROW}> to tensor<1024xi64, {ROW}>"


def info_of(offset: str):
    op, context = find(BODY.replace("OFFSET", offset), "tt.load")
    return address_info(op.operands[0], context.facts), context.facts.get(op.operands[0])


def test_an_offset_of_all_elements_keeps_their_runs():
    info, inferred = info_of(UNIFORM)
    assert info is not None
    assert inferred is not None
    assert (info.contiguity, inferred.contiguity) == ((1024,), (1,))
    assert info.divisibility == (1,)  # the offset may be any number of bytes


def test_an_offset_of_each_element_does_not():
    info, inferred = info_of(VARYING)
    assert info == inferred
