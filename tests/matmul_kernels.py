"""Matrix products whose loops get pipelined, and how to break their compiled text."""

from __future__ import annotations

import re

import weft
import weft.language as tl
from weft.ir.text import print_module


@weft.jit
def matmul(a, b, c, n, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Multiply BM rows of a with n rows of b, both loaded through pointers."""
    rows, columns, depth = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, n, BK):
        a_tile = tl.load(a + rows[:, None] * n + k + depth[None, :])
        b_tile = tl.load(b + (k + depth[:, None]) * BN + columns[None, :])
        total = tl.dot(a_tile, b_tile, total)
    tl.store(c + rows[:, None] * BN + columns[None, :], total)


@weft.jit
def descriptor_matmul(a, b, c, n, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Multiply BM rows of a with n rows of b, both loaded through tensor descriptors."""
    a_desc = tl.make_tensor_descriptor(a, [BM, n], [n, 1], [BM, BK])
    b_desc = tl.make_tensor_descriptor(b, [n, BN], [BN, 1], [BK, BN])
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, n, BK):
        total = tl.dot(a_desc.load([0, k]), b_desc.load([k, 0]), total)
    rows, columns = tl.arange(0, BM), tl.arange(0, BN)
    tl.store(c + rows[:, None] * BN + columns[None, :], total)


def compile_to_ttgir(
    kernel: weft.JITFunction, target: str, num_stages: int, tile: tuple[int, int, int]
) -> str:
    """Compile a kernel of this module for fp16 operands.

    Args:
        kernel: The kernel.
        target: The chip.
        num_stages: The stages of the pipelined loop.
        tile: BM, BN and BK.

    Returns:
        The text of the TTGIR with source locations.
    """
    sizes = ", ".join(map(str, tile))
    compiled = weft.compile(
        kernel,
        signature=f"*fp16:16, *fp16:16, *fp32:16, i32:16, {sizes}",
        target=target,
        num_stages=num_stages,
        stop_after="ttgir",
    )
    return print_module(compiled.module("ttgir"), locations=True)


def substitute(pattern: str, replacement: str, text: str) -> str:
    """Replace each match of a regular expression; fail if there is none."""
    result, count = re.subn(pattern, replacement, text)
    assert count, f"no match of {pattern}"
    return result
