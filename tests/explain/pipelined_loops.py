"""What the tests of loops share: a kernel in any number of stages, and the loops of its report."""

from __future__ import annotations

from functools import partial

import weft
import weft.language as tl
from weft.explain import explain as explain_kernel
from weft.explain.model import Loop, LoopLoad

__all__ = ["POINTERS", "explain", "load_of", "loops_of", "product_of_size"]

explain = partial(explain_kernel, trials=0)

POINTERS = "*fp16:16, *fp16:16, *fp32:16, i32:16"


@weft.jit
def product_of_size(a, b, c, n, SIZE: tl.constexpr, STAGES: tl.constexpr):
    """Tiles of any size, in any number of stages."""
    row, column = tl.arange(0, SIZE)[:, None], tl.arange(0, SIZE)[None, :]
    total = tl.zeros((SIZE, SIZE), tl.float32)
    for k in tl.range(0, n, num_stages=STAGES):
        x = tl.load(a + k * SIZE * SIZE + row * SIZE + column)
        y = tl.load(b + k * SIZE * SIZE + row * SIZE + column)
        total = tl.dot(x, y, total)
    tl.store(c + row * SIZE + column, total)


def loops_of(kernel, target="cuda:80", signature=POINTERS, **options) -> tuple[Loop, ...]:
    return explain(kernel, signature=signature, target=target, **options).loops


def load_of(loop: Loop, value: str) -> LoopLoad:
    (load,) = [load for load in loop.loads if load.value == value]
    return load
