"""Errors for operations that CTAs of a cluster cannot perform."""

from __future__ import annotations

import pytest

from tests.codegen import cluster_texts as texts
from tests.codegen.lowering.nvidia.test_cluster import TILE, converted
from weft.codegen import lower
from weft.errors import CodegenError
from weft.ir.text import parse_module

ROWS, COLUMNS = "CGALayout = [[1, 0]]", "CGALayout = [[0, 1]]"
SWIZZLED = "#ttg.swizzled_shared<{{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0], {}}}>"


def refused(text: str) -> str:
    with pytest.raises(CodegenError) as caught:
        lower(parse_module(text))
    return str(caught.value)


def test_chips_without_clusters():
    text = refused(converted("rows", "rows", 2).replace("cuda:90", "cuda:80"))
    assert "cuda:80 has no clusters of 2 blocks" in text
    assert "accepted: num_ctas=1" in text


def test_chips_without_distributed_shared_memory():
    text = converted("rows", "rows", 2).replace("cuda:90", "hip:gfx1250")
    assert '"amdgpu-cluster-dims"="2,1,1"' in lower(parse_module(text)).text
    text = refused(converted("rows", "columns", 2).replace("cuda:90", "hip:gfx1250"))
    assert "do not reach each other's shared memory on hip:gfx1250" in text


def test_cross_cta_operation_in_a_partition():
    """A barrier of the cluster is for all threads of all blocks."""
    moved = f"tensor<{TILE}xf32, #a> -> tensor<{TILE}xf32, #b>"
    text = converted("rows", "columns", 2)
    inside = f"""
    %y = ttg.warp_specialize() attributes {{requestedRegisters = array<i32: 24>}}
    default {{
      %z = ttg.convert_layout %x : {moved}
      ttg.warp_yield %z : tensor<{TILE}xf32, #b>
    }}
    partition0() num_warps(1) {{
      ttg.warp_return
    }} : () -> tensor<{TILE}xf32, #b>
"""
    text = text.replace(f"%y = ttg.convert_layout %x : {moved}", inside)
    assert "cannot exchange data within ttg.warp_specialize" in refused(text)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("cluster_arrive {relaxed = false}", "cannot exchange data within ttg.warp_specialize"),
        ("cluster_wait", "ttng.cluster_wait must not be in ttg.warp_specialize"),
    ],
)
def test_cluster_barrier_in_a_partition(name, said):
    body = f"""
    ttg.warp_specialize() attributes {{requestedRegisters = array<i32: 24>}}
    default {{
      ttng.{name}
      ttg.warp_yield
    }}
    partition0() num_warps(1) {{
      ttg.warp_return
    }} : () -> ()"""
    text = refused(texts.module(body, [], 2, ""))
    assert said in text


@pytest.mark.parametrize(("verb", "split"), [("read", "rows"), ("write", "columns")])
def test_remote_shared_memory_is_rejected(verb, split):
    layouts = [texts.blocked(split, 2), texts.blocked("columns", 2), SWIZZLED.format(ROWS)]
    memory = f"!ttg.memdesc<{TILE}xf32, #c, #ttg.shared_memory>"
    body = (
        texts.places("i", "#a")
        + texts.loaded("x", "p", "i", "f32", TILE, "#a")
        + f"""
    %m = ttg.local_alloc %x : (tensor<{TILE}xf32, #a>) -> {memory}
    %y = ttg.local_load %m : {memory} -> tensor<{TILE}xf32, #b>"""
    )
    text = refused(texts.module(body, layouts, 2, "%p: !tt.ptr<f32>"))
    assert f"a block of a cluster can {verb} only its own shared memory" in text
    assert "convert_layout moves tensors between blocks" in text


def test_mbarrier_count_differs_from_cta_count():
    layout = SWIZZLED.format("CGALayout = [[1]]").replace("[1, 0]", "[0]")
    word = "!ttg.memdesc<4xi64, #a, #ttg.shared_memory, mutable>"
    body = f"""
    %b = ttg.local_alloc : () -> {word}
    ttng.init_barrier %b, 1 : {word}"""
    text = refused(texts.module(body, [layout], 2, ""))
    assert "expected one mbarrier for each CTA" in text
    assert "memdesc<2xi64>" in text


def test_operand_in_another_cta():
    shared = (
        "#ttg.nvmma_shared<{{swizzlingByteWidth = 64, transposed = false, "
        "elementBitWidth = 16, {}}}>"
    )
    mma = (
        "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], "
        "CGALayout = [[1, 0]], instrShape = [16, 32, 16]}>"
    )
    layouts = [mma, shared.format(COLUMNS), shared.format("CGALayout = [[0, 0]]")]
    a = "!ttg.memdesc<128x64xf16, #b, #ttg.shared_memory, mutable>"
    b = "!ttg.memdesc<64x32xf16, #c, #ttg.shared_memory, mutable>"
    body = f"""
    %x = ttg.local_alloc : () -> {a}
    %y = ttg.local_alloc : () -> {b}
    %c = arith.constant dense<0.0> : tensor<128x32xf32, #a>
    %d = ttng.warp_group_dot %x, %y, %c {{inputPrecision = 0 : i32}}
      : {a} * {b} -> tensor<128x32xf32, #a>"""
    text = refused(texts.module(body, layouts, 2, ""))
    assert "must hold the operands of its part of the result" in text
    assert "CTAs that step by [(64, 0)]" in text


def test_interleaved_cta_tiles_are_rejected():
    layout = (
        "#ttg.linear<{register = [[0, 1], [1, 0]], lane = [[0, 2], [0, 4], [0, 8], [2, 0], [4, 0]],"
        " warp = [[8, 0], [16, 0]], block = [[0, 16]]}>"
    )
    row = "#ttg.slice<{dim = 1, parent = #a}>"
    body = f"""
    %x = arith.constant dense<1.0> : tensor<32x32xf32, #a>
    %s = "tt.reduce"(%x) <{{axis = 1 : i32}}> ({{
    ^bb0(%u: f32, %v: f32):
      %w = arith.addf %u, %v : f32
      tt.reduce.return %w : f32
    }}) : (tensor<32x32xf32, #a>) -> tensor<32xf32, {row}>"""
    lower(parse_module(texts.module(body, [layout], 2, "")))
    odd = layout.replace("block = [[0, 16]]", "block = [[0, 2]]").replace("[0, 2],", "[0, 16],")
    with pytest.raises(CodegenError, match="must hold boxes that lie side by side"):
        lower(parse_module(texts.module(body, [odd], 2, "")))


def test_gather_with_rows_split_across_ctas():
    tile = (
        "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, "
        "CGALayout = [[1, 0]]}>"
    )
    word = SWIZZLED.format("CGALayout = [[1]]").replace("[1, 0]", "[0]", 1)
    rows = (
        "#ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 4], "
        "threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0], CGALayout = [[0, 1]]}>}>"
    )
    kinds = [
        "!tt.tensordesc<tensor<1x64xf16, #a>>",
        "tensor<32xi32, #c>",
        "i32",
        "!ttg.memdesc<2xi64, #b, #ttg.shared_memory, mutable>",
        "!ttg.memdesc<32x64xf16, #a, #ttg.shared_memory, mutable>",
        "i1",
    ]
    body = f"""
    %m = ttg.local_alloc : () -> {kinds[3]}
    %t = ttg.local_alloc : () -> {kinds[4]}
    %r = tt.make_range {{end = 32 : i32, start = 0 : i32}} : {kinds[1]}
    %i = arith.constant 0 : i32
    %y = arith.constant true
    ttng.async_tma_gather %d[%r, %i] %t, %m, %y : {", ".join(kinds)}"""
    text = refused(texts.module(body, [tile, word, rows], 2, f"%d: {kinds[0]}", "cuda:100"))
    assert "unsupported gather of a tile that is split over CTAs" in text


HALVES = "#ttng.tensor_memory_encoding<blockM = 128, blockN = 32, colStride = 1, CTASplitN = 2>"
TENSOR = "!ttg.memdesc<128x64xf32, {}, #ttng.tensor_memory, mutable>"


def in_tensor_memory(body: str, *layouts: str) -> str:
    body = f"""
    %m = ttng.tmem_alloc : () -> {TENSOR.format("#a")}{body}"""
    return refused(texts.module(body, layouts, 2, "", "cuda:100"))


def test_gather_with_columns_split_across_ctas():
    part = TENSOR.replace("128x64", "128x32").format("#b")
    body = f"""
    %s = ttng.tmem_subslice %m {{N = 32 : i32}} : {TENSOR.format("#a")} -> {part}"""
    small = HALVES.replace("blockN = 32", "blockN = 16")
    said = in_tensor_memory(body, HALVES, small)
    assert "unsupported slice of columns that are split over CTAs" in said


def test_tensor_and_memory_split_differently():
    rows = (
        "#ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], "
        "order = [0, 1], CGALayout = [[1, 0]]}>"
    )
    body = f"""
    %x = ttng.tmem_load %m : {TENSOR.format("#a")} -> tensor<128x64xf32, #b>"""
    said = in_tensor_memory(body, HALVES, rows)
    assert "each CTA of a cluster accesses its own tensor memory" in said
    assert "[64, 64] of tensor<128x64xf32" in said


def test_tensor_memory_operand_in_another_cta():
    shared = (
        "#ttg.nvmma_shared<{{swizzlingByteWidth = 64, transposed = false, "
        "elementBitWidth = 16, {}}}>"
    )
    word = SWIZZLED.format("CGALayout = [[1]]").replace("[1, 0]", "[0]", 1)
    a = "!ttg.memdesc<128x32xf16, #b, #ttg.shared_memory, mutable>"
    b = "!ttg.memdesc<32x64xf16, #c, #ttg.shared_memory, mutable>"
    m = "!ttg.memdesc<2xi64, #d, #ttg.shared_memory, mutable>"
    body = f"""
    %x = ttg.local_alloc : () -> {a}
    %y = ttg.local_alloc : () -> {b}
    %o = ttg.local_alloc : () -> {m}
    %t = arith.constant true
    ttng.tc_gen5_mma %x, %y, %m, %t, %t, %o[%t] {{is_async}}
      : {a}, {b}, {TENSOR.format("#a")}, {m}"""
    said = in_tensor_memory(body, HALVES, shared.format(ROWS), shared.format(ROWS), word)
    assert "must hold the operands of its part of the result" in said
