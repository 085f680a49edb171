"""The linear layout of every encoding that has its rule here.

`linear_of(encoding, shape)` looks the rule up by the class of the encoding and keeps the answer. An
encoding without a rule is refused, never guessed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from weft.errors import LayoutError
from weft.layouts import matrix, shared_layouts, tensor_memory_layouts
from weft.layouts.encodings import (
    AmdMfmaEncoding,
    AmdRotatingSharedEncoding,
    AmdWmmaEncoding,
    BlockedEncoding,
    DotOperandEncoding,
    Encoding,
    LinearEncoding,
    NvidiaMmaEncoding,
    NvmmaSharedEncoding,
    PaddedSharedEncoding,
    SharedLinearEncoding,
    SliceEncoding,
    SwizzledSharedEncoding,
    TensorMemoryEncoding,
    TensorMemoryScalesEncoding,
)
from weft.layouts.encodings.checks import is_power_of_two
from weft.layouts.linear import LinearLayout
from weft.layouts.tile_builder import (
    TileBuilder,
    at_least,
    at_most,
    dimension_names,
)

__all__ = ["linear_of", "register_order"]

Shape = tuple[int, ...]


@lru_cache(maxsize=65536)
def linear_of(encoding: Encoding, shape: Shape) -> LinearLayout:
    """Return the layout of a tensor of this shape that carries `encoding`.

    Raises: LayoutError where the shape does not fit or the encoding has no rule.
    """
    rule = _RULES.get(type(encoding))
    if rule is None:
        raise LayoutError(
            f"the linear layout of #{encoding.dialect}.{encoding.mnemonic} is not known to weft",
            found=str(encoding),
            accepted=[f"#{cls.dialect}.{cls.mnemonic}" for cls in _RULES],
        )
    if len(shape) != encoding.rank:
        raise LayoutError(
            f"the shape must have {encoding.rank} dimensions, as #{encoding.dialect}."
            f"{encoding.mnemonic} has",
            found="x".join(map(str, shape)),
        )
    for dim, size in enumerate(shape):
        if not is_power_of_two(size):
            raise LayoutError(
                f"dimension {dim} of the shape must be a power of two",
                found=f"{size} in {'x'.join(map(str, shape))}",
            )
    return rule(encoding, shape)


def _blocked(encoding: BlockedEncoding, shape: Shape) -> LinearLayout:
    tile = TileBuilder(shape, encoding.cga_layout)
    tile.grid("register", encoding.size_per_thread, encoding.order)
    tile.grid("lane", encoding.threads_per_warp, encoding.order)
    tile.grid("warp", encoding.warps_per_cta, encoding.order)
    return tile.finished()


def _slice(encoding: SliceEncoding, shape: Shape) -> LinearLayout:
    """Take the parent where the missing dimension has size 1, without registers that repeat."""
    dim = encoding.dim
    parent = linear_of(encoding.parent, (*shape[:dim], 1, *shape[dim:]))
    # A dimension of size 1 has no bits, so the images are the same with it and without.
    ins = tuple(
        [
            (name, tuple([v for v in images if v]) if name == "register" else images)
            for name, images in parent.ins
        ]
    )
    return LinearLayout(ins, tuple(zip(dimension_names(len(shape)), shape, strict=True)))


def register_order(encoding: LinearEncoding) -> tuple[int, ...]:
    """Return the dimensions by first use in the register vectors, then the others from the last."""
    used = [next(d for d, entry in enumerate(v) if entry) for v in encoding.register if any(v)]
    return tuple(dict.fromkeys([*used, *reversed(range(encoding.rank))]))


def _linear(encoding: LinearEncoding, shape: Shape) -> LinearLayout:
    names = dimension_names(encoding.rank)
    bases = {key: getattr(encoding, key) for key in ("register", "lane", "warp", "block")}
    layout = LinearLayout.from_bases(bases, names)
    whole = dict(zip(names, shape, strict=True))
    layout = layout.transpose_outs([names[d] for d in register_order(encoding)])
    layout = at_most(at_least(layout, whole), whole, drop=("register",))
    return layout.transpose_outs(names)


_RULES: dict[type[Encoding], Callable[[Any, Shape], LinearLayout]] = {
    BlockedEncoding: _blocked,
    SliceEncoding: _slice,
    DotOperandEncoding: matrix.dot_operand,
    NvidiaMmaEncoding: matrix.nvidia_mma,
    AmdMfmaEncoding: matrix.amd_mfma,
    AmdWmmaEncoding: matrix.amd_wmma,
    LinearEncoding: _linear,
    SharedLinearEncoding: shared_layouts.shared_linear,
    SwizzledSharedEncoding: shared_layouts.swizzled,
    AmdRotatingSharedEncoding: shared_layouts.rotating,
    PaddedSharedEncoding: shared_layouts.padded,
    NvmmaSharedEncoding: shared_layouts.nvmma,
    TensorMemoryEncoding: tensor_memory_layouts.accumulator,
    TensorMemoryScalesEncoding: tensor_memory_layouts.scales,
}
