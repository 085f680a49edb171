"""What a loop with wgmma starts with has registers of its own, so that products go on alone."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.codegen.comparing import require_text
from weft.codegen import lower
from weft.codegen.own_registers import own_registers
from weft.codegen.ptxas import ptxas_for
from weft.codegen.writer import Writer
from weft.ir.text import parse_module

EXPERTS = Path(__file__).parent / "golden" / "rows_of_experts.ttgir"
DATA, SUMS = "tensor<64x64xf16, #b>", "tensor<64x64xf32, #mma>"
VIEW = "!ttg.memdesc<64x64xf16, #s, #smem>"
# Two sums of products, over as many steps as %n says: none, perhaps.
KERNEL = f"""
#b = #ttg.blocked<{{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}}>
#mma = #ttg.nvidia_mma<{{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}}>
#s = #ttg.nvmma_shared<{{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}}>
#smem = #ttg.shared_memory
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32}} {{
tt.func public @sums(%x: !tt.ptr<f16> {{tt.divisibility = 16 : i32}}, %y: !tt.ptr<f32> {{tt.divisibility = 16 : i32}}, %given: i32) {{
  %zero = arith.constant dense<0.0> : {SUMS}
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %n = arith.remsi %given, %c4 : i32
  %r = tt.make_range {{start = 0 : i32, end = 64 : i32}} : tensor<64xi32, #ttg.slice<{{dim = 1, parent = #b}}>>
  %re = tt.expand_dims %r {{axis = 1 : i32}} : tensor<64xi32, #ttg.slice<{{dim = 1, parent = #b}}>> -> tensor<64x1xi32, #b>
  %c = tt.make_range {{start = 0 : i32, end = 64 : i32}} : tensor<64xi32, #ttg.slice<{{dim = 0, parent = #b}}>>
  %ce = tt.expand_dims %c {{axis = 0 : i32}} : tensor<64xi32, #ttg.slice<{{dim = 0, parent = #b}}>> -> tensor<1x64xi32, #b>
  %width = arith.constant dense<64> : tensor<64x1xi32, #b>
  %rw = arith.muli %re, %width : tensor<64x1xi32, #b>
  %rb = tt.broadcast %rw : tensor<64x1xi32, #b> -> tensor<64x64xi32, #b>
  %cb = tt.broadcast %ce : tensor<1x64xi32, #b> -> tensor<64x64xi32, #b>
  %at = arith.addi %rb, %cb : tensor<64x64xi32, #b>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #b>
  %xp = tt.addptr %xs, %at : tensor<64x64x!tt.ptr<f16>, #b>, tensor<64x64xi32, #b>
  %data = tt.load %xp : tensor<64x64x!tt.ptr<f16>, #b>
  %a = ttg.local_alloc %data : ({DATA}) -> {VIEW}
  ttng.fence_async_shared {{bCluster = false}}
  %two:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %zero, %q = %zero) -> ({SUMS}, {SUMS}) : i32 {{
    %d = ttng.warp_group_dot %a, %a, %p {{inputPrecision = 0 : i32, isAsync = true}} : {VIEW} * {VIEW} -> {SUMS}
    %e = ttng.warp_group_dot %a, %a, %q {{inputPrecision = 0 : i32, isAsync = true}} : {VIEW} * {VIEW} -> {SUMS}
    %w:3 = ttng.warp_group_dot_wait %d, %e, %a {{pendings = 1 : i32}} : {SUMS}, {SUMS}, {VIEW}
    scf.yield %w#0, %w#1 : {SUMS}, {SUMS}
  }}
  %done:2 = ttng.warp_group_dot_wait %two#0, %two#1 {{pendings = 0 : i32}} : {SUMS}, {SUMS}
  %sum = arith.addf %done#0, %done#1 : {SUMS}
  %out = ttg.convert_layout %sum : {SUMS} -> tensor<64x64xf32, #b>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #b>
  %yp = tt.addptr %ys, %at : tensor<64x64x!tt.ptr<f32>, #b>, tensor<64x64xi32, #b>
  tt.store %yp, %out : tensor<64x64x!tt.ptr<f32>, #b>
  tt.return
}}
}}
"""  # noqa: E501


def test_every_sum_starts_in_its_own_register():
    text = lower(parse_module(KERNEL)).text
    first = re.findall(r"= phi float \[ ([^,]+), %", text)
    assert len(first) == 2 * 64 * 64 // 128
    assert len(set(first)) == len(first)
    assert all(value.startswith("%") for value in first)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_sums_of_no_or_many_steps(seed):
    require_text(KERNEL, tolerance=1e-2, seed=seed)


def test_ptxas_lets_products_go_on_beside_other_work(machine):
    """Of Triton's TTGIR for rows that are gathered ptxas warns, where zeros are copied."""
    found = ptxas_for("sm_90a")
    if found is None:
        pytest.skip("no ptxas that knows sm_90a on this machine")
    ptx = machine.emit(lower(parse_module(EXPERTS.read_text())), "assembly")
    command = [found.path, "-v", "-arch=sm_90a", "-o", "/dev/null", "/dev/stdin"]
    done = subprocess.run(command, input=ptx, capture_output=True, check=True)
    assert b"Used" in done.stderr
    assert b"C75" not in done.stderr


def test_values_in_registers_of_their_own_stay():
    w = Writer()
    assert own_registers(w, "float", ["%a", "%b"]) == ["%a", "%b"]
    assert not w.lines
    assert len(set(own_registers(w, "float", ["%a", "%a"]))) == 2
    (one,) = own_registers(w, "i32", ["0"])
    assert one.startswith("%")
    assert "call i32 asm" in w.body()
