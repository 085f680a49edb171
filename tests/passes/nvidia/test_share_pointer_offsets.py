"""share-pointer-offsets keeps what kernels compute."""

from __future__ import annotations

import pytest

import weft
import weft.language as tl
from weft.compiler.machine_code import lower_ttgir
from weft.ir.text import print_module
from weft.passes.nvidia.share_pointer_offsets import SharePointerOffsets
from weft.testing import check_pass


@weft.jit
def by_pointers(a, b, c, K, stride, SIZE: tl.constexpr):
    m, k = tl.arange(0, SIZE), tl.arange(0, SIZE)
    a_ptrs = a + m[:, None] * K + k[None, :]
    b_ptrs = b + (K - SIZE + k)[:, None] * stride + m[None, :]
    acc = tl.zeros((SIZE, SIZE), tl.float32)
    for step in range(0, K, SIZE):
        acc = tl.dot(tl.load(a_ptrs, mask=step + k[None, :] < K, other=0.0), tl.load(b_ptrs), acc)
        a_ptrs += SIZE
        b_ptrs -= SIZE * stride
    tl.store(c + m[:, None] * SIZE + m[None, :], acc)


@weft.jit
def by_block_pointers(a, b, c, K, stride, SIZE: tl.constexpr):
    m = tl.arange(0, SIZE)
    a_block = tl.make_block_ptr(a, (SIZE, K), (K, 1), (0, 0), (SIZE, SIZE), (1, 0))
    b_block = tl.make_block_ptr(b, (K, SIZE), (stride, 1), (0, 0), (SIZE, SIZE), (1, 0))
    acc = tl.zeros((SIZE, SIZE), tl.float32)
    for _ in range(0, K, SIZE):
        left = tl.load(a_block, boundary_check=(0, 1), padding_option="zero")
        right = tl.load(b_block, boundary_check=(0, 1), padding_option="zero")
        acc = tl.dot(left, right, acc)
        a_block = tl.advance(a_block, (0, SIZE))
        b_block = tl.advance(b_block, (SIZE, 0))
    tl.store(c + m[:, None] * SIZE + m[None, :], acc)


@weft.jit
def by_indices(a, b, c, K, stride, SIZE: tl.constexpr):
    # As Inductor's templates do: sizes are constants, so that 32 bits are known to suffice.
    m, k = tl.arange(0, SIZE), tl.arange(0, SIZE)
    acc = tl.zeros((SIZE, SIZE), tl.float32)
    for step in range(0, 5):
        lhs = tl.load(a + ((k[None, :] + step * SIZE) + 160 * m[:, None]))
        rows = b + 48 * (k[:, None] + step * SIZE)
        rhs = tl.load(rows + m[None, :])
        acc = tl.dot(lhs, rhs, acc)
    tl.store(c + m[:, None] * SIZE + m[None, :], acc)


@pytest.mark.parametrize("num_stages", [2, 4])
@pytest.mark.parametrize("kernel", [by_pointers, by_block_pointers, by_indices])
def test_pipelined_loops(kernel, num_stages):
    compiled = weft.compile(
        kernel,
        signature="*fp16:16, *fp16:16, *fp32:16, i32:16, i32:16, constexpr",
        constexprs={"SIZE": 32},
        target="cuda:80",
        num_stages=num_stages,
    )
    module = compiled.module("ttgir")
    check_pass(module, "share-pointer-offsets", grid=(1,), scalars={3: 160, 4: 48})
    rewritten = compiled.module("ttgir")
    SharePointerOffsets().run(rewritten)
    text = print_module(rewritten)
    assert text.count("tt.bitcast") == 4  # two copies, to bytes and back
    if kernel is by_indices:
        loop = text[text.index("scf.for") : text.index("scf.yield")]
        assert "arith.muli" not in loop  # the offsets are iter_args


def test_compiled_kernels_share_offsets():
    compiled = weft.compile(
        by_pointers,
        signature="*fp16:16, *fp16:16, *fp32:16, i32:16, i32:16, constexpr",
        constexprs={"SIZE": 32},
        target="cuda:80",
    )
    text = lower_ttgir(compiled.module("ttgir"), compiled.metadata.options).text
    assert "getelementptr i8, ptr addrspace(1)" in text
    assert "tt.bitcast" not in compiled.asm["ttgir"]
