"""Multiplications in bf16 whose result needs no rounding."""

from __future__ import annotations

import pytest

from weft.analysis.exact_multiplication import is_exact_multiplication
from weft.ir import arith
from weft.ir.text import parse_module

HEAD = """
#a = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1],
                   order = [1, 0]}>
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1],
                   order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func public @k(%p: tensor<16x32xi8, #a>, %e: tensor<16x64xi16, #b>, %n: i16,
                  %y: tensor<16x64xbf16, #b>) {
  %seven = arith.constant dense<7> : tensor<16x64xi16, #b>
  %six = arith.constant dense<6> : tensor<16x64xi16, #b>
  %eight = arith.constant dense<8> : tensor<16x64xi16, #b>
  %x = ttg.fp4_to_fp %p {axis = 1 : i32} : tensor<16x32xi8, #a> -> tensor<16x64xTYPE, #b>
  %xc = ttg.convert_layout %x : tensor<16x64xTYPE, #b> -> tensor<16x64xTYPE, #b>
"""
SHIFT = "%i = arith.shli %e, {} : tensor<16x64xi16, #b>\n"
CAST = "%s = tt.bitcast %i : tensor<16x64xi16, #b> -> tensor<16x64xTYPE, #b>\n"


def is_exact(body: str, a: str = "%x", b: str = "%s", type_: str = "bf16") -> bool:
    text = f"{HEAD}{body}  %r = arith.mulf {a}, {b} : tensor<16x64xTYPE, #b>\n  tt.return\n}}\n}}"
    module = parse_module(text.replace("TYPE", type_))
    (multiplication,) = (op for op in module.walk() if isinstance(op, arith.MulFOp))
    return is_exact_multiplication(multiplication)


@pytest.mark.parametrize(
    ("shift", "exact"), [("%seven", True), ("%eight", True), ("%six", False), ("%e", False)]
)
def test_an_exponent_alone_is_a_power_of_two(shift, exact):
    assert is_exact(SHIFT.format(shift) + CAST) == exact


def test_either_operand_may_be_the_scale():
    body = SHIFT.format("%seven") + CAST
    assert is_exact(body, "%s", "%x")
    assert is_exact(body, "%xc", "%s")
    assert not is_exact(body, "%x", "%x")
    assert not is_exact(body, "%s", "%s")
    assert not is_exact(body, "%y", "%s")
    assert not is_exact("", "%x", "%y")


def test_only_bf16_has_seven_bits_of_mantissa():
    body = SHIFT.format("%seven") + CAST
    assert not is_exact(body.replace("%y", ""), type_="f16")


def test_other_bits_than_those_of_a_shift():
    assert not is_exact(CAST.replace("%i", "%e"))
    added = "%i = arith.addi %e, %seven : tensor<16x64xi16, #b>\n"
    assert not is_exact(added + CAST)
    assert not is_exact("%s = arith.addf %y, %y : tensor<16x64xbf16, #b>\n")
