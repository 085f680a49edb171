"""TDM gather and scatter on gfx1250, for every layout of the row indices.

Triton 3.7.1 uses the row indices of the first lane of each warp for the whole warp. Its LLVM IR is
correct only if one lane holds all indices, so instructions are compared for these layouts only.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

from weft.codegen import Machine, lower
from weft.errors import CodegenError
from weft.ir.text import parse_module, print_module
from weft.passes.amd.update_async_wait_count import UpdateAsyncWaitCount
from weft.simulator import run as simulate

REGISTERS = "#ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [32, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>}>"  # noqa: E501
WARPS = "#ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>}>"  # noqa: E501
LANES = "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>"
MIXED = "#ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [2, 1], threadsPerWarp = [8, 4], warpsPerCTA = [2, 2], order = [1, 0]}>}>"  # noqa: E501
# Neighbouring rows in different warps: one row at a time.
APART = "#ttg.linear<{register = [[4], [8]], lane = [[16], [0], [0], [0], [0]], warp = [[1], [2]], block = []}>"  # noqa: E501


def text(
    layout: str, bits: int = 32, *, kind: str = "gather", barrier: int = 0, gaps: str = ""
) -> str:
    """Return a kernel that gathers 32 rows of 64 into y, or scatters those of y into x."""
    view = "!ttg.memdesc<32x64xf16, #s, #smem, mutable>"
    shared = gaps or "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>"
    operand_types = f"tensor<32xi{bits}, #rows>, {view}"
    mbarrier, typed, wait = "", "", "%w = amdg.async_tdm_wait {num = 0 : i32}"
    start = ""
    if barrier:
        mbarrier, typed = ", barrier = %bar", ", !ttg.memdesc<1xi64, #one, #smem, mutable>"
        start = f"amdg.init_barrier %bar, {barrier} : {typed[2:]}"
        wait = f"amdg.wait_barrier %bar, %zero : {typed[2:]}"
    whole = "[%zero, %zero]"
    if kind == "gather":
        body = f"""
  %t = amdg.async_tdm_gather %d[%rows, %col] to %b{mbarrier} : {operand_types}{typed} -> !tt.tensordesc<tensor<32x64xf16>>
  {wait}
  ttg.barrier local
  amdg.async_tdm_copy_local_to_global %e{whole} from %b : {view} -> !tt.tensordesc<tensor<32x64xf16>>"""  # noqa: E501
    else:
        body = f"""
  %t = amdg.async_tdm_copy_global_to_local %e{whole} into %b, %on : !tt.tensordesc<tensor<32x64xf16>> -> {view}
  %v = amdg.async_tdm_wait %t {{num = 0 : i32}}
  %u = amdg.async_tdm_scatter %d[%rows, %col] from %b{mbarrier} : {operand_types}{typed} -> !tt.tensordesc<tensor<32x64xf16>>
  {wait}"""  # noqa: E501
    return f"""
#s = {shared}
#one = #ttg.swizzled_shared<{{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}}>
#smem = #ttg.shared_memory
#rows = {layout}
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32,
 ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32}} {{
tt.func public @k(%x: !tt.ptr<f16>, %i: !tt.ptr<i{bits}>, %y: !tt.ptr<f16>, %m: i32, %n: i32,
    %col: i32) {{
  %w64 = arith.extsi %n : i32 to i64
  %one = arith.constant 1 : i64
  %long = arith.constant 64 : i64
  %on = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %r32 = arith.constant 32 : i32
  %r64 = arith.constant 64 : i32
  %bar = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #one, #smem, mutable>
  {start}
  %d = tt.make_tensor_descriptor %x, [%m, %n], [%w64, %one] : <f16>, <tensor<32x64xf16>>
  %e = tt.make_tensor_descriptor %y, [%r32, %r64], [%long, %one] : <f16>, <tensor<32x64xf16>>
  %b = ttg.local_alloc : () -> {view}
  %o = tt.make_range {{start = 0 : i32, end = 32 : i32}} : tensor<32xi32, #rows>
  %p = tt.splat %i : !tt.ptr<i{bits}> -> tensor<32x!tt.ptr<i{bits}>, #rows>
  %q = tt.addptr %p, %o : tensor<32x!tt.ptr<i{bits}>, #rows>, tensor<32xi32, #rows>
  %rows = tt.load %q : tensor<32x!tt.ptr<i{bits}>, #rows>
{body}
  %z = amdg.async_tdm_wait {{num = 0 : i32}}
  tt.return
}}
}}
"""


def run(module: str, arguments: list[object]):
    llvm = lower(parse_module(module))
    return simulate(
        llvm.text, grid=(1,), arguments=arguments, warp_size=32, shared_bytes=llvm.shared_bytes
    )


def data(bits: int, rows: int = 50):
    """Return a tensor of 50 rows and 80 columns, indices, some of no row of it, and a column."""
    random = np.random.default_rng(bits)
    x = random.standard_normal((50, 80)).astype(np.float16)
    return x, random.permutation(60)[:32].astype(f"i{bits // 8}"), 24


@pytest.mark.parametrize("layout", [REGISTERS, WARPS, LANES, MIXED, APART])
@pytest.mark.parametrize("bits", [16, 32])
def test_gather(layout, bits):
    x, rows, column = data(bits)
    y = np.full((32, 64), 7, np.float16)
    run(text(layout, bits), [x, rows, y, 50, 80, column])
    whole = np.zeros((60, 100), np.float16)
    whole[:50, :80] = x
    np.testing.assert_array_equal(y, whole[rows, column : column + 64])


@pytest.mark.parametrize("layout", [REGISTERS, WARPS, LANES, MIXED, APART])
@pytest.mark.parametrize("bits", [16, 32])
def test_scatter(layout, bits):
    x, rows, column = data(bits)
    y = np.random.default_rng(1).standard_normal((32, 64)).astype(np.float16)
    expected = x.copy()
    for n, row in enumerate(rows):
        if row < 50:
            expected[row, column:] = y[n, : 80 - column]
    run(text(layout, bits, kind="scatter"), [x, rows, y, 50, 80, column])
    np.testing.assert_array_equal(x, expected)


@pytest.mark.parametrize(("layout", "arrivals"), [(REGISTERS, 16), (WARPS, 4)])
@pytest.mark.parametrize("kind", ["gather", "scatter"])
def test_each_instruction_of_each_warp_arrives_on_the_barrier(layout, arrivals, kind):
    x, rows, column = data(32)
    y = np.zeros((32, 64), np.float16)
    before = x.copy()
    run(text(layout, kind=kind, barrier=arrivals), [x, rows, y, 50, 80, column])
    assert (y != 0).any() if kind == "gather" else (x != before).any()
    with pytest.raises(CodegenError, match="deadlock"):
        run(text(layout, kind=kind, barrier=arrivals + 1), [x, rows, y, 50, 80, column])


@pytest.mark.parametrize(
    ("layout", "bits", "instructions"),
    [(REGISTERS, 32, 4), (REGISTERS, 16, 2), (WARPS, 32, 1), (LANES, 32, 4), (MIXED, 32, 2)],
)
def test_instruction_count(layout, bits, instructions):
    machine = Machine()
    said = machine.emit(lower(parse_module(text(layout, bits))), "assembly").decode()
    machine.close()
    assert said.count("\ttensor_load_to_lds") == instructions


def test_rows_are_distributed_over_warps():
    """Four instructions of four warps, each of which moves the rows of one."""
    said = lower(parse_module(text(REGISTERS))).text
    mine = re.findall(r"(%\S+) = icmp eq i32 %\S+, (\d)\n\s+(%\S+) = zext i1 \1 to i32", said)
    assert [number for _, number, _ in mine] == ["0", "1", "2", "3"]


def two_gathers(layout: str, wait: str) -> str:
    """Return a kernel that waits for the first of two gathers, and copies its rows."""
    source = text(layout).replace("%w = amdg.async_tdm_wait {num = 0 : i32}", wait)
    (gather,) = re.findall(r"%t = amdg.*\n", source)
    allocation = "%b = ttg.local_alloc : () -> !ttg.memdesc<32x64xf16, #s, #smem, mutable>\n"
    second = gather.replace("%t =", "%t2 =").replace("to %b", "to %b2")
    source = source.replace(gather, f"{gather}  {second}")
    return source.replace(allocation, allocation + allocation.replace("%b", "%b2"))


@pytest.mark.parametrize(
    ("layout", "instructions"), [(REGISTERS, 4), (WARPS, 1), (LANES, 4), (MIXED, 2), (APART, 8)]
)
@pytest.mark.parametrize("wait", ["%t {num = 1", "{num = 1"])
@pytest.mark.parametrize("counts_instructions", [False, True])
def test_waits_leave_what_the_second_gather_issues(layout, instructions, wait, counts_instructions):
    module = parse_module(two_gathers(layout, f"%w = amdg.async_tdm_wait {wait} : i32}}"))
    if counts_instructions:
        UpdateAsyncWaitCount("gfx1250").run(module)
        assert "{count = 4 : i32}" in print_module(module)  # of 8 rows each
        instructions = min(instructions, 4) if "%t" in wait or instructions >= 4 else 0
    x, rows, column = data(32)
    y = np.full((32, 64), 7, np.float16)
    run(print_module(module), [x, rows, y, 50, 80, column])
    whole = np.zeros((60, 100), np.float16)
    whole[:50, :80] = x
    np.testing.assert_array_equal(y, whole[rows, column : column + 64])
    assert f"s.wait.tensorcnt(i16 {instructions})" in lower(module).text


@pytest.mark.parametrize(
    ("module", "message"),
    [
        (text(LANES, 64), "only row indices of 16 or 32 bits"),
        (
            text(
                LANES,
                gaps="#ttg.padded_shared<[64:+8] {order = [1, 0], shape = [32, 64]}>",
            ),
            "does not support padded shared memory",
        ),
        (text(LANES).replace("gfx1250", "gfx1201"), "has no TDM"),
        (
            text(LANES).replace('"ttg.num-ctas" = 1', '"ttg.num-ctas" = 2'),
            "does not move rows by index for clusters",
        ),
    ],
)
def test_errors(module, message):
    with pytest.raises(CodegenError) as caught:
        lower(parse_module(module))
    assert message in str(caught.value)
