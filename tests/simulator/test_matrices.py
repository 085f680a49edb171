"""ldmatrix, stmatrix and mma.sync against numpy, from what PTX says of a warp's lanes."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests.simulator.programs import run_text

LANE = np.arange(32)


def moved(name: str, count: int) -> str:
    """Return a body that copies matrices from %p0 to %p1 by way of shared memory."""
    struct = f"{{ {', '.join(['i32'] * count)} }}" if count > 1 else "i32"
    lines = [
        "  %own = getelementptr <8 x i16>, ptr addrspace(3) @shared, i32 %i",
        "  %from = getelementptr <8 x i16>, ptr addrspace(1) %p0, i32 %i",
        "  %row = load <8 x i16>, ptr addrspace(1) %from, align 16",
        "  store <8 x i16> %row, ptr addrspace(3) %own, align 16",
        "  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)",
        f"  %all = call {struct} @llvm.nvvm.{name}(ptr addrspace(3) %own)",
    ]
    for n in range(count):
        word = "%all"
        if count > 1:
            lines.append(f"  %w{n} = extractvalue {struct} %all, {n}")
            word = f"%w{n}"
        lines += [
            f"  %n{n} = add i32 %i, {32 * n}",
            f"  %to{n} = getelementptr i32, ptr addrspace(1) %p1, i32 %n{n}",
            f"  store i32 {word}, ptr addrspace(1) %to{n}, align 4",
        ]
    return "\n".join([*lines, "  ret void"])


@pytest.mark.parametrize("trans", [False, True])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_ldmatrix_gives_lanes_pairs_of_a_row_or_column(count, trans):
    rows = np.random.default_rng(0).integers(0, 1 << 15, (32, 8), np.int16)
    found = np.zeros((count, 32), np.int32)
    name = f"ldmatrix.sync.aligned.m8n8.x{count}{'.trans' if trans else ''}.b16.p3"
    run_text(moved(name, count), [rows, found], shared_bytes=512)
    for matrix in range(count):
        tile = rows[8 * matrix : 8 * matrix + 8]
        tile = tile.T if trans else tile
        pairs = found[matrix].view(np.int16).reshape(32, 2)
        for n in range(2):
            np.testing.assert_array_equal(pairs[:, n], tile[LANE // 4, 2 * (LANE % 4) + n])


@pytest.mark.parametrize("trans", ["", ".trans"])
def test_stmatrix_is_ldmatrix_backwards(trans):
    words = np.random.default_rng(1).integers(0, 1 << 30, 32, np.int32)
    found = np.zeros(32, np.int32)
    body = f"""
  %row = and i32 %i, 7
  %own = getelementptr <8 x i16>, ptr addrspace(3) @shared, i32 %row
  %from = getelementptr i32, ptr addrspace(1) %p0, i32 %i
  %word = load i32, ptr addrspace(1) %from, align 4
  call void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x1{trans}.b16.p3(ptr addrspace(3) %own, i32 %word)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %back = call i32 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1{trans}.b16.p3(ptr addrspace(3) %own)
  %to = getelementptr i32, ptr addrspace(1) %p1, i32 %i
  store i32 %back, ptr addrspace(1) %to, align 4
  ret void"""
    run_text(body, [words, found], shared_bytes=128)
    np.testing.assert_array_equal(found, words)


def fragments(a: np.ndarray, words: int, group: int) -> np.ndarray:
    """Return [lane, word] of an operand [row, k]: a row in four lanes; words eight rows apart."""
    each = 4 // a.dtype.itemsize
    lanes = []
    for lane in range(32):
        row = []
        for word in range(words):
            r = lane // 4 + 8 * (word % group)
            k = 4 * each * (word // group) + each * (lane % 4)
            row.append(np.ascontiguousarray(a[r, k : k + each]).view(np.int32)[0])
        lanes.append(row)
    return np.array(lanes, np.int32)


MMA = [
    ("f16", np.float16, 16, "f32"),
    ("bf16", ml_dtypes.bfloat16, 16, "f32"),
    ("s8", np.int8, 32, "s32"),
    ("e4m3", ml_dtypes.float8_e4m3fn, 32, "f32"),
]


@pytest.mark.parametrize(("name", "kind", "k", "total"), MMA)
def test_mma_sync_is_a_product_of_matrices(name, kind, k, total):
    random = np.random.default_rng(2)
    a, b = (random.integers(-4, 5, (n, k)).astype(kind) for n in (16, 8))
    given = np.concatenate([fragments(a, 4, 2), fragments(b, 2, 1)], axis=1)
    llvm, dtype = ("i32", np.int32) if total == "s32" else ("float", np.float32)
    zero = "0" if llvm == "i32" else "0.0"
    found = np.zeros((32, 4), dtype)
    lines = ["  %base = mul i32 %i, 6"]
    for n in range(6):
        lines += [
            f"  %n{n} = add i32 %base, {n}",
            f"  %a{n} = getelementptr i32, ptr addrspace(1) %p0, i32 %n{n}",
            f"  %w{n} = load i32, ptr addrspace(1) %a{n}, align 4",
        ]
    struct = f"{{ {', '.join([llvm] * 4)} }}"
    arguments = [*(f"i32 %w{n}" for n in range(6)), *[f"{llvm} {zero}"] * 4]
    d, words = "{$0, $1, $2, $3}", "{$4, $5, $6, $7}, {$8, $9}"
    text = f"mma.sync.aligned.m16n8k{k}.row.col.{total}.{name}.{name}.{total} {d}, {words}, {d};"
    lines.append(f'  %d = call {struct} asm "{text}", "=f,=f,=f,=f"({", ".join(arguments)})')
    lines.append("  %first = mul i32 %i, 4")
    for n in range(4):
        lines += [
            f"  %d{n} = extractvalue {struct} %d, {n}",
            f"  %m{n} = add i32 %first, {n}",
            f"  %t{n} = getelementptr {llvm}, ptr addrspace(1) %p1, i32 %m{n}",
            f"  store {llvm} %d{n}, ptr addrspace(1) %t{n}, align 4",
        ]
    run_text("\n".join([*lines, "  ret void"]), [given, found])
    product = a.astype(np.float64) @ b.astype(np.float64).T
    for n in range(4):
        expected = product[LANE // 4 + 8 * (n // 2), 2 * (LANE % 4) + n % 2]
        np.testing.assert_array_equal(found[:, n], expected)
