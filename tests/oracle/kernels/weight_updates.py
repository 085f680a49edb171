"""Recurrences over matrices: each step reads the state that the step before it has updated."""

from __future__ import annotations

import weft
import weft.language as tl


@weft.jit
def delta_rule(w_ptr, v_ptr, k_ptr, state_ptr, T, D: tl.constexpr):
    """Update a state by what it predicts wrong: state += kᵀ(v - w·state), a chunk of rows a step."""
    row, column = tl.arange(0, D), tl.arange(0, D)
    state = tl.zeros((D, D), tl.float32)
    for step in range(tl.cdiv(T, D)):
        rows = step * D + row[:, None]
        offsets = rows * D + column[None, :]
        prediction = tl.dot(tl.load(w_ptr + offsets, mask=rows < T, other=0), state.to(tl.float16))
        error = tl.load(v_ptr + offsets, mask=rows < T, other=0) - prediction
        steps = step * D + column[None, :]
        keys = tl.load(k_ptr + steps * D + row[:, None], mask=steps < T, other=0)
        state += tl.dot(keys, error.to(tl.float16))
    tl.store(state_ptr + row[:, None] * D + column[None, :], state)


_DELTA = "*fp16:16, *fp16:16, *fp16:16, *fp32:16, i32"
CASES = (
    (delta_rule, f"{_DELTA}, 64", {}, {}),
    (delta_rule, f"{_DELTA}, 64", {}, {"num_stages": 2, "num_warps": 8}),
)
