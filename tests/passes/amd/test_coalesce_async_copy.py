"""Coalesced asynchronous copies: chips, masks, ledger and errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.decisions import collecting
from weft.errors import UnknownPassError, UnknownTargetError
from weft.ir.text import parse_module, print_module
from weft.passes import parse_pipeline, run_pipeline

NAME = "tritonamdgpu-coalesce-async-copy"
FILE = Path(__file__).with_name("coalesce_async_copy.mlir")
SWIZZLED, WIDE, PADDED, *_ = FILE.read_text().split("// -----")


def after(text: str, pipeline: str) -> str:
    module = parse_module(text)
    run_pipeline(parse_pipeline(pipeline), module, verify=True)
    return print_module(module)


@pytest.mark.parametrize("arch", ["gfx90a", "gfx1100", "gfx1250"])
def test_chips_without_direct_to_lds_copies_stay_unchanged(arch):
    text = after(SWIZZLED, f"{NAME}{{arch-generation-name={arch}}}")
    assert "ttg.convert_layout" not in text


def test_width_of_a_copy_by_chip():
    # A lane copies up to 128 bits at once on gfx950, 32 bits on gfx942.
    assert "ttg.convert_layout" not in after(WIDE, f"{NAME}{{arch-generation-name=gfx950}}")
    narrow = after(WIDE, f"{NAME}{{arch-generation-name=gfx942}}")
    assert "sizePerThread = [1, 2]" in narrow
    assert "{contiguity = 2 : i32}" in narrow


def test_a_mask_limits_the_width_of_a_copy():
    text = WIDE.replace(
        "%t = ttg.async_copy_global_to_local %q, %b :",
        "%e = arith.constant dense<34> : tensor<32x64xi32, #blocked>\n"
        "%m = arith.cmpi slt, %at, %e : tensor<32x64xi32, #blocked>\n"
        "%t = ttg.async_copy_global_to_local %q, %b mask %m :",
    )
    narrow = after(text, f"{NAME}{{arch-generation-name=gfx950}}")
    assert "{contiguity = 2 : i32}" in narrow


def test_conversions_have_a_reason():
    module = parse_module(PADDED)
    with collecting() as decisions:
        run_pipeline(parse_pipeline(f"{NAME}{{arch-generation-name=gfx950}}"), module)
    assert {decision.reason for decision in decisions} == {
        "a lane copies 8 elements of 16 bits at once"
    }
    values = {decision.value for decision in decisions}
    conversions = [op for op in module.walk() if op.name == "ttg.convert_layout"]
    assert conversions
    assert all(op.results[0] in values for op in conversions)


def test_contiguous_lanes_stay_whatever_the_warps():
    """The lanes of a warp write 512 contiguous elements, so the order of warps is free."""
    text = WIDE.replace("32x64", "8x1024").replace("32x1x", "8x1x").replace("1x64x", "1x1024x")
    text = text.replace("threadsPerWarp = [8, 8]", "threadsPerWarp = [1, 64]")
    text = text.replace("tensor<64xi32", "tensor<1024xi32").replace("end = 64", "end = 1024")
    text = text.replace("tensor<32xi32", "tensor<8xi32").replace("end = 32", "end = 8")
    assert "ttg.convert_layout" not in after(text, f"{NAME}{{arch-generation-name=gfx950}}")


def test_unknown_and_missing_chips():
    with pytest.raises(UnknownTargetError, match="unknown target gfx999"):
        after(WIDE, f"{NAME}{{arch-generation-name=gfx999}}")
    with pytest.raises(UnknownPassError, match="needs arch-generation-name"):
        after(WIDE, NAME)
