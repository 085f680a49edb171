"""TDM copies and prefetches on gfx1250: results in the simulator, instructions and errors."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import weft
import weft.language as tl
from tests.codegen.comparing import require_same
from weft.codegen import Machine, lower
from weft.errors import CodegenError
from weft.ir.text import parse_module
from weft.simulator import run as simulate


@weft.jit
def double(
    x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr
):
    """Double a tile; parts of it lie outside of the arrays."""
    x = tl.make_tensor_descriptor(x_ptr, [M, N], [N, 1], [ROWS, COLUMNS])
    y = tl.make_tensor_descriptor(y_ptr, [M, N], [N, 1], [ROWS, COLUMNS])
    row, column = tl.program_id(0) * ROWS, tl.program_id(1) * COLUMNS
    y.store([row, column], x.load([row, column]) * 2)


@weft.jit
def line(x_ptr, y_ptr, N: tl.constexpr, BLOCK: tl.constexpr):
    """Double a part of a line."""
    x = tl.make_tensor_descriptor(x_ptr, [N], [1], [BLOCK])
    y = tl.make_tensor_descriptor(y_ptr, [N], [1], [BLOCK])
    start = tl.program_id(0) * BLOCK
    y.store([start], x.load([start]) * 2)


@pytest.mark.parametrize(
    ("kind", "sizes", "warps"),
    [
        ("fp16", (100, 80, 32, 64), 4),
        ("fp32", (60, 48, 16, 32), 2),
        ("i8", (70, 64, 32, 32), 1),
        ("bf16", (10, 64, 4, 64), 8),
        ("fp64", (40, 32, 16, 16), 4),
    ],
)
def test_element_widths(kind, sizes, warps):
    signature = f"*{kind}:16, *{kind}:16, {', '.join(map(str, sizes))}"
    compiled = weft.compile(double, signature=signature, target="hip:gfx1250", num_warps=warps)
    assert "amdg.async_tdm_copy_global_to_local" in str(compiled.asm["ttgir"])
    require_same(compiled, tolerance=0)


def test_one_dimensional_copies():
    compiled = weft.compile(line, signature="*fp16:16, *fp16:16, 200, 128", target="hip:gfx1250")
    require_same(compiled, tolerance=0)


@weft.jit
def doubled(x, y, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Double a tile of tensors that the host describes."""
    place = [tl.program_id(0) * ROWS, tl.program_id(1) * COLUMNS]
    y.store(place, x.load(place) * 2)


def test_host_tensor_descriptors():
    """A descriptor is its tensor's address; sizes and strides are the parameters that follow."""
    tile = "tensordesc<fp16[32, 64]>"
    compiled = weft.compile(doubled, signature=f"{tile}, {tile}, 32, 64", target="hip:gfx1250")
    llvm = lower(compiled.module("ttgir"))
    x = np.random.default_rng(0).standard_normal((50, 100)).astype(np.float16)
    y = np.zeros_like(x)
    inputs = [each for array in (x, y) for each in (array, 50, 100, 100, 1)]
    simulate(llvm.text, grid=(2, 2), arguments=inputs, warp_size=32, shared_bytes=llvm.shared_bytes)
    np.testing.assert_array_equal(y, x * 2)


def text(shared: str, *, wait: str = "amdg.async_tdm_wait") -> str:
    """Return a kernel that copies a tile of [32, 64] by way of shared memory."""
    view = "!ttg.memdesc<32x64xf16, #s, #smem, mutable>"
    return f"""
#s = {shared}
#smem = #ttg.shared_memory
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32,
 ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32}} {{
tt.func public @k(%x: !tt.ptr<f16>, %y: !tt.ptr<f16>, %m: i32, %n: i32, %p: i32) {{
  %w = arith.extsi %n : i32 to i64
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %d = tt.make_tensor_descriptor %x, [%m, %n], [%w, %one] : <f16>, <tensor<32x64xf16>>
  %e = tt.make_tensor_descriptor %y, [%m, %n], [%w, %one] : <f16>, <tensor<32x64xf16>>
  %b = ttg.local_alloc : () -> {view}
  %t = amdg.async_tdm_copy_global_to_local %d[%zero, %zero] into %b, %p : !tt.tensordesc<tensor<32x64xf16>> -> {view}
  %u = {wait} %t {{{"num" if wait.endswith("tdm_wait") else "count"} = 0 : i32}}
  ttg.barrier local
  amdg.async_tdm_copy_local_to_global %e[%zero, %zero] from %b : {view} -> !tt.tensordesc<tensor<32x64xf16>>
  %v = {wait} {{{"num" if wait.endswith("tdm_wait") else "count"} = 0 : i32}}
  tt.return
}}
}}
"""  # noqa: E501


ROWS = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>"
PADDED = (
    "#ttg.padded_shared<[64:+8] {offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], "
    "[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], block = []}>"
)


@pytest.mark.parametrize("shared", [ROWS, PADDED])
@pytest.mark.parametrize("wait", ["amdg.async_tdm_wait", "amdg.async_tdm_intrinsic_wait"])
@pytest.mark.parametrize("predicate", [0, 1])
def test_layouts_wait_counts_and_predicates(shared, wait, predicate):
    llvm = lower(parse_module(text(shared, wait=wait)))
    x = np.random.default_rng(0).standard_normal((30, 48)).astype(np.float16)
    y = np.zeros_like(x)
    arguments = [x, y, 30, 48, predicate]
    simulate(
        llvm.text, grid=(1,), arguments=arguments, warp_size=32, shared_bytes=llvm.shared_bytes
    )
    assert (y == x).all() == bool(predicate)


def test_instructions():
    machine = Machine()
    said = machine.emit(lower(parse_module(text(PADDED))), "assembly").decode()
    machine.close()
    for word in ("tensor_load_to_lds", "tensor_store_from_lds", "s_wait_tensorcnt"):
        assert word in said


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (text(ROWS.replace("[1, 0]", "[0, 1]")), "requires row-major tiles"),
        (text(ROWS.replace("maxPhase = 1", "maxPhase = 4")), "requires row-major tiles"),
        (text(PADDED.replace("[64:+8]", "[64:+1]")), "only padding by multiples of 4 bytes"),
        (
            text(ROWS).replace("[%w, %one] :", "[%w, %one] {padding = 2 : i32} :"),
            "only zero padding outside of the tensor",
        ),
        (text(ROWS).replace("gfx1250", "gfx1201"), "has no TDM"),
        (
            text(ROWS)
            .replace("%x: !tt.ptr<f16>", "%d: !tt.tensordesc<tensor<32x64xf16>>, %z: i32")
            .replace("%d = tt.make_tensor_descriptor %x", "%f = tt.make_tensor_descriptor %y"),
            "must follow a descriptor",
        ),
        (text(ROWS).replace("%d[%zero, %zero]", "%d[%zero]"), "one to five dimensions"),
    ],
)
def test_errors(given, message):
    with pytest.raises(CodegenError) as caught:
        lower(parse_module(given))
    assert message in str(caught.value)


GOLDEN = Path(__file__).parents[2] / "golden"


def golden(name: str):
    return lower(parse_module((GOLDEN / f"gfx1250_{name}.ttgir").read_text()))


def run(llvm, arguments):
    return simulate(
        llvm.text, grid=(1,), arguments=arguments, warp_size=32, shared_bytes=llvm.shared_bytes
    )


@weft.jit
def volume(x_ptr, y_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, BLOCKS: tl.constexpr):
    """Double a part of a volume; some of it lies outside."""
    x = tl.make_tensor_descriptor(x_ptr, [A, B, C], [B * C, C, 1], [2, BLOCKS, 32])
    y = tl.make_tensor_descriptor(y_ptr, [A, B, C], [B * C, C, 1], [2, BLOCKS, 32])
    place = [tl.program_id(0) * 2, tl.program_id(1) * BLOCKS, 16]
    y.store(place, x.load(place) * 2)


@pytest.mark.parametrize(("kind", "blocks", "warps"), [("fp16", 8, 4), ("fp32", 1, 8)])
def test_three_dimensional_copies(kind, blocks, warps):
    signature = f"*{kind}:16, *{kind}:16, 5, 11, 48, {blocks}"
    compiled = weft.compile(volume, signature=signature, target="hip:gfx1250", num_warps=warps)
    assert "amdg.async_tdm_copy_global_to_local" in str(compiled.asm["ttgir"])
    require_same(compiled, tolerance=0)


def test_five_dimensions():
    """A tile of 2 x 2 x 4 x 8 x 16 that begins near the end of each dimension."""
    llvm = golden("tile_of_five")
    shape = (4, 3, 5, 9, 24)
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float16)
    y = np.zeros_like(x)
    run(llvm, [x, y, *shape])
    place = tuple(slice(size - n, None) for size, n in zip(shape, (3, 2, 1, 4, 5), strict=True))
    expected = np.zeros_like(x)
    expected[place][:2] = x[place][:2]
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("wanted", [0, 1])
def test_prefetch_fetches_each_cache_line_once(wanted):
    """A tile of 32 rows of 128 bytes: one line each, and those of 10 rows are there."""
    llvm = golden("tile_prefetched")
    x = np.random.default_rng(0).standard_normal((30, 80)).astype(np.float16)
    y = np.zeros((32, 64), np.float16)
    report = run(llvm, [x, y, 30, 80, 20, 16, wanted])
    np.testing.assert_array_equal(y[:10], x[20:, 16:])
    assert not y[10:].any()
    # Of four warps one has lines to fetch.
    assert report.global_memory.accesses.get(("prefetch", 1), 0) == wanted


def test_speculative_prefetch_has_no_bounds_check():
    source = (GOLDEN / "gfx1250_tile_prefetched.ttgir").read_text()
    there = lower(parse_module(source)).text
    llvm = lower(parse_module(source.replace("speculative = false", "speculative = true")))
    assert re.search(r"global\.prefetch\(ptr addrspace\(1\) %v\d+, i32 9\)", llvm.text)
    assert llvm.text.count("icmp ult") < there.count("icmp ult")
    machine = Machine()
    assert b"global_prefetch_b8" in machine.emit(llvm, "assembly")
    machine.close()
