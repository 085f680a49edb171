"""Clusters of CTAs on gfx1250, where data stay within each CTA.

Triton 3.7.1, too, rejects conversions, reductions and scans across CTAs on AMD.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import weft
import weft.language as tl
from tests.codegen import cluster_texts
from tests.codegen.comparing import require_same
from weft.codegen import Machine, lower
from weft.errors import CodegenError, WeftError
from weft.ir.text import parse_module
from weft.simulator import run as simulate

GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.fixture(scope="module")
def machine():
    worker = Machine()
    yield worker
    worker.close()


@weft.jit
def add_programs(x, y, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    more = tl.num_programs(0) + tl.program_id(1) + tl.num_programs(1)
    tl.store(y + i, tl.load(x + i) + more)


@weft.jit
def row_sums(x, y, M: tl.constexpr, N: tl.constexpr):
    """What is combined stays in a block, and takes its shared memory."""
    i, j = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    tl.store(y + tl.arange(0, M), tl.sum(tl.load(x + i * N + j), 1))


@weft.jit
def total(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y, tl.sum(tl.load(x + i)))


@pytest.mark.parametrize("blocks", [2, 4])
def test_tile_distributed_over_ctas(blocks, machine):
    compiled = weft.compile(
        add_programs, signature="*fp32:16, *fp32:16, 1024", target="hip:gfx1250", num_ctas=blocks
    )
    require_same(compiled)
    llvm = lower(compiled.module("ttgir"))
    assert f'"amdgpu-cluster-dims"="{blocks},1,1"' in llvm.text
    assert "s_endpgm" in machine.emit(llvm, "assembly").decode()


def test_reductions_within_a_cta():
    compiled = weft.compile(
        row_sums, signature="*fp32:16, *fp32:16, 4, 512", target="hip:gfx1250", num_ctas=2
    )
    report = require_same(compiled, tolerance=1e-4)
    assert report.barriers > 0


def cluster_barrier(replaced: str = "", by: str = ""):
    """Return the kernel of TTGIR that Triton 3.7.1 printed, and its LLVM IR with a change."""
    llvm = lower(parse_module((GOLDEN / "gfx1250_cluster_barrier.ttgir").read_text()))
    assert replaced in llvm.text
    return llvm, llvm.text.replace(replaced, by)


def run(text: str) -> np.ndarray:
    x = np.arange(1024, dtype=np.int32)
    y = np.zeros_like(x)
    simulate(text, grid=(1,), arguments=[x, y], warp_size=32, shared_bytes=0)
    return y


def test_cluster_barriers(machine):
    llvm, text = cluster_barrier()
    np.testing.assert_array_equal(run(text), np.arange(1, 1025))
    said = machine.emit(llvm, "assembly").decode()
    assert said.count("s_barrier_signal -3") == said.count("s_barrier_wait -3") == 1


SIGNAL = "  call void @llvm.amdgcn.s.barrier.signal(i32 -3)\n"


@pytest.mark.parametrize(
    ("replaced", "by", "message"),
    [
        (SIGNAL, "", "waits at the cluster barrier before it has arrived"),
        (SIGNAL, SIGNAL + SIGNAL, "arrives at the cluster barrier twice"),
        ("signal(i32 -3)", "signal(i32 -1)", "not a cluster barrier"),
        ("br i1 %t", "br i1 true ; %t", "more than one warp signals"),
    ],
)
def test_simulator_reports_hazards(replaced, by, message):
    _, text = cluster_barrier()
    if replaced.startswith("br"):
        start = text.index("br i1")
        end = text.index(",", start)
        text = f"{text[:start]}br i1 true{text[end:]}"
    else:
        _, text = cluster_barrier(replaced, by)
    with pytest.raises(CodegenError, match=message):
        run(text)


@pytest.mark.parametrize(
    ("chip", "message"),
    [
        ("hip:gfx1250", "do not reach each other's shared memory"),
        ("hip:gfx942", "no clusters of 2 blocks|num_ctas"),
    ],
)
def test_errors(chip, message):
    def made() -> None:
        compiled = weft.compile(
            total, signature="*fp32:16, *fp32:16, 1024", target=chip, num_ctas=2
        )
        lower(compiled.module("ttgir"))

    with pytest.raises(WeftError, match=message):
        made()


def moved(split: list[list[int]]) -> str:
    """Return a kernel that moves a tile in and out, shared out as a CGALayout says."""
    memory = (
        "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0], "
        f"CGALayout = {split}}}>"
    )
    kinds = (
        "!ttg.memdesc<64x32xf16, #a, #ttg.shared_memory, mutable>",
        "!tt.tensordesc<tensor<64x32xf16, #a>>",
    )
    body = f"""
    %i = arith.constant 8 : i32
    %o = arith.constant 1 : i32
    %s = arith.constant 1 : i64
    %w = arith.extsi %n : i32 to i64
    %d = tt.make_tensor_descriptor %p, [%m, %n], [%w, %s] : <f16>, <tensor<64x32xf16, #a>>
    %e = tt.make_tensor_descriptor %q, [%m, %n], [%w, %s] : <f16>, <tensor<64x32xf16, #a>>
    %t = ttg.local_alloc : () -> {kinds[0]}
    %0 = amdg.async_tdm_copy_global_to_local %d[%i, %i] into %t, %o : {kinds[1]} -> {kinds[0]}
    %1 = amdg.async_tdm_wait  {{num = 0 : i32}}
    amdg.async_tdm_copy_local_to_global %e[%i, %i] from %t : {kinds[0]} -> {kinds[1]}
    %2 = amdg.async_tdm_wait  {{num = 0 : i32}}"""
    arguments = "%p: !tt.ptr<f16>, %q: !tt.ptr<f16>, %m: i32, %n: i32"
    return cluster_texts.module(body, [memory], 1 << len(split), arguments, "hip:gfx1250")


@pytest.mark.parametrize("rows", [50, 72])
@pytest.mark.parametrize(
    ("split", "mask"),
    [
        ([[1, 0]], None),
        ([[0, 1]], None),
        ([[0, 0]], 3),
        ([[1, 0], [0, 0]], 5),
        ([[0, 1], [1, 0]], None),
        ([[0, 0], [2, 0], [1, 0]], 3),
    ],
    ids=str,
)
def test_each_cta_copies_its_part_of_a_tile(machine, split, mask, rows):
    llvm = lower(parse_module(moved(split)))
    x = np.random.default_rng(0).standard_normal((rows, 40)).astype(np.float16)
    y = np.zeros_like(x)
    simulate(
        llvm.text,
        grid=(1,),
        arguments=[x, y, rows, 40],
        warp_size=32,
        shared_bytes=llvm.shared_bytes,
    )
    expected = np.zeros_like(x)
    expected[8:72, 8:40] = x[8:72, 8:40]
    np.testing.assert_array_equal(y, expected)
    masks = re.findall(r"shl i32 (\d+), %", llvm.text)
    assert masks == ([] if mask is None or len(split) == 1 else [str(mask)])
    machine.emit(llvm, "assembly")


def test_copy_of_the_tile_of_another_cta():
    llvm = lower(parse_module(moved([[0, 0]])))
    text = llvm.text.replace("i32 65539", "i32 65538")
    assert text != llvm.text
    x = np.zeros((72, 40), np.float16)
    with pytest.raises(CodegenError, match="the multicast mask of a TDM load does not fit"):
        simulate(text, grid=(1,), arguments=[x, x.copy(), 72, 40], warp_size=32, shared_bytes=4096)


@pytest.mark.parametrize("message", ["prefetch tiles"])
def test_tdm_copies_are_rejected(message):
    source = (GOLDEN / "gfx1250_tile_prefetched.ttgir").read_text()
    source = source.replace('"ttg.num-ctas" = 1', '"ttg.num-ctas" = 2')
    with pytest.raises(CodegenError, match=f"does not {message} for clusters"):
        lower(parse_module(source))
