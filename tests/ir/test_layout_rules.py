"""Each rule by which layouts fit the hardware and one another, broken once."""

from __future__ import annotations

import pytest

from tests.ir.gpu import message, module
from weft.ir.text import parse_module
from weft.ir.verifier import verify


@pytest.mark.parametrize(
    ("body", "arguments", "expected"),
    [
        (
            "%r = ttg.convert_layout %x : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #few>",
            "%x: tensor<64x64xf16, #blocked>",
            'has 2 warps, "ttg.num-warps" is 4 here',
        ),
        (
            "%r = ttg.convert_layout %x : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #wide>",
            "%x: tensor<64x64xf16, #blocked>",
            'has 64 threads per warp, "ttg.threads-per-warp" is 32 here',
        ),
        (
            "",
            "%x: tensor<64xf16, #blocked>",
            "has 2 dimensions, its tensor 1",
        ),
        (
            "",
            "%x: tensor<64x64xf16, #shared>",
            "cannot be the layout of a tensor",
        ),
        (
            "",
            "%x: !ttg.memdesc<64x64xf16, #blocked, #smem>",
            "cannot be the layout of shared memory",
        ),
        (
            "",
            "%x: !ttg.memdesc<2x2x64x64xf16, #shared, #smem>",
            "as many, or one more in front, expected",
        ),
        (
            "%r = tt.expand_dims %x {axis = 1 : i32} : tensor<64xf16, #line> -> "
            "tensor<64x1xf16, #blocked>",
            "%x: tensor<64xf16, #line>",
            "a slice of #ttg.blocked<{sizePerThread = [1, 8]",
        ),
        (
            '%r = "tt.reduce"(%x) <{axis = 1 : i32}> ({ ^bb0(%a: f16, %b: f16): '
            "tt.reduce.return %a : f16 }) : (tensor<64x64xf16, #blocked>) -> "
            "tensor<64xf16, #ttg.slice<{dim = 0, parent = #blocked}>>",
            "%x: tensor<64x64xf16, #blocked>",
            "along dimension 1 expected as result",
        ),
        (
            "%r = tt.broadcast %x : tensor<64x1xf16, #blocked> -> tensor<64x64xf16, #mma>",
            "%x: tensor<64x1xf16, #blocked>",
            "the layout changes from",
        ),
        (
            "%r = tt.dot %x, %y, %c : tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, "
            "kWidth = 2}>> * tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, "
            "kWidth = 2}>> -> tensor<64x64xf32, #mma>",
            "%x: tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>, "
            "%y: tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>, "
            "%c: tensor<64x64xf32, #mma>",
            "operand a needs a #ttg.dot_op layout with opIdx = 0",
        ),
        (
            "%r = tt.dot %x, %y, %c : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, "
            "parent = #blocked}>> * tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, "
            "parent = #blocked}>> -> tensor<64x64xf32, #mma>",
            "%x: tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>, "
            "%y: tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>>, "
            "%c: tensor<64x64xf32, #mma>",
            "operand a is laid out for #ttg.blocked",
        ),
        (
            "%r = tt.dot %x, %y, %c : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, "
            "parent = #blocked}>> * tensor<64x64xf16> -> tensor<64x64xf32, #blocked>",
            "%x: tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>, "
            "%y: tensor<64x64xf16>, %c: tensor<64x64xf32, #blocked>",
            "one operand has a layout, the other has none",
        ),
    ],
)
def test_rule(body: str, arguments: str, expected: str) -> None:
    assert expected in message(body, arguments)


def test_operands_of_a_scaled_product_are_laid_out_for_half_the_depth() -> None:
    wmma = (
        "#ttg.amd_wmma<{{version = 3, isTranspose = true, ctaLayout = {{warp = [[0, 1], [1, 0]]}}, "
        "instrShape = [16, 16, {}]}}>"
    )
    half, whole = wmma.format(64), wmma.format(128)
    operands = [
        f"tensor<128x128xi8, #ttg.dot_op<{{opIdx = {index}, parent = {half}, kWidth = 16}}>>"
        for index in (0, 1)
    ]
    result = f"tensor<128x128xf32, {whole}>"
    text = module(
        f"%r = tt.dot_scaled %a, %b, %c lhs = e2m1 rhs = e2m1 {{fastMath = false}} : "
        f"{operands[0]} * {operands[1]} -> {result}",
        f"%a: {operands[0]}, %b: {operands[1]}, %c: {result}",
    )
    verify(parse_module(text))


PARTITION = (
    "ttg.warp_specialize()\ndefault {{\nttg.warp_yield\n}}\npartition0() num_warps(2) {{\n"
    "%c = arith.constant dense<0.0> : tensor<64x64xf16, #{layout}>\nttg.warp_return\n"
    "}} : () -> ()"
)


def test_a_partition_has_warps_of_its_own() -> None:
    verify(parse_module(module(PARTITION.format(layout="few"))))
    assert '"ttg.num-warps" is 2 here' in message(PARTITION.format(layout="blocked"))


def test_a_module_without_hardware_has_no_layouts_to_check() -> None:
    text = module("", "%x: tensor<64x64xf16, #few>").replace('"ttg.num-warps" = 4 : i32, ', "")
    verify(parse_module(text.replace(', "ttg.threads-per-warp" = 32 : i32', "")))
