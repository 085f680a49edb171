"""LDS barriers on gfx1250 and copies that arrive on them; TTGIR printed by Triton 3.7.1."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from weft.codegen import LlvmModule, Machine, lower
from weft.errors import CodegenError
from weft.ir.text import parse_module
from weft.simulator import run as simulate

GOLDEN = Path(__file__).parents[2] / "golden"
BARRIER = "!ttg.memdesc<1xi64, #one, #smem, mutable>"


@pytest.fixture(scope="module")
def machine():
    worker = Machine()
    yield worker
    worker.close()


def golden(name: str) -> LlvmModule:
    return lower(parse_module((GOLDEN / f"gfx1250_{name}.ttgir").read_text()))


def run(llvm: LlvmModule, arguments: list[object], text: str = ""):
    return simulate(
        text or llvm.text,
        grid=(1,),
        arguments=arguments,
        warp_size=32,
        shared_bytes=llvm.shared_bytes,
    )


def kernel(*lines: str, warps: int = 4, chip: str = "hip:gfx1250") -> str:
    """Return a kernel with a barrier %b, the thread's number %t, and y at %place."""
    return f"""
#one = #ttg.swizzled_shared<{{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}}>
#smem = #ttg.shared_memory
#l = #ttg.blocked<{{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [{warps}],
 order = [0]}}>
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = {warps} : i32,
 ttg.target = "{chip}", "ttg.threads-per-warp" = 32 : i32}} {{
tt.func public @k(%y: !tt.ptr<i32>) {{
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %b = ttg.local_alloc : () -> {BARRIER}
{chr(10).join(lines)}
  %r = tt.make_range {{start = 0 : i32, end = {32 * warps} : i32}} : tensor<{32 * warps}xi32, #l>
  %p = tt.splat %y : !tt.ptr<i32> -> tensor<{32 * warps}x!tt.ptr<i32>, #l>
  %q = tt.addptr %p, %r : tensor<{32 * warps}x!tt.ptr<i32>, #l>, tensor<{32 * warps}xi32, #l>
  %s = tt.splat %last : i32 -> tensor<{32 * warps}xi32, #l>
  tt.store %q, %s : tensor<{32 * warps}x!tt.ptr<i32>, #l>
  tt.return
}}
}}
"""


INIT = f"amdg.init_barrier %b, 128 : {BARRIER}"
WAIT = f"amdg.wait_barrier %b, {{}} : {BARRIER}"
ARRIVE = f"{{}} = amdg.arrive_barrier %b, {{}} : {BARRIER} -> i32"


def test_phases(machine):
    lines = [INIT]
    for n, phase in enumerate(["%zero", "%one", "%zero"]):
        lines += [ARRIVE.format(f"%a{n}", 1), WAIT.format(phase)]
    llvm = lower(parse_module(kernel(*lines, ARRIVE.format("%last", 1))))
    y = np.full(128, 7, np.int32)
    run(llvm, [y])
    assert (y == 1).all()
    said = machine.emit(llvm, "assembly").decode()
    assert said.count("ds_atomic_barrier_arrive_rtn_b64") == 4
    assert said.count("\ts_barrier_signal") == 1  # after the barrier's initialization


@pytest.mark.parametrize(("count", "times"), [(64, 2), (256, 1)])
def test_arrivals_are_counted(count, times):
    lines = [
        INIT.replace("128", str(64 * 4 if times == 2 else count)),
        ARRIVE.format("%last", times),
        WAIT.format("%zero"),
    ]
    llvm = lower(parse_module(kernel(*lines)))
    if times == 2:
        run(llvm, [np.zeros(128, np.int32)])
    else:
        with pytest.raises(CodegenError, match="deadlock"):
            run(llvm, [np.zeros(128, np.int32)])


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([ARRIVE.format("%last", 1)], "no barrier was initialized at this byte"),
        ([INIT.replace("128", "3"), ARRIVE.format("%last", 4)], "more arrivals at a barrier"),
    ],
)
def test_simulator_reports_hazards(lines, message):
    with pytest.raises(CodegenError, match=message):
        run(lower(parse_module(kernel(*lines))), [np.zeros(128, np.int32)])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            kernel(INIT, ARRIVE.format("%last", 1), chip="hip:gfx1201"),
            "has no mbarriers",
        ),
        (kernel(INIT.replace("128", "70000"), "%last = arith.addi %one, %one : i32"), "1 to 65536"),
    ],
)
def test_errors(given, message):
    with pytest.raises(CodegenError) as caught:
        lower(parse_module(given))
    assert message in str(caught.value)


def test_tdm_copies_arrive_on_lds_barriers(machine):
    """Two tiles are under way; each is stored when its four warps have arrived."""
    llvm = golden("tiles_that_arrive")
    x = np.random.default_rng(0).standard_normal((70, 80)).astype(np.float16)
    y = np.zeros_like(x)
    run(llvm, [x, y, 70, 80, 3, 8])
    expected = np.zeros_like(x)
    expected[3:67, 8:72] = x[3:67, 8:72]
    np.testing.assert_array_equal(y, expected)
    said = machine.emit(llvm, "assembly").decode()
    assert said.count("\ts_barrier_signal") == 1  # of Triton's, 6
    blind = re.sub(r"= load volatile i32.*", "= add i32 0, 536870912", llvm.text)
    with pytest.raises(CodegenError, match="reads shared memory that an unfinished one writes"):
        run(llvm, [x, y, 70, 80, 3, 8], blind)


def test_async_copies_arrive_on_lds_barriers():
    """Threads arrive, and their copies do; what they brought goes back without registers."""
    llvm = golden("copies_that_arrive")
    x = np.random.default_rng(0).standard_normal(1024).astype(np.float32)
    y = np.zeros_like(x)
    run(llvm, [x, y, 1000])
    np.testing.assert_array_equal(y[:1000], x[:1000])
    assert not y[1000:].any()
    missing = re.sub(r"\n.*call void @llvm.amdgcn.ds.atomic.async.barrier.arrive.*", "", llvm.text)
    with pytest.raises(CodegenError, match="deadlock"):
        run(llvm, [x, y, 1000], missing)
