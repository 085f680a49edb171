"""Copies past the registers: chips, masks, ledger; prologue loads and what they wait for."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.decisions import collecting
from weft.errors import UnknownPassError, UnknownTargetError
from weft.ir.text import parse_module, print_module
from weft.passes import parse_pipeline, run_pipeline

NAME = "tritonamdgpu-coalesce-async-copy"
FILE = Path(__file__).with_name("coalesce_async_copy.mlir")
SWIZZLED, WIDE, PADDED = FILE.read_text().split("// -----")


def after(text: str, pipeline: str) -> str:
    module = parse_module(text)
    run_pipeline(parse_pipeline(pipeline), module, verify=True)
    return print_module(module)


@pytest.mark.parametrize("arch", ["gfx90a", "gfx1100", "gfx1250"])
def test_chips_without_such_copies_need_nothing(arch):
    text = after(SWIZZLED, f"{NAME}{{arch-generation-name={arch}}}")
    assert "ttg.convert_layout" not in text


def test_a_chip_copies_what_it_can():
    # 128 bits on gfx950; gfx942 copies 32 at once.
    assert "ttg.convert_layout" not in after(WIDE, f"{NAME}{{arch-generation-name=gfx950}}")
    narrow = after(WIDE, f"{NAME}{{arch-generation-name=gfx942}}")
    assert "sizePerThread = [1, 2]" in narrow
    assert "{contiguity = 2 : i32}" in narrow


def test_a_mask_narrows_a_copy():
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
    assert {one.reason for one in decisions} == {"a lane copies 8 elements of 16 bits at once"}
    told = {one.value for one in decisions}
    made = [op for op in module.walk() if op.name == "ttg.convert_layout"]
    assert made
    assert all(op.results[0] in told for op in made)


def test_the_chip_must_be_known_and_named():
    with pytest.raises(UnknownTargetError, match="unknown target gfx999"):
        after(WIDE, f"{NAME}{{arch-generation-name=gfx999}}")
    with pytest.raises(UnknownPassError, match="needs arch-generation-name"):
        after(WIDE, NAME)


LOADS = """
tt.func public @k(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>, %n: i32, %x: i32) {
  tt.store %p, %x : !tt.ptr<i32>
  %y = tt.load %ADDRESS {amd.pipeliner_part = "prologue"} : !tt.ptr<i32>
  %z = arith.addi %y, %n : i32
  tt.store %q, %z : !tt.ptr<i32>
  tt.return
}
"""


def test_a_load_does_not_pass_a_store_through_its_own_argument():
    stays = after(LOADS.replace("%ADDRESS", "%p"), "tritonamdgpu-move-up-prologue-loads")
    assert stays.index("tt.store %arg0") < stays.index("tt.load")
    moves = after(LOADS.replace("%ADDRESS", "%q"), "tritonamdgpu-move-up-prologue-loads")
    assert moves.index("tt.load") < moves.index("tt.store %arg0")
