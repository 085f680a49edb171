"""Buffer operations: the reasons in the ledger, the options, and unknown chips."""

from __future__ import annotations

import pytest

from weft.decisions import collecting
from weft.errors import PassError, UnknownTargetError
from weft.ir.text import parse_module, print_module
from weft.passes import parse_pipeline, run_pipeline

LAYOUT = (
    "#ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>"
)
TEXT = """
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32%s} {
tt.func public @k(%%a: !tt.ptr<f32> {tt.pointer_range = 32 : i32}, %%b: !tt.ptr<f32>, %%n: i32) {
  %%range = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, L>
  %%s = tt.splat %%n : i32 -> tensor<1024xi32, L>
  %%o = arith.addi %%s, %%range : tensor<1024xi32, L>
  %%a0 = tt.splat %%a : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, L>
  %%b0 = tt.splat %%b : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, L>
  %%p = tt.addptr %%a0, %%o : tensor<1024x!tt.ptr<f32>, L>, tensor<1024xi32, L>
  %%q = tt.addptr %%b0, %%range : tensor<1024x!tt.ptr<f32>, L>, tensor<1024xi32, L>
  %%r = tt.addptr %%b0, %%o : tensor<1024x!tt.ptr<f32>, L>, tensor<1024xi32, L>
  %%v = tt.load %%p : tensor<1024x!tt.ptr<f32>, L>
  %%w = tt.load %%q : tensor<1024x!tt.ptr<f32>, L>
  %%x = arith.addf %%v, %%w : tensor<1024xf32, L>
  tt.store %%r, %%x : tensor<1024x!tt.ptr<f32>, L>
  tt.return
}
}
"""


def text(target=', ttg.target = "hip:gfx942"'):
    return (TEXT % target).replace("L>", f"{LAYOUT}>")


def run(source, pipeline="tritonamdgpu-convert-buffer-ops"):
    module = parse_module(source)
    run_pipeline(parse_pipeline(pipeline), module)
    return print_module(module)


def test_reasons():
    with collecting() as decisions:
        run(text())
    records = [(d.choice, d.reason, dict(d.facts)) for d in decisions if "buffer-ops" in d.stage]
    assert (
        "amdg.buffer_load",
        "the argument's array is within 2 GiB",
        {"tt.pointer_range": "32"},
    ) in records
    assert (
        "amdg.buffer_load",
        "its offsets are proved to be within 2 GiB",
        {"offset": "[0, 1023]", "reach": "4096 bytes"},
    ) in records
    (unchanged,) = [record for record in records if "unchanged" in record[0]]
    assert unchanged[:2] == ("tt.store unchanged", "its offsets may be negative")


def test_analyze_small_tensor_ofst_ignores_the_pointer_range():
    pipeline = "tritonamdgpu-convert-buffer-ops{analyze-small-tensor-ofst=true}"
    assert run(text(), pipeline).count("amdg.buffer_load") == 1


def test_the_chip_is_an_option_or_an_attribute_of_the_module():
    with_option = "tritonamdgpu-convert-buffer-ops{arch-generation-name=gfx1100}"
    assert "amdg.buffer_load" in run(text(""), with_option)
    with pytest.raises(PassError, match="missing target chip"):
        run(text(""))
    with pytest.raises(
        UnknownTargetError, match="no buffer instructions are listed for target gfx999"
    ):
        run(text(), "tritonamdgpu-convert-buffer-ops{arch-generation-name=gfx999}")
