"""Kernels that name blocks of an array instead of computing pointers, and loops to unroll."""

from __future__ import annotations

import weft
import weft.language as tl


@weft.jit
def copy_block(x_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr):
    """Copy by block pointers, both edges checked and padded."""
    at = (tl.program_id(0) * BLOCK, tl.program_id(1) * BLOCK)
    source = tl.make_block_ptr(x_ptr, (rows, columns), (columns, 1), at, (BLOCK, BLOCK), (1, 0))
    target = tl.make_block_ptr(out_ptr, (rows, columns), (columns, 1), at, (BLOCK, BLOCK), (1, 0))
    x = tl.load(source, boundary_check=(0, 1), padding_option="zero")
    tl.store(target, x, boundary_check=(0, 1))


@weft.jit
def block_pointer_matmul(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK: tl.constexpr):
    """Walk along K by advancing block pointers."""
    row, column = tl.program_id(0) * BLOCK, tl.program_id(1) * BLOCK
    a_block = tl.make_block_ptr(a_ptr, (M, K), (K, 1), (row, 0), (BLOCK, BLOCK), (1, 0))
    b_block = tl.make_block_ptr(b_ptr, (K, N), (N, 1), (0, column), (BLOCK, BLOCK), (1, 0))
    acc = tl.zeros((BLOCK, BLOCK), tl.float32)
    for _ in range(0, tl.cdiv(K, BLOCK)):
        a = tl.load(a_block, boundary_check=(1,))
        b = tl.load(b_block, boundary_check=(0,), padding_option="nan")
        acc = tl.dot(a, b, acc)
        a_block = tl.advance(a_block, (0, BLOCK))
        b_block = tl.advance(b_block, (BLOCK, 0))
    c_block = tl.make_block_ptr(c_ptr, (M, N), (N, 1), (row, column), (BLOCK, BLOCK), (1, 0))
    tl.store(c_block, acc.to(c_ptr.dtype.element_ty), boundary_check=(0, 1))


@weft.jit
def copy_descriptor(x_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr):
    """Copy by tensor descriptors that the kernel makes."""
    source = tl.make_tensor_descriptor(x_ptr, [rows, columns], [columns, 1], [BLOCK, BLOCK])
    target = tl.make_tensor_descriptor(out_ptr, [rows, columns], [columns, 1], [BLOCK, BLOCK])
    row, column = tl.program_id(0) * BLOCK, tl.program_id(1) * BLOCK
    target.store([row, column], source.load([row, column]) * 2)


@weft.jit
def unroll_by_factor(x_ptr, out_ptr, steps, BLOCK: tl.constexpr):
    """Unroll a loop whose length is not known, by a factor that need not divide it."""
    index = tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), tl.float32)
    for step in tl.range(0, steps, loop_unroll_factor=4):
        acc += tl.load(x_ptr + step * BLOCK + index)
    tl.store(out_ptr + index, acc)


CASES = (
    (copy_block, "*fp16:16, *fp16:16, i32:16, i32:16, 32", {}, {}),
    (block_pointer_matmul, "*fp16:16, *fp16:16, *fp16:16, i32, i32, i32:16, 64", {}, {}),
    (copy_descriptor, "*fp16:16, *fp16:16, i32:16, i32:16, 64", {}, {}),
    (unroll_by_factor, "*fp32:16, *fp32:16, i32, 256", {}, {}),
)
