"""`mma.sync` and `wgmma`: element types, accumulators and operand locations."""

from __future__ import annotations

import pytest

import weft
import weft.language as tl
from tests.codegen.comparing import require_same
from weft.codegen import lower
from weft.errors import CodegenError
from weft.ir.text import parse_module


@weft.jit
def product(
    a_ptr,
    b_ptr,
    c_ptr,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
    TOTAL: tl.constexpr,
    A_TURNED: tl.constexpr,
    B_TURNED: tl.constexpr,
    IMPRECISE: tl.constexpr,
    PRECISION: tl.constexpr,
):
    """Multiply one tile, twice, so that accumulators are not zero and go around a loop."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    c = tl.zeros((M, N), TOTAL)
    for step in range(2):
        if A_TURNED:
            a = tl.trans(tl.load(a_ptr + step + k[:, None] * M + m[None, :]))
        else:
            a = tl.load(a_ptr + step + m[:, None] * K + k[None, :])
        if B_TURNED:
            b = tl.trans(tl.load(b_ptr + step + n[:, None] * K + k[None, :]))
        else:
            b = tl.load(b_ptr + step + k[:, None] * N + n[None, :])
        c = tl.dot(
            a,
            b,
            c,
            out_dtype=TOTAL,
            max_num_imprecise_acc=IMPRECISE,
            input_precision=PRECISION,
        )
    tl.store(c_ptr + m[:, None] * N + n[None, :], c)


TOTALS = {"fp32": tl.float32, "fp16": tl.float16, "i32": tl.int32, "fp64": tl.float64}


def compiled(
    chip, kind, total, sizes, warps, turned=(False, False), imprecise=None, precision="tf32"
):
    constants: dict[str, object] = dict(
        zip(
            ("M", "N", "K", "TOTAL", "A_TURNED", "B_TURNED", "IMPRECISE", "PRECISION"),
            (*sizes, TOTALS[total], *turned, imprecise, precision),
            strict=True,
        )
    )
    return weft.compile(
        product,
        signature={"a_ptr": f"*{kind}", "b_ptr": f"*{kind}", "c_ptr": f"*{total}"},
        constexprs=constants,
        attrs={(n,): [["tt.divisibility", 16]] for n in range(3)},
        target=chip,
        num_warps=warps,
    )


def tolerance(kind: str, total: str) -> float:
    if kind in ("i8", "fp64"):
        return 1e-9
    return 5e-2 if total == "fp16" or kind in ("fp32", "bf16") else 1e-3


MMA = [
    ("cuda:80", "fp16", "fp32", (32, 32, 32), 4, "m16n8k16.row.col.f32.f16.f16.f32"),
    ("cuda:80", "fp16", "fp16", (32, 16, 64), 2, "m16n8k16.row.col.f16.f16.f16.f16"),
    ("cuda:80", "bf16", "fp32", (16, 64, 16), 1, "m16n8k16.row.col.f32.bf16.bf16.f32"),
    ("cuda:80", "fp32", "fp32", (32, 32, 16), 2, "m16n8k8.row.col.f32.tf32.tf32.f32"),
    ("cuda:80", "i8", "i32", (32, 32, 64), 4, "m16n8k32.row.col.satfinite.s32.s8.s8.s32"),
    ("cuda:80", "fp64", "fp64", (32, 32, 16), 4, "m8n8k4.row.col.f64.f64.f64.f64"),
    ("cuda:90", "fp64", "fp64", (64, 32, 32), 4, "m16n8k16.row.col.f64.f64.f64.f64"),
    ("cuda:80", "fp8e5", "fp32", (32, 32, 32), 4, "m16n8k16.row.col.f32.f16.f16.f32"),
    ("cuda:89", "fp8e5", "fp32", (32, 32, 32), 4, "m16n8k32.row.col.f32.e5m2.e5m2.f32"),
    ("cuda:89", "fp8e4nv", "fp32", (32, 32, 64), 2, "m16n8k32.row.col.f32.e4m3.e4m3.f32"),
    ("cuda:120", "fp8e4nv", "fp32", (64, 32, 32), 4, "m16n8k32.row.col.f32.e4m3.e4m3.f32"),
    ("cuda:86", "bf16", "fp32", (128, 16, 16), 8, "m16n8k16.row.col.f32.bf16.bf16.f32"),
]


@pytest.mark.parametrize(("chip", "kind", "total", "sizes", "warps", "instruction"), MMA)
def test_mma_sync_element_types(chip, kind, total, sizes, warps, instruction):
    artifact = compiled(chip, kind, total, sizes, warps)
    assert f"mma.sync.aligned.{instruction}" in lower(artifact.module("ttgir")).text
    require_same(artifact, tolerance=tolerance(kind, total))


WGMMA = [
    ("fp16", "fp32", (64, 64, 32), 4, "m64n64k16.f32.f16.f16"),
    ("fp16", "fp32", (128, 256, 16), 8, "m64n256k16.f32.f16.f16"),
    ("fp16", "fp32", (64, 8, 64), 4, "m64n8k16.f32.f16.f16"),
    ("fp16", "fp16", (64, 32, 16), 4, "m64n32k16.f16.f16.f16"),
    ("bf16", "fp32", (64, 16, 128), 4, "m64n16k16.f32.bf16.bf16"),
    ("fp32", "fp32", (64, 32, 16), 4, "m64n32k8.f32.tf32.tf32"),
    ("i8", "i32", (64, 64, 64), 4, "m64n64k32.s32.s8.s8"),
    ("fp8e4nv", "fp32", (64, 64, 64), 4, "m64n64k32.f32.e4m3.e4m3"),
    ("fp8e5", "fp16", (64, 32, 128), 4, "m64n32k32.f16.e5m2.e5m2"),
]


@pytest.mark.parametrize(("kind", "total", "sizes", "warps", "instruction"), WGMMA)
@pytest.mark.parametrize("turned", [(False, False), (True, True)])
def test_wgmma_element_types(kind, total, sizes, warps, instruction, turned):
    artifact = compiled("cuda:90", kind, total, sizes, warps, turned)
    assert f"wgmma.mma_async.sync.aligned.{instruction} " in lower(artifact.module("ttgir")).text
    require_same(artifact, tolerance=tolerance(kind, total))


@pytest.mark.parametrize(("imprecise", "sums"), [(32, 4), (64, 2), (128, 1), (None, 0)])
def test_fp8_max_num_imprecise_acc(imprecise, sums):
    artifact = compiled("cuda:90", "fp8e4nv", "fp32", (64, 16, 128), 4, imprecise=imprecise)
    text = lower(artifact.module("ttgir")).text
    assert text.count("fadd contract float") == sums * 8  # a thread holds 8 accumulators of 64x16
    require_same(artifact, tolerance=1e-3)


@pytest.mark.parametrize("chip", ["cuda:80", "cuda:90"])
def test_tf32x3(chip):
    artifact = compiled(chip, "fp32", "fp32", (64, 16, 16), 4, precision="tf32x3")
    require_same(artifact, tolerance=1e-5)


@weft.jit
def batched(
    a_ptr, b_ptr, c_ptr, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr
):
    """Multiply a stack of tiles."""
    b = tl.arange(0, B)[:, None, None]
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    left = tl.load(a_ptr + b * M * K + m[None, :, None] * K + k[None, None, :])
    right = tl.load(b_ptr + b * K * N + k[None, :, None] * N + n[None, None, :])
    tl.store(c_ptr + b * M * N + m[None, :, None] * N + n[None, None, :], tl.dot(left, right))


@pytest.mark.parametrize("chip", ["cuda:80", "cuda:90", "cuda:100", "cuda:120"])
@pytest.mark.parametrize(("kind", "total"), [("fp16", "fp32"), ("i8", "i32"), ("fp32", "fp32")])
def test_batched_dot(chip, kind, total):
    sizes = ", ".join(map(str, (4, 16, 16, 32)))
    artifact = weft.compile(
        batched, signature=f"*{kind}:16, *{kind}:16, *{total}:16, {sizes}", target=chip, num_warps=4
    )
    assert "mma.sync" in lower(artifact.module("ttgir")).text
    require_same(artifact, tolerance=tolerance(kind, total))


@weft.jit
def chained(a_ptr, b_ptr, c_ptr, d_ptr, M: tl.constexpr, K: tl.constexpr):
    """Multiply a product again: the left operand of the second comes from registers."""
    m, k = tl.arange(0, M), tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * K + k[None, :])
    c = tl.load(c_ptr + k[:, None] * K + k[None, :])
    first = tl.dot(a, b) * 0.125
    tl.store(d_ptr + m[:, None] * K + k[None, :], tl.dot(first.to(a.dtype), c))


@pytest.mark.parametrize("kind", ["fp16", "bf16", "fp32"])
def test_left_operand_in_registers(kind):
    artifact = weft.compile(
        chained,
        signature=f"*{kind}:16, *{kind}:16, *{kind}:16, *fp32:16, 64, 32",
        target="cuda:90",
        num_warps=4,
    )
    text = lower(artifact.module("ttgir")).text
    assert any("wgmma.mma" in line and "}, {$" in line for line in text.splitlines())
    require_same(artifact, tolerance=3e-2)


PLAIN = """
#mma = #ttg.nvidia_mma<{{versionMajor = {version}, versionMinor = 0, warpsPerCTA = [4, 1], \
instrShape = {shape}}}>
#a = #ttg.dot_op<{{opIdx = 0, parent = #mma{width}}}>
#b = #ttg.dot_op<{{opIdx = 1, parent = #mma{width}}}>
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, \
ttg.target = "{chip}", "ttg.threads-per-warp" = 32 : i32}} {{
  tt.func public @k() {{
    %a = arith.constant dense<{one}> : tensor<64x32x{kind}, #a>
    %b = arith.constant dense<{one}> : tensor<32x64x{kind}, #b>
    %c = arith.constant dense<{zero}> : tensor<64x64x{total}, #mma>
    %d = tt.dot %a, %b, %c, inputPrecision = {precision} : tensor<64x32x{kind}, #a> * \
tensor<32x64x{kind}, #b> -> tensor<64x64x{total}, #mma>
    tt.return
  }}
}}
"""


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "bf16", "total": "f16"}, "mma.sync does not multiply bf16 and bf16 into f16"),
        (
            {"chip": "cuda:80", "kind": "f8E5M2", "width": ", kWidth = 4"},
            "does not multiply f8E5M2",
        ),
        ({"chip": "cuda:120", "kind": "f64", "total": "f64"}, "does not multiply f64"),
        (
            {"kind": "f32", "precision": "ieee", "width": ", kWidth = 1"},
            "tensor cores support f32 operands only with input precision tf32",
        ),
    ],
)
def test_mma_sync_errors(changes, message):
    inputs = {
        "chip": "cuda:80",
        "version": 2,
        "shape": [16, 8],
        "width": ", kWidth = 2",
        "kind": "f16",
        "total": "f32",
        "precision": "tf32",
        "one": "1.0",
        "zero": "0.0",
    }
    with pytest.raises(CodegenError, match=message):
        lower(parse_module(PLAIN.format(**(inputs | changes))))


WARP_GROUP = """
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], \
instrShape = [16, 32, 8]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#turned = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, \
ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k() {
    %a = ttg.local_alloc : () -> !ttg.memdesc<64x32xf32, #tile, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<32x32xf32, #turned, #smem, mutable>
    %c = arith.constant dense<0.0> : tensor<64x32xf32, #mma>
    %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = PRECISION : i32} : \
!ttg.memdesc<64x32xf32, #tile, #smem, mutable> * !ttg.memdesc<32x32xf32, #turned, #smem, mutable> \
-> tensor<64x32xf32, #mma>
    tt.return
  }
}
"""


def test_wgmma_f32_requires_tf32_precision():
    assert "k8.f32.tf32.tf32" in lower(parse_module(WARP_GROUP.replace("PRECISION", "0"))).text
    with pytest.raises(
        CodegenError, match="tensor cores support f32 operands only with input precision tf32"
    ) as caught:
        lower(parse_module(WARP_GROUP.replace("PRECISION", "2")))
    assert "ieee" in str(caught.value)
