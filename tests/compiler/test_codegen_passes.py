"""The passes between final TTGIR and LLVM IR run on a copy, and only where they are needed."""

from __future__ import annotations

import pytest

import weft
import weft.language as tl
from weft.compiler.codegen_passes import prepare_for_codegen
from weft.ir.text import print_module


@weft.jit
def doubled(x_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x_ptr + i, 2 * tl.load(x_ptr + i))


@weft.jit
def product(a_ptr, b_ptr, c_ptr, K, B: tl.constexpr):
    rows, k = tl.arange(0, B), tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    a_ptrs = a_ptr + rows[:, None] * K + k[None, :]
    b_ptrs = b_ptr + k[:, None] * B + rows[None, :]
    for _ in range(0, K, B):
        acc = tl.dot(tl.load(a_ptrs), tl.load(b_ptrs), acc)
        a_ptrs += B
        b_ptrs += B * B
    tl.store(c_ptr + rows[:, None] * B + rows[None, :], acc)


@weft.jit
def specialized(a_ptr, b_ptr, c_ptr, K, B: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, [B, K], [K, 1], [B, 64])
    b = tl.make_tensor_descriptor(b_ptr, [B, K], [K, 1], [B, 64])
    c = tl.make_tensor_descriptor(c_ptr, [B, B], [B, 1], [B, B])
    acc = tl.zeros((B, B), tl.float32)
    for k in tl.range(0, K, 64, warp_specialize=True):
        acc = tl.dot(a.load([0, k]), b.load([0, k]).T, acc)
    c.store([0, 0], acc.to(tl.float16))


def ttgir(kernel, signature, target):
    return weft.compile(kernel, signature=signature, target=target).module("ttgir")


@pytest.mark.parametrize("target", ["cuda:90", "hip:gfx942"])
def test_a_module_that_needs_no_pass_is_not_copied(target):
    module = ttgir(doubled, "*fp32:16, 128", target)
    assert prepare_for_codegen(module) is module


@pytest.mark.parametrize(
    ("kernel", "signature", "expected"),
    [
        (product, "*fp16:16, *fp16:16, *fp32:16, i32:16, 64", "tt.bitcast"),
        (specialized, "*fp16:16, *fp16:16, *fp16:16, i32:16, 128", '"ttg.total-num-warps" = 12'),
    ],
)
def test_passes_run_on_a_copy(kernel, signature, expected):
    module = ttgir(kernel, signature, "cuda:90")
    before = print_module(module)
    prepared = prepare_for_codegen(module)
    assert print_module(module) == before
    assert expected not in before
    assert expected in print_module(prepared)


def test_the_register_limit_reaches_the_division_among_partitions():
    module = ttgir(specialized, "*fp16:16, *fp16:16, *fp16:16, i32:16, 128", "cuda:90")
    texts = {print_module(prepare_for_codegen(module, limit)) for limit in (None, 96)}
    assert len(texts) == 2
