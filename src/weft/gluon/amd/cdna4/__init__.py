"""Functions for CDNA4: those of CDNA3, scaled MFMA, and copies from global memory to LDS."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from weft.gluon.amd.buffer_atomics import buffer_atomic
from weft.gluon.amd.cdna3 import buffer_load, buffer_store, mfma
from weft.gluon.amd.cdna4 import async_copy
from weft.gluon.amd.scale_layouts import linear_layout, operand_parent
from weft.gluon.builtin import builtin_of
from weft.gluon.layouts import AMDMFMALayout, DistributedLinearLayout, DotOperandLayout
from weft.gluon.layouts.base import plain
from weft.language.constexpr import constexpr_function
from weft.layouts.scale_layouts import mfma_scale

__all__ = [
    "async_copy",
    "buffer_atomic_add",
    "buffer_atomic_and",
    "buffer_atomic_max",
    "buffer_atomic_min",
    "buffer_atomic_or",
    "buffer_atomic_xchg",
    "buffer_atomic_xor",
    "buffer_load",
    "buffer_store",
    "get_mfma_scale_layout",
    "mfma",
    "mfma_scaled",
]

_NAMESPACE = "amd.cdna4"
buffer_atomic_add = buffer_atomic(_NAMESPACE, "add")
buffer_atomic_and = buffer_atomic(_NAMESPACE, "and")
buffer_atomic_max = buffer_atomic(_NAMESPACE, "max")
buffer_atomic_min = buffer_atomic(_NAMESPACE, "min")
buffer_atomic_or = buffer_atomic(_NAMESPACE, "or")
buffer_atomic_xchg = buffer_atomic(_NAMESPACE, "xchg")
buffer_atomic_xor = buffer_atomic(_NAMESPACE, "xor")


@builtin_of(_NAMESPACE)
def mfma_scaled(a, a_scale, a_format, b, b_scale, b_format, acc):
    """Return (a * a_scale) * (b * b_scale) + acc.

    Args:
        a: The left operand.
        a_scale: Its scales, one for 32 elements along K; a scalar or None for one for all.
        a_format: The type of its elements: "e2m1", "e4m3" or "e5m2".
        b: The right operand.
        b_scale: Its scales.
        b_format: The type of its elements.
        acc: A tensor with an AMDMFMALayout, the parent of the operands' layouts.
    """


@constexpr_function
def get_mfma_scale_layout(
    dot_operand_layout: DotOperandLayout, shape: Sequence[int]
) -> DistributedLinearLayout:
    """Return the layout of the scales of an operand of a scaled MFMA.

    Args:
        dot_operand_layout: The layout of the operand.
        shape: The shape of the scales.

    Raises:
        LayoutError: The operand is not one of MFMA.
    """
    parent = operand_parent(dot_operand_layout, AMDMFMALayout)
    sizes = cast("list[int]", plain(shape))
    layout = mfma_scale(
        sizes,
        dot_operand_layout.operand_index,
        parent.instr_shape[0],
        parent.tiles_per_warp or [1] * len(parent.warps_per_cta),
        parent.warps_per_cta,
    )
    return linear_layout(layout, sizes)
