"""TMA copies: element types, boxes, out-of-bounds fill, reductions, gather and scatter."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import weft
import weft.language as tl
from tests.codegen.comparing import require_same
from tests.codegen.descriptors import assembles, simulated
from weft.codegen import lower
from weft.errors import CodegenError
from weft.ir.text import parse_module

CHIPS = ("cuda:90", "cuda:100", "cuda:120")
TYPES = ("fp32", "fp16", "bf16", "fp8e4nv", "fp8e5", "i8", "u8", "i16", "u16", "i32", "i64", "u64")


@weft.jit
def copied(x, y, rows, columns, BLOCK: tl.constexpr, WIDTH: tl.constexpr):
    """Copy each tile of x, those that reach beyond it as well."""
    source = tl.make_tensor_descriptor(x, [rows, columns], [columns, 1], [BLOCK, WIDTH])
    target = tl.make_tensor_descriptor(y, [rows, columns], [columns, 1], [BLOCK, WIDTH])
    row, column = tl.program_id(0) * BLOCK, tl.program_id(1) * WIDTH
    tile = source.load([row - 5, column])
    target.store([row - 5, column], tile)


def compiled(kernel, signature: str, chip: str = "cuda:90", **options: Any):
    return weft.compile(kernel, signature=signature, target=chip, **options)


@pytest.mark.parametrize("kind", TYPES)
def test_tma_element_types(kind):
    require_same(compiled(copied, f"*{kind}:16, *{kind}:16, i32:16, i32:16, 16, 32"))


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize(
    ("block", "width", "warps"),
    [(8, 16, 1), (64, 64, 4), (16, 256, 2), (512, 16, 4), (32, 128, 8), (2, 64, 4), (128, 32, 16)],
)
def test_tma_shapes(chip, block, width, warps):
    signature = f"*fp16:16, *fp16:16, i32:16, i32:16, {block}, {width}"
    artifact = compiled(copied, signature, chip, num_warps=warps)
    require_same(artifact)
    assembles(artifact)


@pytest.mark.parametrize(
    ("chip", "memory"), [("cuda:90", "cluster"), ("cuda:100", "cta"), ("cuda:120", "cta")]
)
def test_destination_is_in_the_ctas_shared_memory(chip, memory):
    """Chips without clusters call a function where PTX names a cluster's memory."""
    artifact = compiled(copied, "*fp16:16, *fp16:16, i32:16, i32:16, 16, 32", chip)
    assert (
        f"bulk.tensor.2d.shared::{memory}.global.mbarrier" in lower(artifact.module("ttgir")).text
    )


@weft.jit
def flat(x, y, n, BLOCK: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [n], [1], [BLOCK], padding_option="nan")
    tile = source.load([tl.program_id(0) * BLOCK])
    tl.store(y + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tile)


@pytest.mark.parametrize("kind", ["fp32", "fp16", "bf16"])
def test_nan_padding_out_of_bounds(kind):
    require_same(compiled(flat, f"*{kind}:16, *{kind}:16, i32:16, 512"))


@weft.jit
def deep(x, y, a, b, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [4, a, b], [a * b, b, 1], [A, B, C])
    target = tl.make_tensor_descriptor(y, [4, a, b], [a * b, b, 1], [A, B, C])
    place = [tl.program_id(0), tl.program_id(1) * B, 16]
    target.store(place, source.load(place))


@pytest.mark.parametrize("tile", [(1, 16, 32), (2, 8, 64), (4, 4, 16)])
def test_three_dimensional_tiles(tile):
    a, b, c = tile
    require_same(compiled(deep, f"*fp16:16, *fp16:16, i32:16, i32:16, {a}, {b}, {c}"))


@weft.jit
def combined(x, y, rows, columns, KIND: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [rows, columns], [columns, 1], [32, 32])
    target = tl.make_tensor_descriptor(y, [rows, columns], [columns, 1], [32, 32])
    place = [0, tl.program_id(0) * 32]
    tile = source.load(place)
    if KIND == 0:
        target.atomic_add(place, tile)
    elif KIND == 1:
        target.atomic_min(place, tile)
    elif KIND == 2:
        target.atomic_max(place, tile)
    elif KIND == 3:
        target.atomic_and(place, tile)
    elif KIND == 4:
        target.atomic_or(place, tile)
    else:
        target.atomic_xor(place, tile)


@pytest.mark.parametrize(
    ("kind", "number", "name"),
    [
        ("fp32", 0, "add"),
        ("fp16", 0, "add"),
        ("i32", 0, "add"),
        ("i32", 1, "min"),
        ("u32", 2, "max"),
        ("fp16", 2, "max"),
        ("i32", 3, "and"),
        ("u32", 4, "or"),
        ("i64", 5, "xor"),
    ],
)
def test_tma_reductions(kind, number, name):
    artifact = compiled(combined, f"*{kind}:16, *{kind}:16, i32:16, i32:16, {number}")
    require_same(artifact, tolerance=1e-2)
    assert f"cp.reduce.async.bulk.tensor.2d.global.shared::cta.{name}.bulk_group" in (
        lower(artifact.module("ttgir")).text
    )


@weft.jit
def moved(x, rows, y, n, columns, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    """Gather rows by number, and scatter them to the same ones."""
    source = tl.make_tensor_descriptor(x, [n, columns], [columns, 1], [1, WIDTH])
    target = tl.make_tensor_descriptor(y, [n, columns], [columns, 1], [1, WIDTH])
    numbers = tl.load(rows + tl.arange(0, ROWS))
    target.scatter(source.gather(numbers, 16), numbers, 16)


@pytest.mark.parametrize("warps", [1, 4, 8])
@pytest.mark.parametrize(
    ("kind", "rows", "width"), [("fp16", 32, 64), ("fp32", 8, 64), ("fp8e5", 64, 32)]
)
def test_tma_gather_and_scatter(kind, rows, width, warps):
    signature = f"*{kind}:16, *i32:16, *{kind}:16, i32:16, i32:16, {rows}, {width}"
    artifact = compiled(moved, signature, "cuda:100", num_warps=warps)
    require_same(artifact)
    assembles(artifact)


def test_gather_on_chips_without_tma_gather():
    signature = "*fp16:16, *i32:16, *fp16:16, i32:16, i32:16, 32, 64"
    with pytest.raises(CodegenError, match="TMA of cuda:90 does not support gather"):
        lower(compiled(moved, signature).module("ttgir"))
    with pytest.raises(CodegenError, match="TMA of cuda:120 does not support scatter"):
        lower(compiled(moved, signature, "cuda:120").module("ttgir"))


MODULE = """
#rows = #ttg.blocked<{{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}}>
#tile = #ttg.nvmma_shared<{{
  swizzlingByteWidth = 128, transposed = {turned}, elementBitWidth = {bits}}}>
#s = #ttg.swizzled_shared<{{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}}>
#smem = #ttg.shared_memory
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32,
                    ttg.target = "cuda:{chip}", "ttg.threads-per-warp" = 32 : i32}} {{
  tt.func public @kernel(%d: !tt.tensordesc<tensor<64x64xf16, #tile>>, %i: i32, %p: i1) {{
    %n = arith.constant dense<0> : tensor<128xi32, #rows>
    %b = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #tile, #smem, mutable>
    %m = ttg.local_alloc : () -> !ttg.memdesc<2xi64, #s, #smem, mutable>
    %o = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #s, #smem, mutable>
    {op}
    tt.return
  }}
}}
"""
ONE = "!ttg.memdesc<1xi64, #s, #smem, mutable>"
TILE = "!ttg.memdesc<64x64xf16, #tile, #smem, mutable>"
DESC = "!tt.tensordesc<tensor<64x64xf16, #tile>>"
COPY = f"ttng.async_tma_copy_global_to_local %d[%i, %i] %b, %o, %p : {DESC}, {ONE} -> {TILE}"


def text(
    op: str, *, width: int = 128, turned: str = "false", bits: int = 16, chip: int = 90
) -> str:
    return MODULE.format(op=op, width=width, turned=turned, bits=bits, chip=chip)


@pytest.mark.parametrize(
    ("module", "message"),
    [
        (
            text("ttng.init_barrier %m, 1 : !ttg.memdesc<2xi64, #s, #smem, mutable>"),
            "expected one mbarrier for each CTA",
        ),
        (text(COPY, turned="true"), "TMA does not support this buffer layout"),
        (text(COPY, bits=32), "TMA does not support this buffer layout"),
        (
            text(COPY.replace("%p :", "%p evictionPolicy = evict_first :")),
            "TMA copies support no cache modifier or eviction policy",
        ),
        (
            text(COPY.replace("%p :", "%p cacheModifier = cg :")),
            "TMA copies support no cache modifier or eviction policy",
        ),
        (
            text(
                "%short = arith.constant 0 : i16\n    "
                + COPY.replace("%d[%i, %i]", "%d[%i, %i] offsets = [%short]")
            ),
            "TMA copies support only the tiled mode",
        ),
        (
            text(
                f"ttng.async_tma_gather %d[%n, %i] %b, %o, %p : {DESC}, tensor<128xi32, #rows>, "
                f"i32, {ONE}, {TILE}, i1",
                chip=100,
            ),
            "each thread of a warp must hold the indices of four consecutive rows",
        ),
    ],
)
def test_tma_errors(module, message):
    with pytest.raises(CodegenError, match=re.escape(message)):
        lower(parse_module(module))


def test_each_box_is_issued_by_a_warp():
    signature = "*fp16:16, *fp16:16, i32:16, i32:16, 64, 128"
    actual = lower(compiled(copied, signature, num_warps=4).module("ttgir")).text
    assert actual.count(".global.mbarrier::complete_tx::bytes") == 1
    assert re.search(r"icmp ult i32 %t\d+, 2\b", actual)
    assert (
        lower(compiled(copied, signature, num_warps=1).module("ttgir")).text.count(
            ".global.mbarrier::complete_tx::bytes"
        )
        == 2
    )


def test_matmul_of_host_descriptors():
    """Operands come by descriptors that the host made; the result leaves by one."""
    from examples.matmul_descriptor import matmul_host_descriptor

    tile = "tensordesc<fp16[64, 64]>"
    artifact = compiled(matmul_host_descriptor, f"{tile}, {tile}, {tile}, i32:16", num_warps=4)
    random = np.random.default_rng(0)
    a, b = (random.standard_normal((100, 96)).astype(np.float16) for _ in range(2))
    c = np.zeros((100, 104), np.float16)
    simulated(artifact, (2, 2), [a, b, c, 96])
    expected = a.astype(np.float32) @ b.astype(np.float32).T
    np.testing.assert_allclose(c[:, :100].astype(np.float32), expected, 1e-2, 1e-2)


@weft.jit
def combine_with_descriptor(target, value_ptr, MAXIMUM: tl.constexpr, N: tl.constexpr):
    """Combine a tile with the tensor of a descriptor of the host."""
    offsets = tl.arange(0, N)
    tile = tl.load(value_ptr + offsets[:, None] * N + offsets[None, :])
    if MAXIMUM:
        target.atomic_max([0, 0], tile)
    else:
        target.atomic_min([0, 0], tile)


@pytest.mark.parametrize("kind", ["u32", "i32", "u64", "i64"])
@pytest.mark.parametrize("maximum", [True, False])
def test_reductions_through_host_descriptors_compare_by_their_sign(kind, maximum):
    n = 32
    artifact = weft.compile(
        combine_with_descriptor,
        signature=f"tensordesc<{kind}[{n}, {n}]>, *{kind}:16, constexpr, {n}",
        constexprs={"MAXIMUM": maximum},
        target="cuda:90",
        num_warps=4,
    )
    sign = "u" if kind[0] == "u" else "s"
    assert f"tensordesc<tensor<{n}x{n}x{sign}i{kind[1:]}>>" in artifact.asm["ttir"]
    dtype = np.dtype({"u": "uint", "i": "int"}[kind[0]] + kind[1:])
    random = np.random.default_rng(3)
    limits = np.iinfo(dtype)
    # Half of the unsigned numbers are negative as signed ones.
    target, value = (
        random.integers(limits.min, limits.max, (n, n), dtype, endpoint=True) for _ in range(2)
    )
    expected = (np.maximum if maximum else np.minimum)(target, value)
    interpreted = target.copy()
    weft.jit(combine_with_descriptor.fn)[(1,)](
        weft.TensorDescriptor.from_tensor(interpreted, [n, n]), value, maximum, n
    )
    np.testing.assert_array_equal(interpreted, expected)
    simulated(artifact, (1,), [target, value])
    np.testing.assert_array_equal(target, expected)
