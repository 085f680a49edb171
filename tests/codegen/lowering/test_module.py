"""Barriers inserted in a function: the simulator reports a race without them."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from tests.codegen.comparing import require_same
from weft.analysis.hazards import Barriers
from weft.codegen import Machine, lower
from weft.errors import CodegenError
from weft.ir.text import parse_module
from weft.simulator import run as simulate


def softmax(chip: str):
    """Compile softmax, whose two reductions use the same scratch memory."""
    from examples.softmax import softmax_row

    return weft.compile(
        softmax_row, signature="*fp32:16, *fp32:16, i32:16, i32:16, i32:16, 1024", target=chip
    )


@pytest.mark.parametrize("chip", ["cuda:90", "hip:gfx942"])
def test_barrier_between_reductions_that_share_scratch(chip):
    report = require_same(softmax(chip))
    assert report.barriers == 3 * 6  # one inside each reduction, one between them; six programs


@pytest.mark.parametrize("chip", ["cuda:90", "hip:gfx942"])
def test_missing_barrier_between_reductions_is_a_race(chip, monkeypatch):
    monkeypatch.setattr("weft.codegen.lowering.function.barriers", lambda *_: Barriers(frozenset()))
    with pytest.raises(CodegenError, match=r"of shared memory that .*, with no barrier between"):
        require_same(softmax(chip))


def through_shared_memory(chip: str, lanes: int):
    """Return the LLVM module of one warp that writes a tile to shared memory and reads it."""
    text = f"""
    #a = #ttg.blocked<{{sizePerThread = [1, 4], threadsPerWarp = [{lanes // 8}, 8],
                       warpsPerCTA = [1, 1], order = [1, 0]}}>
    #b = #ttg.blocked<{{sizePerThread = [4, 1], threadsPerWarp = [8, {lanes // 8}],
                       warpsPerCTA = [1, 1], order = [0, 1]}}>
    #s = #ttg.swizzled_shared<{{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}}>
    module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32,
                       ttg.target = "{chip}", "ttg.threads-per-warp" = {lanes} : i32}} {{
      tt.func public @k(%p: !tt.ptr<f32>) {{
        %q = tt.splat %p : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>, #a>
        %x = tt.load %q : tensor<32x32x!tt.ptr<f32>, #a>
        %m = ttg.local_alloc %x : (tensor<32x32xf32, #a>)
             -> !ttg.memdesc<32x32xf32, #s, #ttg.shared_memory>
        %y = ttg.local_load %m : !ttg.memdesc<32x32xf32, #s, #ttg.shared_memory>
             -> tensor<32x32xf32, #b>
        %r = tt.splat %p : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>, #b>
        tt.store %r, %y : tensor<32x32x!tt.ptr<f32>, #b>
        tt.return
      }}
    }}"""
    llvm = lower(parse_module(text))
    simulate(
        llvm.text,
        grid=(1, 1),
        arguments=[np.ones(8, np.float32)],
        warp_size=lanes,
        shared_bytes=llvm.shared_bytes,
    )
    return llvm


def test_one_warp_needs_only_a_warp_barrier():
    text = through_shared_memory("cuda:90", 32).text
    assert text.count("call void @llvm.nvvm.bar.warp.sync(i32 -1)") == 1
    assert "@llvm.nvvm.barrier" not in text


def test_one_wavefront_needs_no_barrier():
    machine = Machine()
    text = machine.emit(through_shared_memory("hip:gfx942", 64), "assembly").decode()
    machine.close()
    assert "ds_write" in text
    assert "s_barrier" not in text


def test_conversion_repetitions_use_separate_scratch_if_it_fits():
    """A small conversion after large buffers waits once, alone it waits for each repetition."""
    text = """
    #a = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8],
                       warpsPerCTA = [4, 1], order = [1, 0]}>
    #b = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4],
                       warpsPerCTA = [1, 4], order = [0, 1]}>
    #s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
    module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32,
                       ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
      tt.func public @k(%arg0: !tt.ptr<f32>) {
        BUFFER
        %x = arith.constant dense<1.0> : tensor<128x64xf32, #a>
        %y = ttg.convert_layout %x : tensor<128x64xf32, #a> -> tensor<128x64xf32, #b>
        tt.return
      }
    }"""
    buffer = """%s = arith.constant dense<0.0> : tensor<256x64xf32, #a>
        %m = ttg.local_alloc %s : (tensor<256x64xf32, #a>)
             -> !ttg.memdesc<256x64xf32, #s, #ttg.shared_memory>
        %t = ttg.local_load %m : !ttg.memdesc<256x64xf32, #s, #ttg.shared_memory>
             -> tensor<256x64xf32, #a>"""
    alone, after_buffer = (
        lower(parse_module(text.replace("BUFFER", text_of_buffer)))
        for text_of_buffer in ("", buffer)
    )
    waits = "call void @llvm.nvvm.barrier.cta.sync"
    assert alone.text.count(waits) == 3
    assert alone.shared_bytes == 128 * 64 * 4 // 2
    assert after_buffer.text.count(waits) == 1 + 1 + 1  # to the buffer, from it, and the conversion
    assert after_buffer.shared_bytes == 256 * 64 * 4
