"""Functions for gfx1250: WMMA, TDM, mbarriers, clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from weft.gluon.amd.cdna3 import buffer_load, buffer_store
from weft.gluon.amd.gfx1250 import async_copy, cluster, mbarrier, tdm
from weft.gluon.amd.scale_layouts import linear_layout, operand_parent
from weft.gluon.builtin import builtin_of
from weft.gluon.layouts import AMDWMMALayout, DistributedLinearLayout, DotOperandLayout
from weft.gluon.layouts.base import plain, vectors
from weft.language.constexpr import constexpr_function
from weft.layouts.scale_layouts import wmma_scale

__all__ = [
    "async_copy",
    "buffer_load",
    "buffer_store",
    "cluster",
    "get_wmma_scale_layout",
    "mbarrier",
    "tdm",
    "wmma",
    "wmma_scaled",
]

_declare = builtin_of("amd.gfx1250")


@_declare
def wmma(a, b, acc):
    """Return a * b + acc, computed by WMMA instructions."""


@_declare
def wmma_scaled(a, a_scale, a_format, b, b_scale, b_format, acc):
    """Return (a * a_scale) * (b * b_scale) + acc.

    Args:
        a: The left operand.
        a_scale: Its scales, one for 32 elements along K; a scalar or None for one for all.
        a_format: The type of its elements: "e2m1", "e4m3" or "e5m2".
        b: The right operand.
        b_scale: Its scales.
        b_format: The type of its elements.
        acc: A tensor with an AMDWMMALayout of 16x16x128.
    """


@constexpr_function
def get_wmma_scale_layout(
    dot_operand_layout: DotOperandLayout, shape: Sequence[int]
) -> DistributedLinearLayout:
    """Return the layout of the scales of an operand of a scaled WMMA.

    Args:
        dot_operand_layout: The layout of the operand.
        shape: The shape of the scales.

    Raises:
        LayoutError: The operand is not one of WMMA.
    """
    parent = operand_parent(dot_operand_layout, AMDWMMALayout)
    sizes = cast("list[int]", plain(shape))
    layout = wmma_scale(
        sizes,
        dot_operand_layout.operand_index,
        vectors(parent.reg_bases or ()),
        vectors(parent.warp_bases),
    )
    return linear_layout(layout, sizes)
