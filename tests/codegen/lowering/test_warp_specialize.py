"""`ttg.warp_specialize`: captures, partitions and synchronization between partitions."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.codegen.descriptors import assembles, simulated
from weft.codegen import lower
from weft.errors import CodegenError
from weft.ir.text import parse_module
from weft.passes import parse_pipeline, run_pipeline

GOLDEN = Path(__file__).parents[1] / "golden"

MODULE = """
#two = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
#one = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#four = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32,
                   ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @sums(%out: !tt.ptr<f32>, %n: i32) {
    %zero = arith.constant 0 : i32
    %step = arith.constant 1 : i32
    %turns = arith.constant 3 : i32
    %part = arith.constant 64 : i32
    %rest = arith.constant 256 : i32
    scf.for %i = %zero to %turns step %step : i32 {
      %x = arith.addi %n, %i : i32
      %f = arith.sitofp %x : i32 to f32
      %c = arith.cmpi sgt, %i, %zero : i32
      %whole = arith.muli %i, %rest : i32
      %to = tt.addptr %out, %whole : !tt.ptr<f32>, i32
      %r = ttg.warp_specialize(%to, %f, %c, %part)
      default {
        %v = tt.splat %f : f32 -> tensor<128xf32, #four>
        %sum = "tt.reduce"(%v) <{axis = 0 : i32}> ({
        ^bb0(%a: f32, %b: f32):
          %s = arith.addf %a, %b : f32
          tt.reduce.return %s : f32
        }) : (tensor<128xf32, #four>) -> f32
        ttg.warp_yield %sum : f32
      }
      partition0(%p: !tt.ptr<f32>, %g: f32, %d: i1, %o: i32) num_warps(2) {
        %v = tt.splat %g : f32 -> tensor<64xf32, #two>
        %sum = "tt.reduce"(%v) <{axis = 0 : i32}> ({
        ^bb0(%a: f32, %b: f32):
          %s = arith.addf %a, %b : f32
          tt.reduce.return %s : f32
        }) : (tensor<64xf32, #two>) -> f32
        %w = tt.splat %sum : f32 -> tensor<64xf32, #two>
        %e = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #two>
        %q = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #two>
        %at = tt.addptr %q, %e : tensor<64x!tt.ptr<f32>, #two>, tensor<64xi32, #two>
        tt.store %at, %w : tensor<64x!tt.ptr<f32>, #two>
        ttg.warp_return
      }
      partition1(%p: !tt.ptr<f32>, %g: f32, %d: i1, %o: i32) num_warps(1) {
        scf.if %d {
          %w = tt.splat %g : f32 -> tensor<64xf32, #one>
          %e = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #one>
          %far = tt.addptr %p, %o : !tt.ptr<f32>, i32
          %q = tt.splat %far : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #one>
          %at = tt.addptr %q, %e : tensor<64x!tt.ptr<f32>, #one>, tensor<64xi32, #one>
          tt.store %at, %w : tensor<64x!tt.ptr<f32>, #one>
        }
        ttg.warp_return
      } : (!tt.ptr<f32>, f32, i1, i32) -> f32
      %own = tt.splat %r : f32 -> tensor<128xf32, #four>
      %e = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #four>
      %q = tt.splat %to : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #four>
      %k = tt.splat %part : i32 -> tensor<128xi32, #four>
      %k2 = arith.addi %k, %k : tensor<128xi32, #four>
      %e2 = arith.addi %e, %k2 : tensor<128xi32, #four>
      %at = tt.addptr %q, %e2 : tensor<128x!tt.ptr<f32>, #four>, tensor<128xi32, #four>
      tt.store %at, %own : tensor<128x!tt.ptr<f32>, #four>
    }
    tt.return
  }
}
"""


def test_captures_and_join():
    module = parse_module(MODULE)
    out = np.zeros(3 * 256, np.float32)
    simulated(module, (1,), [out, 7])
    for turn, row in enumerate(out.reshape(3, 256)):
        value = 7 + turn
        assert (row[:64] == 64 * value).all()
        assert (row[64:128] == (value if turn else 0)).all()
        assert (row[128:] == 128 * value).all()
    assembles(module)
    llvm = lower(module)
    assert llvm.launch.num_warps == 8  # four, two, one, and one that idles
    assert "setmaxnreg" not in llvm.text


def test_larger_partitions_come_first_for_alignment():
    swapped = MODULE.replace("num_warps(1)", "num_warps(4)").replace(
        "warpsPerCTA = [1]", "warpsPerCTA = [4]"
    )
    llvm = lower(parse_module(swapped))
    actual = re.findall(r"sub i32 %\S+, (\d+)", llvm.text)
    assert {"8", "4"} <= set(actual)
    assert llvm.launch.num_warps == 12


def test_triton_warp_specialized_matmul():
    """One group of warps asks for tiles, two multiply; the pool of registers is shared out."""
    module = parse_module((GOLDEN / "specialised_matmul.ttgir").read_text())
    random = np.random.default_rng(0)
    a, b = (random.standard_normal((n, 96)).astype(np.float16) for n in (136, 128))
    c = np.zeros((136, 128), np.float16)
    simulated(module, (2,), [a, b, c, 136, 128, 96])
    expected = a.astype(np.float32) @ b.astype(np.float32).T
    np.testing.assert_allclose(c.astype(np.float32), expected, 1e-2, 5e-2)
    run_pipeline(parse_pipeline("tritongpu-allocate-warp-groups"), module)
    llvm = lower(module)
    assert llvm.shared_bytes <= 131544
    assert llvm.launch.num_warps == 12
    assert llvm.launch.maxnreg == 168
    said = re.findall(r"setmaxnreg\.(\w+)\.sync\.aligned\.u32 (\d+)", llvm.text)
    assert set(said) == {
        ("inc", "256"), ("dec", "120"), ("dec", "40"), ("inc", "232")
    }  # fmt: skip
    assert assembles(module).spill_stores == 0


def test_triton_warp_specialized_attention():
    module = parse_module((GOLDEN / "specialised_attention.ttgir").read_text())
    random = np.random.default_rng(0)
    q, k, v = (random.standard_normal((128, 64)).astype(np.float16) for _ in range(3))
    actual = np.zeros((128, 64), np.float16)
    simulated(module, (2,), [q, k, v, actual, 128, 0.18])
    scores = q.astype(np.float32) @ k.astype(np.float32).T * 0.18
    weights = np.exp2(scores - scores.max(1, keepdims=True))
    expected = weights / weights.sum(1, keepdims=True) @ v.astype(np.float32)
    np.testing.assert_allclose(actual.astype(np.float32), expected, 1e-2, 2e-3)
    assert assembles(module).spill_stores == 0


def test_triton_warp_specialized_matmul_of_two_ctas():
    """One warp multiplies into tensor memory, two ask for tiles, the kernel's own store."""
    module = parse_module((GOLDEN / "specialised_cluster.ttgir").read_text())
    random = np.random.default_rng(0)
    a, b = (random.standard_normal(shape).astype(np.float16) for shape in ((128, 256), (256, 128)))
    c = np.zeros((128, 128), np.float16)
    flat = [each.reshape(-1) for each in (a, b, c)]
    simulated(module, (1, 1), [*flat, 128, 128, 256])
    expected = a.astype(np.float32) @ b.astype(np.float32)
    np.testing.assert_allclose(c.astype(np.float32), expected, 1e-2, 5e-2)
    assembles(module)


def test_arrival_waits_for_tensor_memory_accesses_of_all_warps():
    """One thread arrives for four warps that loaded and stored: all must have come there."""
    module = parse_module((GOLDEN / "specialised_tensor_memory.ttgir").read_text())
    random = np.random.default_rng(0)
    q, k, v = (random.standard_normal((256, 64)).astype(np.float16) for _ in range(3))
    actual = np.zeros((256, 64), np.float16)
    flat = [each.reshape(-1) for each in (q, k, v, actual)]
    simulated(module, (1, 1), [*flat, 256, 0.18])
    scores = q.astype(np.float32) @ k.astype(np.float32).T * 0.18
    weights = np.exp2(scores - scores.max(1, keepdims=True))
    expected = weights / weights.sum(1, keepdims=True) @ v.astype(np.float32)
    np.testing.assert_allclose(actual.astype(np.float32), expected, 1e-2, 2e-3)
    assembles(module)


def test_descriptor_fence_before_other_partitions():
    """The kernel's own warps wrote the bytes: a fence of those that copy would be another's."""
    text = lower(parse_module((GOLDEN / "specialised_cluster.ttgir").read_text())).text
    fence = "fence.proxy.async.shared::cta"
    until_they_start, _, rest = text[text.index("body:") :].partition("barrier.cta.sync.all")
    assert fence in until_they_start
    assert fence not in rest[rest.index("partition.p1.0:") :]


def test_missing_wait_between_partitions_is_reported():
    module = parse_module((GOLDEN / "specialised_matmul.ttgir").read_text())
    llvm = lower(module)
    lines = [line for line in llvm.text.splitlines()]
    waits = [n for n, line in enumerate(lines) if "partition.p1.0" in line and "try_wait" in line]
    from tests.codegen.descriptors import run_text

    a, b = (np.zeros((128, 64), np.float16) for _ in range(2))
    inputs = [a, b, np.zeros((128, 128), np.float16), 128, 128, 64]
    text = "\n".join(line for n, line in enumerate(lines) if n not in waits)
    assert waits
    with pytest.raises(
        CodegenError, match="shared memory that an unfinished asynchronous copy writes"
    ):
        run_text(llvm, text, (1,), inputs)


def test_no_partitions():
    text = """
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90",
                   "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k() {
    ttg.warp_specialize()
    default {
      ttg.warp_yield
    } : () -> ()
    tt.return
  }
}
"""
    assert lower(parse_module(text)).launch.num_warps == 4


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("cuda:90", "hip:gfx942", "warps cannot be specialised on hip:gfx942"),
        (
            "ttg.warp_specialize(%to, %f",
            "ttg.warp_specialize(%to, %seven",
            "a partition cannot capture a tensor",
        ),
    ],
)
def test_warp_specialize_errors(old, new, message):
    text = MODULE.replace(old, new)
    if "%seven" in new:
        seven = "%seven = arith.constant dense<7.0> : tensor<128xf32, #four>\n      %x = arith.addi"
        text = text.replace("%x = arith.addi", seven)
        text = text.replace("%g: f32", "%g: tensor<128xf32, #four>")
        text = text.replace("(!tt.ptr<f32>, f32, i1", "(!tt.ptr<f32>, tensor<128xf32, #four>, i1")
        text = re.sub(
            r"%v = tt.splat %g.*\n", "%v = arith.constant dense<1.0> : tensor<64xf32, #two>\n", text
        )
        text = re.sub(
            r"%w = tt.splat %g.*\n", "%w = arith.constant dense<1.0> : tensor<64xf32, #one>\n", text
        )
    if "hip" in new:
        text = text.replace('"ttg.threads-per-warp" = 32', '"ttg.threads-per-warp" = 64')
        text = text.replace("threadsPerWarp = [32]", "threadsPerWarp = [64]")
    with pytest.raises(CodegenError, match=message):
        lower(parse_module(text))


FUNCTIONS = """
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32,
                   ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func private @inner() attributes {noinline = true} {
    INNER
    tt.return
  }
  tt.func public @outer() {
    OUTER
    tt.call @inner() : () -> ()
    tt.return
  }
}
"""
SPECIALISED = """ttg.warp_specialize()
    default {
      BODY
      ttg.warp_yield
    }
    partition0() num_warps(4) {
      ttg.warp_return
    } : () -> ()"""
PLAIN = SPECIALISED.replace("BODY\n", "\n")


@pytest.mark.parametrize(
    ("inner", "outer", "message"),
    [
        (PLAIN, "", "supported in kernels, not in functions they call"),
        ("", PLAIN, "outer specialises warps, and calls a function"),
    ],
)
def test_warp_specialize_in_a_callee_is_rejected(inner, outer, message):
    with pytest.raises(CodegenError, match=message):
        lower(parse_module(FUNCTIONS.replace("INNER", inner).replace("OUTER", outer)))


def test_partition_regions_of_one_block():
    jumps = SPECIALISED.replace("BODY", "cf.br ^next\n    ^next:")
    module = FUNCTIONS.replace("INNER", "").replace("OUTER", jumps).replace("tt.call", "// tt.call")
    with pytest.raises(CodegenError, match="a region of specialised warps has one block"):
        lower(parse_module(module))
