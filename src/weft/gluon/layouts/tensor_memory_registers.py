"""The layout of registers for loads from and stores to a buffer in tensor memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from weft.errors import LayoutError
from weft.gluon.layouts.base import Bases, plain, require, vectors
from weft.gluon.layouts.distributed import DistributedLinearLayout
from weft.gluon.layouts.tensor_memory import TensorMemoryLayout, TensorMemoryScalesLayout
from weft.language.dtypes import dtype
from weft.layouts.tensor_memory_access import ACCESS_SHAPES, tensor_memory_access_layout

__all__ = ["register_layout"]

_SPLIT = "32x32b_splitn"
_VARIANTS = (*ACCESS_SHAPES, "16x32bx2", _SPLIT)
_WORD_BITS = 32


def register_layout(
    element_ty: dtype,
    shape: Sequence[int],
    layout: TensorMemoryLayout | TensorMemoryScalesLayout,
    num_warps: int,
    instr_variant: str,
    cga_layout: Sequence[Sequence[int]],
) -> DistributedLinearLayout:
    """Return the layout of registers for an instruction; see `get_tmem_reg_layout`.

    Raises:
        LayoutError: The arguments are invalid, or there is no such layout.
    """
    require(instr_variant in _VARIANTS, f"unknown instr_variant: {instr_variant}", instr_variant)
    require(
        num_warps >= 4 and num_warps & (num_warps - 1) == 0,
        "num_warps must be a power of two and >= 4",
        num_warps,
    )
    sizes = tuple(cast("list[int]", plain(shape)))
    cga = cast("list[list[int]]", plain(cga_layout))
    require(len(sizes) == 2, "expected a 2D tensor", sizes)
    for basis in cga:
        require(len(basis) == len(sizes), "cga_layout basis rank mismatch", basis)
    atom = "32x32b" if instr_variant == _SPLIT else instr_variant
    if atom not in ACCESS_SHAPES:
        raise LayoutError(
            "Atom 16x32bx2 is inferred implicitly and cannot be requested explicitly",
            found=instr_variant,
        )
    bits = element_ty.primitive_bitwidth
    linear = tensor_memory_access_layout(
        layout.encoding.linear(sizes), atom, num_warps, bits, vectors(cga)
    )
    if linear is None:
        raise LayoutError(
            f"TMEM layout '{atom}' unsupported for shape {list(sizes)} and num_warps {num_warps}",
            found=layout,
        )
    bases = linear.bases
    registers, lanes, warps, blocks = (
        bases.get(name, []) for name in ("register", "lane", "warp", "block")
    )
    result = DistributedLinearLayout(registers, lanes, warps, blocks, list(sizes))
    return _split(result, sizes[1], bits) if instr_variant == _SPLIT else result


def _split(layout: DistributedLinearLayout, columns: int, bits: int) -> DistributedLinearLayout:
    """Exchange bits so that the last register bit selects half of the columns.

    Raises:
        LayoutError: No bit can be exchanged.
    """
    half = [0, columns // 2]
    registers, lanes, warps = (
        [list(basis) for basis in each]
        for each in (layout.reg_bases, layout.lane_bases, layout.warp_bases)
    )
    if not registers:
        require(
            lanes[-1] == half,
            f"splitn with 1 register requires the last lane basis to be [0, N / 2]. Got {layout}",
        )
        return _with_bases(layout, [half], [*lanes[:-1], [0, 0]], warps)
    if registers[-1] == half:
        return layout
    packed = _WORD_BITS // bits
    require(
        1 << len(registers) > packed,
        f"To be able to `tmem.load` into `tl.split` you need to have more than {packed} "
        f"{bits}-bit registers, as you need to use the instruction 32x32b.x1 twice. You can "
        'always load into instr_variant="32x32b" and then convert_layout to this layout '
        "otherwise.",
        layout,
    )
    for group in (lanes, warps):
        if half in group:
            position = group.index(half)
            registers[-1], group[position] = group[position], registers[-1]
            return _with_bases(layout, registers, lanes, warps)
    raise LayoutError(f"splitn requires at least one basis of [0, N / 2]. Got {layout}")


def _with_bases(
    layout: DistributedLinearLayout, registers: Bases, lanes: Bases, warps: Bases
) -> DistributedLinearLayout:
    return DistributedLinearLayout(registers, lanes, warps, layout.block_bases, layout.shape)
