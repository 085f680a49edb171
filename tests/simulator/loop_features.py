"""A table of the ways in which chips overlap the work of a loop, with a kernel for each."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

import weft
import weft.language as tl
from weft.kernel.compiled_kernel import CompiledKernel


@weft.jit
def product(
    a_ptr, b_ptr, c_ptr, K, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr, WS: tl.constexpr
):  # fmt: skip
    """One tile of a product, loaded by pointers; both operands are contiguous along K."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BK)
    acc = tl.zeros((M, N), tl.float32)
    for start in tl.range(0, K, BK, warp_specialize=WS):
        a = tl.load(a_ptr + m[:, None] * K + start + k[None, :])
        b = tl.load(b_ptr + n[None, :] * K + start + k[:, None])
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc)


@weft.jit
def product_of_tiles(
    a_ptr, b_ptr, c_ptr, K, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr, WS: tl.constexpr
):  # fmt: skip
    """The same, loaded by descriptors."""
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [M, BK])
    b = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [N, BK])
    m, n = tl.arange(0, M), tl.arange(0, N)
    acc = tl.zeros((M, N), tl.float32)
    for start in tl.range(0, K, BK, warp_specialize=WS):
        acc = tl.dot(a.load([0, start]), b.load([0, start]).T, acc)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc)


AMD = ("gfx908", "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201", "gfx1250")


class Feature(Struct, frozen=True):
    """How loops overlap their work.

    Attributes:
        chips: The chips that have it.
        marks: Texts that its TTGIR has.
        kernel: The kernel.
        tile: Rows, columns and depth of a tile.
        specialized: Whether the loop asks for warp specialization.
        options: Compile options.
    """

    chips: tuple[str, ...]
    marks: tuple[str, ...]
    kernel: weft.JITFunction = product
    tile: tuple[int, int, int] = (64, 32, 32)
    specialized: bool = False
    options: tuple[tuple[str, object], ...] = (("num_stages", 3),)


_BUFFERS = ("<2x64x32xf16", "<2x32x32xf16")
_TMA = "ttng.async_tma_copy_global_to_local"
_SPECIALIZED = "ttg.warp_specialize("
FEATURES = {
    "cp.async": Feature(("80", "86", "89", "120"), ("ttg.async_copy_global_to_local", *_BUFFERS)),
    "cp.async and wgmma": Feature(
        ("90",), ("ttg.async_copy_global_to_local", "isAsync = true", "<3x64x32xf16")
    ),
    "cp.async and tcgen05": Feature(
        ("100", "103"), ("ttg.async_copy_global_to_local", "is_async", "<3x64x32xf16")
    ),
    "TMA": Feature(("120",), (_TMA, *_BUFFERS), product_of_tiles),
    "TMA and wgmma": Feature(("90",), (_TMA, "isAsync = true", "<3x64x32xf16"), product_of_tiles),
    "TMA and tcgen05": Feature(
        ("100", "103"), (_TMA, "is_async", "<3x64x32xf16"), product_of_tiles
    ),
    "warp specialization": Feature(
        ("90", "100", "103", "120"), (_SPECIALIZED, _TMA), product_of_tiles, (128, 64, 64), True
    ),
    "registers": Feature(AMD, ("ttg.local_store",), options=(("num_stages", 2),)),
    "LDS": Feature(AMD, ("ttg.local_store", "<2x64x32xf16")),
    "direct to LDS": Feature(
        ("gfx942", "gfx950", "gfx1250"),
        ("ttg.async_copy_global_to_local", "async_wait", "<3x64x32xf16"),
        options=(("num_stages", 3), ("use_async_copy", True)),
    ),
    "TDM": Feature(("gfx1250",), ("amdg.async_tdm_copy_global_to_local",), product_of_tiles),
    "ping-pong of one dot": Feature(
        ("gfx942",),
        ("rocdl.s.setprio", "rocdl.sched.barrier"),
        options=(("num_stages", 2),),
    ),
    "ping-pong of two clusters": Feature(
        ("gfx942",),
        ("amdg.cond_barrier",),
        tile=(256, 128, 64),
        options=(("num_stages", 2), ("num_warps", 8)),
    ),
    "ping-pong of copies to LDS": Feature(
        ("gfx950",),
        ("amdg.cond_barrier", "ttg.async_copy_global_to_local"),
        tile=(128, 128, 64),
        options=(("num_stages", 3), ("num_warps", 8), ("use_async_copy", True)),
    ),
}


def compile_feature(feature: Feature, chip: str) -> CompiledKernel:
    """Compile the kernel of a feature for a chip."""
    rows, columns, depth = feature.tile
    return weft.compile(
        feature.kernel,
        signature=f"*fp16:16, *fp16:16, *fp32:16, i32:16, {rows}, {columns}, {depth}, constexpr",
        constexprs={"WS": feature.specialized},
        target=f"hip:{chip}" if chip.startswith("gfx") else f"cuda:{chip}",
        options=dict(feature.options),
    )


def arguments_for(feature: Feature, steps: int) -> tuple[list[object], np.ndarray, np.ndarray]:
    """Create the arguments for a loop of a number of steps.

    Returns:
        The arguments, of them the result, and what it should be.
    """
    rows, columns, depth = feature.tile
    inner, random = max(1, steps) * depth, np.random.default_rng(steps)
    a, b = (random.standard_normal((n, inner)).astype(np.float16) for n in (rows, columns))
    c = np.full((rows, columns), np.nan, np.float32)
    k = steps * depth
    return [a, b, c, k], c, a[:, :k].astype(np.float32) @ b[:, :k].astype(np.float32).T
