"""ldmatrix and stmatrix against numpy, by the fragments in the PTX ISA."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulator.programs import run_text

LANE = np.arange(32)


def copy_matrices(name: str, count: int) -> str:
    """Write a kernel that copies matrices from %p0 to %p1 through shared memory."""
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
def test_ldmatrix(count, trans):
    rows = np.random.default_rng(0).integers(0, 1 << 15, (32, 8), np.int16)
    result = np.zeros((count, 32), np.int32)
    name = f"ldmatrix.sync.aligned.m8n8.x{count}{'.trans' if trans else ''}.b16.p3"
    run_text(copy_matrices(name, count), [rows, result], shared_bytes=512)
    for matrix in range(count):
        tile = rows[8 * matrix : 8 * matrix + 8]
        tile = tile.T if trans else tile
        pairs = result[matrix].view(np.int16).reshape(32, 2)
        for n in range(2):
            np.testing.assert_array_equal(pairs[:, n], tile[LANE // 4, 2 * (LANE % 4) + n])


@pytest.mark.parametrize("trans", ["", ".trans"])
def test_stmatrix_inverts_ldmatrix(trans):
    words = np.random.default_rng(1).integers(0, 1 << 30, 32, np.int32)
    result = np.zeros(32, np.int32)
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
    run_text(body, [words, result], shared_bytes=128)
    np.testing.assert_array_equal(result, words)
