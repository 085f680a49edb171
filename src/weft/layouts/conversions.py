"""The linear layout of every encoding that has its rule here.

`linear_of(encoding, shape)` looks the rule up by the class of the encoding and keeps the answer. An
encoding without a rule is refused, never guessed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from weft.errors import LayoutError
from weft.layouts import matrix
from weft.layouts.encodings import (
    AmdMfmaEncoding,
    AmdRotatingSharedEncoding,
    AmdWmmaEncoding,
    BlockedEncoding,
    DotOperandEncoding,
    Encoding,
    LinearEncoding,
    NvidiaMmaEncoding,
    SharedLinearEncoding,
    SliceEncoding,
    SwizzledSharedEncoding,
)
from weft.layouts.encodings.checks import is_power_of_two
from weft.layouts.linear import LinearLayout
from weft.layouts.tiling import at_least, at_most, dimension_names, grid, on_shape

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
    order = encoding.order
    tile = (
        grid("register", encoding.size_per_thread, order)
        * grid("lane", encoding.threads_per_warp, order)
        * grid("warp", encoding.warps_per_cta, order)
    )
    return on_shape(tile, encoding.cga_layout, shape)


def _slice(encoding: SliceEncoding, shape: Shape) -> LinearLayout:
    """Take the parent where the missing dimension has size 1, without registers that repeat."""
    dim = encoding.dim
    parent = linear_of(encoding.parent, (*shape[:dim], 1, *shape[dim:]))
    names = dimension_names(len(shape) + 1)
    kept = parent.sublayout(list(parent.in_dims), names[:dim] + names[dim + 1 :])
    ins = tuple(
        (name, tuple(v for v in images if v or name != "register")) for name, images in kept.ins
    )
    sizes = tuple(kept.out_dims.values())
    return LinearLayout(ins, tuple(zip(dimension_names(len(shape)), sizes, strict=True)))


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


def _shared_linear(encoding: SharedLinearEncoding, shape: Shape) -> LinearLayout:
    names = dimension_names(encoding.rank)
    bases = {"offset": encoding.offset, "block": encoding.block}
    layout = LinearLayout.from_bases(bases, names)
    if tuple(layout.out_dims.values()) != shape:
        raise LayoutError(
            "the shape must be the one that #ttg.shared_linear spells",
            found="x".join(map(str, shape)),
            accepted=["x".join(str(size) for size in layout.out_dims.values())],
        )
    return layout


def _swizzled(encoding: SwizzledSharedEncoding, shape: Shape) -> LinearLayout:
    """Give row r the column c ^ vec * (r / perPhase % maxPhase), one vector per offset bit."""
    names = dimension_names(len(shape))
    whole = dict(zip(names, shape, strict=True))
    blocks = LinearLayout.from_bases({"block": encoding.cga_layout}, names, surjective=False)
    blocks = at_most(blocks, whole)
    sizes = [max(1, size // blocks.out_dims[n]) for n, size in whole.items()]

    def phase(row: int) -> int:
        return row // encoding.per_phase % encoding.max_phase

    return _phased(encoding, phase, sizes, shape)


def _rotating(encoding: AmdRotatingSharedEncoding, shape: Shape) -> LinearLayout:
    """Swizzle with a phase that also moves on after each maxPhase of phases."""

    def phase(row: int) -> int:
        step = row // encoding.per_phase
        return step % encoding.max_phase ^ step // encoding.max_phase % encoding.max_phase

    return _phased(encoding, phase, list(shape), shape)


def _phased(
    encoding: SwizzledSharedEncoding | AmdRotatingSharedEncoding,
    phase: Callable[[int], int],
    sizes: list[int],
    shape: Shape,
) -> LinearLayout:
    """Return rows of `sizes` whose columns are exchanged by vec * phase(row)."""
    if len(shape) == 1:
        tile = LinearLayout.identity_1d(sizes[0], "offset", "dim0")
        return on_shape(tile, encoding.cga_layout, shape)
    column, row = encoding.order[:2]
    columns, rows = sizes[column], sizes[row]
    vectors = [(1 << bit, 0) for bit in range(columns.bit_length() - 1)]
    for bit in range(rows.bit_length() - 1):
        vectors.append((encoding.vec * phase(1 << bit) % columns, 1 << bit))
    swizzle = LinearLayout.from_bases(
        {"offset": vectors}, {f"dim{column}": columns, f"dim{row}": rows}
    )
    rest = grid("offset", sizes, encoding.order[2:])
    return on_shape(swizzle * rest, encoding.cga_layout, shape)


_RULES: dict[type[Encoding], Callable[[Any, Shape], LinearLayout]] = {
    BlockedEncoding: _blocked,
    SliceEncoding: _slice,
    DotOperandEncoding: matrix.dot_operand,
    NvidiaMmaEncoding: matrix.nvidia_mma,
    AmdMfmaEncoding: matrix.amd_mfma,
    AmdWmmaEncoding: matrix.amd_wmma,
    LinearEncoding: _linear,
    SharedLinearEncoding: _shared_linear,
    SwizzledSharedEncoding: _swizzled,
    AmdRotatingSharedEncoding: _rotating,
}
