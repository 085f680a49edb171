"""Tiles per warp of chained dots on gfx950."""

from __future__ import annotations

import re

import pytest

from weft.ir import tt, types
from weft.ir.text import parse_module
from weft.layouts import AmdMfmaEncoding
from weft.passes import parse_pipeline, run_pipeline

HEAD = """
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 16], warpsPerCTA = [WARPS, 1],
  order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = WARPS : i32,
  ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
"""
# %d (m x n) is converted to the element type of an operand of %e.
CHAIN = """
tt.func @k(%x: tensor<MxKxELEMENT, #a>, %y: tensor<KxNxELEMENT, #b>, %z: tensor<MxNxf32, #blocked>,
    %left: tensor<64xMxELEMENT, #a>, %right: tensor<Nx64xELEMENT, #b>,
    %u: tensor<Mx64xf32, #blocked>, %v: tensor<64xNxf32, #blocked>) {
  %d = tt.dot %x, %y, %z : tensor<MxKxELEMENT, #a> * tensor<KxNxELEMENT, #b> -> tensor<MxNxf32, #blocked>
  %h = arith.truncf %d : tensor<MxNxf32, #blocked> to tensor<MxNxELEMENT, #blocked>
  SECOND
  tt.return
}
}
"""  # noqa: E501
AS_LEFT = """%o = ttg.convert_layout %h : tensor<MxNxELEMENT, #blocked> -> tensor<MxNxELEMENT, #a>
  %e = tt.dot %o, %right, %u : tensor<MxNxELEMENT, #a> * tensor<Nx64xELEMENT, #b> -> tensor<Mx64xf32, #blocked>
  tt.print "" {hex = false, isSigned = array<i32: 0>} : %e : tensor<Mx64xf32, #blocked>"""  # noqa: E501
AS_RIGHT = """%o = ttg.convert_layout %h : tensor<MxNxELEMENT, #blocked> -> tensor<MxNxELEMENT, #b>
  %e = tt.dot %left, %o, %v : tensor<64xMxELEMENT, #a> * tensor<MxNxELEMENT, #b> -> tensor<64xNxf32, #blocked>
  tt.print "" {hex = false, isSigned = array<i32: 0>} : %e : tensor<64xNxf32, #blocked>"""  # noqa: E501


def first_layout(
    second: str, m: int, n: int, *, warps: int = 4, element: str = "f16", k: int = 64
) -> AmdMfmaEncoding:
    """Compute the layout of the first dot of a chain, with 16 x 16 instructions."""
    text = (HEAD + CHAIN).replace("SECOND", second).replace("ELEMENT", element)
    sizes = {"M": m, "N": n, "K": k}
    text = re.sub(r"(?<=[<x])[MNK](?=x)", lambda size: str(sizes[size[0]]), text)
    text = text.replace("WARPS", str(warps))
    module = parse_module(text)
    options = "arch-generation-name=gfx950 matrix-instruction-size=16"
    run_pipeline(parse_pipeline(f"tritonamdgpu-accelerate-matmul{{{options}}}"), module)
    dot = next(op for op in module.walk() if isinstance(op, tt.DotOp))
    encoding = types.encoding(dot.results[0].type)
    assert isinstance(encoding, AmdMfmaEncoding)
    return encoding


@pytest.mark.parametrize(
    ("second", "m", "n", "tiles", "is_transposed"),
    [
        (AS_LEFT, 128, 16, (2, 1), True),
        (AS_LEFT, 64, 16, (1, 1), True),  # fewer than two tiles per warp along M
        (AS_LEFT, 128, 32, (1, 1), True),  # more than one tile along N
        (AS_RIGHT, 16, 128, (1, 2), False),
        (AS_RIGHT, 16, 64, (1, 1), True),
        (AS_RIGHT, 32, 128, (1, 1), True),
    ],
)
def test_two_tiles_per_warp_form_the_operand_of_the_next_dot(second, m, n, tiles, is_transposed):
    layout = first_layout(second, m, n)
    assert (layout.tiles_per_warp, layout.is_transposed) == (tiles, is_transposed)


def test_chains_with_one_row_of_warps():
    assert first_layout(AS_LEFT, 32, 16, warps=1).tiles_per_warp == (2, 1)
    assert first_layout(AS_LEFT, 16, 16, warps=1).tiles_per_warp == (1, 1)
    assert first_layout(AS_LEFT, 128, 16, element="bf16").tiles_per_warp == (2, 1)
