"""Rotary position embedding: turn pairs of a head's elements by angles that grow with position.

The elements of a head are taken in pairs, each a point of the plane. At position p pair i is turned
by the angle p · θᵢ, so that the dot product of a query and a key depends on how far apart they are:

    (a, b)  ↦  (a·cos − b·sin,  a·sin + b·cos)

Which elements are a pair is a convention, and checkpoints exist for two:

    halves         a₀ a₁ a₂ a₃ b₀ b₁ b₂ b₃         two tiles, half a head apart
    interleaved    a₀ b₀ a₁ b₁ a₂ b₂ a₃ b₃         one tile; `split` takes it apart, `join` mends it

Both read memory in whole rows. The gradient of a rotation is the rotation back, by −angle: the same
kernel with BACK.

Run it: `weft run examples/rotary_embedding.py`, or `python examples/rotary_embedding.py`.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

import weft
import weft.language as tl


@weft.jit
def turn(a, b, cos, sin, BACK: tl.constexpr):
    """Return the points (a, b) turned by the angle, or back by it."""
    if BACK:
        sin = -sin
    return a * cos - b * sin, a * sin + b * cos


@weft.jit
def rotary(
    x_ptr,
    cos_ptr,
    sin_ptr,
    position_ptr,
    heads,
    pairs,
    BLOCK_H: tl.constexpr,
    BLOCK_P: tl.constexpr,
    INTERLEAVED: tl.constexpr,
    BACK: tl.constexpr,
):
    """Turn, in place, BLOCK_H heads of one token per program; grid: (tokens, tiles of heads).

    x: (tokens, heads, 2·pairs), packed.  cos, sin: (positions, pairs).  position: (tokens,).
    BLOCK_P ≥ pairs.
    """
    token = tl.program_id(0)
    head = tl.program_id(1) * BLOCK_H + tl.arange(0, BLOCK_H)
    pair = tl.arange(0, BLOCK_P)
    angle = tl.load(position_ptr + token) * pairs + pair
    # One row of angles serves all heads of the token.
    cos = tl.load(cos_ptr + angle, mask=pair < pairs, other=1.0).to(tl.float32)[None, :]
    sin = tl.load(sin_ptr + angle, mask=pair < pairs, other=0.0).to(tl.float32)[None, :]
    x_ptr += token.to(tl.int64) * heads * pairs * 2
    row = head[:, None] * pairs * 2
    if INTERLEAVED:
        element = tl.arange(0, 2 * BLOCK_P)[None, :]
        inside = (head[:, None] < heads) & (element < 2 * pairs)
        x = tl.load(x_ptr + row + element, mask=inside, other=0.0).to(tl.float32)
        a, b = tl.split(tl.reshape(x, (BLOCK_H, BLOCK_P, 2)))
        a, b = turn(a, b, cos, sin, BACK)
        x = tl.reshape(tl.join(a, b), (BLOCK_H, 2 * BLOCK_P))
        tl.store(x_ptr + row + element, x, mask=inside)
    else:
        inside = (head[:, None] < heads) & (pair[None, :] < pairs)
        a_ptrs = x_ptr + row + pair[None, :]
        b_ptrs = a_ptrs + pairs
        a = tl.load(a_ptrs, mask=inside, other=0.0).to(tl.float32)
        b = tl.load(b_ptrs, mask=inside, other=0.0).to(tl.float32)
        a, b = turn(a, b, cos, sin, BACK)
        tl.store(a_ptrs, a, mask=inside)
        tl.store(b_ptrs, b, mask=inside)


CASES = (
    (
        rotary,
        "*fp16:16, *fp32:16, *fp32:16, *i32:16, i32:16, i32:16, 16, 64, constexpr, constexpr",
        {"INTERLEAVED": False, "BACK": False},
        {},
    ),
    (
        rotary,
        "*bf16:16, *bf16:16, *bf16:16, *i32:16, i32, i32:16, 8, 64, constexpr, constexpr",
        {"INTERLEAVED": True, "BACK": False},
        {},
    ),
    (
        rotary,
        "*fp32:16, *fp32:16, *fp32:16, *i64:16, i32, i32, 4, 32, constexpr, constexpr",
        {"INTERLEAVED": True, "BACK": True},
        {"num_warps": 2},
    ),
)


def launch(x, cos, sin, position, interleaved, back=False, block=4):
    """Turn x, an array of shape (tokens, heads, 2·pairs), in place."""
    tokens, heads, elements = x.shape
    rotary[(tokens, weft.cdiv(heads, block))](
        x,
        cos,
        sin,
        position,
        heads,
        elements // 2,
        BLOCK_H=block,
        BLOCK_P=weft.next_power_of_2(elements // 2),
        INTERLEAVED=interleaved,
        BACK=back,
    )


def angles(positions, pairs, base=10_000.0):
    """Return cos and sin, (positions, pairs) f32, of position · base^(−pair / pairs)."""
    angle = np.arange(positions)[:, None] * base ** (-np.arange(pairs) / pairs)
    return np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)


def reference(x, cos, sin, position, interleaved):
    """Return the turned array as numpy computes it: pairs as complex numbers, in f64."""
    pairs = x.shape[2] // 2
    x = x.astype(np.float64)
    parts = np.array((x[..., ::2], x[..., 1::2]) if interleaved else np.split(x, [pairs], axis=2))
    turned = (parts[0] + 1j * parts[1]) * (cos + 1j * sin.astype(np.float64))[position][:, None]
    if interleaved:
        return np.stack((turned.real, turned.imag), axis=-1).reshape(x.shape)
    return np.concatenate((turned.real, turned.imag), axis=2)


def check(dtype, tokens, heads, pairs, interleaved) -> float:
    """Compare with numpy, turn back, and return the largest error of both relative to 1 + |x|."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((tokens, heads, 2 * pairs)).astype(dtype)
    cos, sin = angles(4 * tokens, pairs)
    position = rng.integers(0, 4 * tokens, tokens).astype(np.int32)
    out = x.copy()
    launch(out, cos, sin, position, interleaved)
    expected = reference(x, cos, sin, position, interleaved)
    error = (np.abs(out.astype(np.float64) - expected) / (1 + np.abs(expected))).max()
    launch(out, cos, sin, position, interleaved, back=True)
    wide = x.astype(np.float64)
    error = max(error, (np.abs(out.astype(np.float64) - wide) / (1 + np.abs(wide))).max())
    bound = 2 * float(ml_dtypes.finfo(dtype).eps)
    assert error <= bound, (error, bound)
    return float(error)


def main() -> None:
    """Check all types and both conventions, with 5 heads of 2 × 40 elements."""
    for dtype in (np.float32, np.float16, ml_dtypes.bfloat16):
        for interleaved in (False, True):
            error = check(dtype, 37, 5, 40, interleaved)
            kind = "interleaved" if interleaved else "halves"
            print(
                f"rotary_embedding  {np.dtype(dtype).name:9} {kind:11} 37 × 5 × 80"
                f"  largest error {error:.1e}"
            )


if __name__ == "__main__":
    main()
