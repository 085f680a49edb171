"""A kernel whose body is repeated while compiling: loads of two directions, a dot, a reduction."""

from __future__ import annotations

import weft
import weft.language as tl


@weft.jit
def unrolled(x_ptr, y_ptr, out_ptr, N: tl.constexpr, TIMES: tl.constexpr):
    """Multiply TIMES pairs of tiles, one of them loaded the wrong way round."""
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    acc = tl.zeros((N, N), tl.float32)
    for step in tl.static_range(TIMES):
        x = tl.load(x_ptr + step * N * N + i * N + j)
        y = tl.load(y_ptr + step * N * N + j * N + i)
        acc = tl.dot(x, y, acc)
        acc += tl.sum(acc, 1)[:, None]
    tl.store(out_ptr + i * N + j, acc)


TIMES = (1, 2, 4, 8, 16, 32)
CASES = (
    (unrolled, "*fp16:16, *fp16:16, *fp32:16, 64, 1", {}, {}),
    (unrolled, "*fp16:16, *fp16:16, *fp32:16, 64, 2", {}, {}),
    (unrolled, "*fp16:16, *fp16:16, *fp32:16, 64, 4", {}, {}),
    (unrolled, "*fp16:16, *fp16:16, *fp32:16, 64, 8", {}, {}),
    (unrolled, "*fp16:16, *fp16:16, *fp32:16, 64, 16", {}, {}),
    (unrolled, "*fp16:16, *fp16:16, *fp32:16, 64, 32", {}, {}),
)
