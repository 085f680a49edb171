"""`cp.async` that arrives on an mbarrier, and the proxy fence before tensor cores read the data."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.codegen.descriptors import assembles, simulated
from weft.analysis.hazards.async_proxy import AsyncProxyCopies
from weft.codegen import lower
from weft.errors import CodegenError
from weft.ir.text import parse_module

SIZE = "128x128"
VIEW = f"!ttg.memdesc<{SIZE}xf16, #s, #smem, mutable>"
TENSOR = f"!ttg.memdesc<{SIZE}xf32, #tensor, #ttng.tensor_memory, mutable>"
BARRIER = "!ttg.memdesc<1xi64, #one, #smem, mutable>"


def addresses(name: str, base: str, kind: str, layout: str) -> str:
    """Return the addresses of 128 rows of 128 numbers; their values have distinct names."""
    rows, columns = (f"#ttg.slice<{{dim = {dim}, parent = {layout}}}>" for dim in (1, 0))
    all_ = f"tensor<{SIZE}x{{}}, {layout}>"
    pointers, numbers = all_.format(f"!tt.ptr<{kind}>"), all_.format("i32")
    column, row = f"tensor<128x1xi32, {layout}>", f"tensor<1x128xi32, {layout}>"
    of = f"%{name}_"
    return f"""
    {of}r = tt.make_range {{start = 0 : i32, end = 128 : i32}} : tensor<128xi32, {rows}>
    {of}re = tt.expand_dims {of}r {{axis = 1 : i32}} : tensor<128xi32, {rows}> -> {column}
    {of}c = tt.make_range {{start = 0 : i32, end = 128 : i32}} : tensor<128xi32, {columns}>
    {of}ce = tt.expand_dims {of}c {{axis = 0 : i32}} : tensor<128xi32, {columns}> -> {row}
    {of}width = arith.constant dense<128> : {column}
    {of}rw = arith.muli {of}re, {of}width : {column}
    {of}rb = tt.broadcast {of}rw : {column} -> {numbers}
    {of}cb = tt.broadcast {of}ce : {row} -> {numbers}
    {of}at = arith.addi {of}rb, {of}cb : {numbers}
    {of}base = tt.splat {base} : !tt.ptr<{kind}> -> {pointers}
    %{name} = tt.addptr {of}base, {of}at : {pointers}, {numbers}
"""


HEAD = f"(%y: !tt.ptr<f32>, %a: {VIEW}, %m: {BARRIER}, %n: {BARRIER}) num_warps(WARPS) "
COPY_ARRIVES = f"""
    ttng.async_copy_mbarrier_arrive %m {{noIncrement}} : {BARRIER}
"""
LANDED = """
    %group = ttg.async_commit_group tokens %copied
    %landed = ttg.async_wait %group {num = 0 : i32}
"""
COPIES = f"""{addresses("from", "%x", "f16", "#b")}
    %copied = ttg.async_copy_global_to_local %from, %a :
        tensor<{SIZE}x!tt.ptr<f16>, #b> -> <{SIZE}xf16, #s, #smem, mutable>
{COPY_ARRIVES}"""
WAIT = f"""
    %phase = arith.constant 0 : i32
    ttng.wait_barrier %m, %phase : {BARRIER}
"""
WARP_GROUP = f"""
    %zero = arith.constant dense<0.0> : tensor<{SIZE}xf32, #mma>
    %d = ttng.warp_group_dot %a, %a, %zero {{inputPrecision = 0 : i32}} :
        {VIEW} * {VIEW} -> tensor<{SIZE}xf32, #mma>
{addresses("to", "%y", "f32", "#mma")}
    tt.store %to, %d : tensor<{SIZE}x!tt.ptr<f32>, #mma>
"""
TENSOR_MEMORY = f"""
    %yes = arith.constant true
    %no = arith.constant false
    %t = ttng.tmem_alloc : () -> {TENSOR}
    %done = ttg.local_alloc : () -> {BARRIER}
    ttng.init_barrier %done, 1 : {BARRIER}
    ttng.tc_gen5_mma %a, %a, %t, %no, %yes, %done[%yes] {{is_async}} :
        {VIEW}, {VIEW}, {TENSOR}, {BARRIER}
    ttng.wait_barrier %done, %phase : {BARRIER}
    %d = ttng.tmem_load %t : {TENSOR} -> tensor<{SIZE}xf32, #rows>
{addresses("to", "%y", "f32", "#rows")}
    tt.store %to, %d : tensor<{SIZE}x!tt.ptr<f32>, #rows>
"""
ARRIVE = f"""
    ttng.arrive_barrier %n, 1 : {BARRIER}
"""
PRODUCTS = {"cuda:90": WARP_GROUP, "cuda:100": TENSOR_MEMORY}


def apart(*regions: str) -> str:
    """Return a kernel's body: regions that other warps run each, the last of them a single one."""
    partitions = ""
    for number, region in enumerate(regions[1:]):
        own = re.sub(r"(%[yamn])\b", rf"\g<1>{number}", f"{HEAD}{{{region}ttg.warp_return }}")
        warps = 1 if number else 4
        partitions += f"partition{number}{own.replace('WARPS', str(warps))}"
    return f"""
    ttg.warp_specialize(%y, %a, %m, %n)
    default {{
{regions[0]}
      ttg.warp_yield
    }}
    {partitions} : (!tt.ptr<f32>, {VIEW}, {BARRIER}, {BARRIER}) -> ()
"""


def kernel(chip: str, how: str, *, after: str = "") -> str:
    """Return a kernel: y = x @ x.

    Args: how: which warps multiply.  after: operations after the wait for copies.
    """
    own, waiting = WAIT + after + PRODUCTS[chip], WAIT.replace("%m", "%n") + PRODUCTS[chip]
    body = {
        "the same warps": COPIES + own,
        "other warps": apart(COPIES, own),
        "arrival of other warps": apart(COPIES, waiting, WAIT + ARRIVE),
        "arrival after a wait for copies": apart(
            COPIES.replace(COPY_ARRIVES, LANDED) + ARRIVE, waiting
        ),
    }[how]
    return f"""
#b = #ttg.blocked<{{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1],
    order = [1, 0]}}>
#mma = #ttg.nvidia_mma<{{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1],
    instrShape = [16, 128, 16]}}>
#rows = #ttg.linear<{{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64]],
    lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}}>
#s = #ttg.nvmma_shared<{{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}}>
#one = #ttg.swizzled_shared<{{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}}>
#tensor = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
#smem = #ttg.shared_memory
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32,
    ttg.target = "{chip}", "ttg.threads-per-warp" = 32 : i32}} {{
  tt.func public @k(%x: !tt.ptr<f16> {{tt.divisibility = 16 : i32}},
      %y: !tt.ptr<f32> {{tt.divisibility = 16 : i32}}) {{
    %a = ttg.local_alloc : () -> {VIEW}
    %m = ttg.local_alloc : () -> {BARRIER}
    %n = ttg.local_alloc : () -> {BARRIER}
    ttng.init_barrier %m, 128 : {BARRIER}
    ttng.init_barrier %n, 1 : {BARRIER}
{body}
    ttg.local_dealloc %m : {BARRIER}
    tt.return
  }}
}}
"""


def require_product(text: str) -> str:
    """Run a kernel, require what it says, and return its LLVM text."""
    module = parse_module(text)
    x = np.random.default_rng(0).standard_normal((128, 128)).astype(np.float16)
    y = np.zeros((128, 128), np.float32)
    simulated(module, (1,), [x, y])
    wide = x.astype(np.float32)
    np.testing.assert_allclose(y, wide @ wide, 1e-3, 1e-2)
    return lower(module).text


def fences(llvm: str) -> int:
    return llvm.count("fence.proxy.async.shared::cta")


# The fence is after the first of these and before the second.
HOW = {
    "the same warps": ("mbarrier.try_wait", "mma"),
    "other warps": ("mbarrier.try_wait", "mma"),
    "arrival of other warps": ("mbarrier.try_wait", "mbarrier.arrive.shared"),
    "arrival after a wait for copies": ("cp.async.wait_group", "mbarrier.arrive.shared"),
}


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("chip", PRODUCTS)
def test_proxy_fence_after_the_mbarrier_wait(chip, how):
    text = kernel(chip, how)
    llvm = require_product(text)
    assert fences(llvm) == 1
    fence = llvm.index("fence.proxy.async")
    after, before = HOW[how]
    assert llvm.index(after) < fence < llvm.index(before, fence)
    assembles(parse_module(text))


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("chip", PRODUCTS)
def test_missing_fence_is_reported(monkeypatch, chip, how):
    monkeypatch.setattr(AsyncProxyCopies, "are_complete_after", lambda *_: False)
    with pytest.raises(
        CodegenError,
        match="no proxy fence between a thread's store to shared memory and the matrix instruction",
    ):
        require_product(kernel(chip, how))


@pytest.mark.parametrize("chip", PRODUCTS)
def test_explicit_fence_is_enough(chip):
    text = kernel(chip, "other warps", after="ttng.fence_async_shared {bCluster = false}")
    assert fences(require_product(text)) == 1
