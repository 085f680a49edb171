"""Program ids and grid sizes along each axis, and warp ids."""

from __future__ import annotations

import re

import numpy as np
import pytest

import weft
import weft.language as tl
from weft.codegen import Machine, lower
from weft.ir.text import parse_module
from weft.simulator import run


@weft.jit
def places(out, n: tl.constexpr):
    place = tl.program_id(0) + tl.num_programs(0) * (
        tl.program_id(1) + tl.num_programs(1) * tl.program_id(2)
    )
    sizes = tl.num_programs(0) * 100 + tl.num_programs(1) * 10 + tl.num_programs(2)
    tl.store(out + place * n + tl.arange(0, n), sizes + place)


@pytest.mark.parametrize("chip", ["cuda:80", "hip:gfx942", "hip:gfx1201"])
def test_program_ids_and_grid_sizes(chip):
    compiled = weft.compile(places, signature={"out": "*i32"}, constexprs={"n": 8}, target=chip)
    llvm = lower(compiled.module("ttgir"))
    out = np.zeros((24, 8), np.int32)
    run(
        llvm.text,
        grid=(4, 3, 2),
        arguments=[out],
        warp_size=llvm.target.threads_per_warp,
        shared_bytes=llvm.shared_bytes,
    )
    assert (out == 432 + np.arange(24)[:, None]).all()


@weft.jit
def rows(out):
    tl.store(out + tl.program_id(1), 1)


@pytest.mark.parametrize(
    ("chip", "masked"), [("gfx90a", False), ("gfx942", False), ("gfx1201", True), ("gfx1250", True)]
)
def test_program_ids_of_y_and_z_are_distinct(chip, masked):
    """The grid may have a z dimension that the kernel does not read."""
    compiled = weft.compile(rows, signature={"out": "*i32"}, target=f"hip:{chip}")
    machine = Machine()
    code = machine.emit(lower(compiled.module("ttgir")), "assembly").decode()
    machine.close()
    assert ("ttmp7" in code) == masked
    assert (
        bool(re.search(r"(s_and_b32 .*ttmp7, 0xffff|s_bfe_u32 .*ttmp7, 0x100000)", code)) == masked
    )


WARPS = """
#b = #ttg.blocked<{{sizePerThread = [1], threadsPerWarp = [{lanes}], warpsPerCTA = [{warps}],
 order = [0]}}>
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = {warps} : i32,
 ttg.target = "{chip}", "ttg.threads-per-warp" = {lanes} : i32}} {{
tt.func public @k(%out: !tt.ptr<i32>) {{
  %w = ttg.warp_id
  %r = tt.make_range {{start = 0 : i32, end = {size} : i32}} : tensor<{size}xi32, #b>
  %s = tt.splat %out : !tt.ptr<i32> -> tensor<{size}x!tt.ptr<i32>, #b>
  %p = tt.addptr %s, %r : tensor<{size}x!tt.ptr<i32>, #b>, tensor<{size}xi32, #b>
  %v = tt.splat %w : i32 -> tensor<{size}xi32, #b>
  tt.store %p, %v : tensor<{size}x!tt.ptr<i32>, #b>
  tt.return
}}
}}
"""


@pytest.mark.parametrize(
    ("chip", "lanes", "warps"), [("cuda:80", 32, 4), ("hip:gfx942", 64, 2), ("hip:gfx1250", 32, 1)]
)
def test_warp_ids(chip, lanes, warps):
    size = lanes * warps
    text = WARPS.format(chip=chip, lanes=lanes, warps=warps, size=size)
    llvm = lower(parse_module(text))
    out = np.full(size, -1, np.int32)
    run(llvm.text, grid=(1,), arguments=[out], warp_size=lanes)
    np.testing.assert_array_equal(out, np.arange(size) // lanes)
