"""How the warps of a block divide a tensor.

    DistributedLinearLayout(…, warp_bases=[[16, 0], [0, 0], [0, 8]], …)   →   [2, 2]

Each basis vector of the warp number doubles the warps along its dimension; with a
zero vector, two warps hold the same elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from weft.errors import LayoutError
from weft.gluon.layouts.base import Bases, Layout, plain
from weft.gluon.layouts.distributed import DotOperandLayout, SliceLayout

__all__ = ["bases_per_dim", "warps_per_cta"]


def bases_per_dim(
    bases: Sequence[Sequence[int]], rank: int, skip_broadcast: bool = True
) -> list[int]:
    """Count the values of an index, such as the warp's number, along each dimension.

    Args:
        bases: Basis vectors of the index, lowest bit first.
        rank: The number of dimensions.
        skip_broadcast: Ignore zero vectors; otherwise count them with the vector before them.

    Raises:
        LayoutError: The first vector is zero, and `skip_broadcast` is False.
    """
    counts = [1] * rank
    previous = None
    for basis in bases:
        dim = next((dim for dim, size in enumerate(basis) if size), None)
        if dim is None and skip_broadcast:
            continue
        dim = previous if dim is None else dim
        if dim is None:
            raise LayoutError("the first basis vector is zero", found=list(map(list, bases)))
        counts[dim] *= 2
        previous = dim
    return counts


def warps_per_cta(layout: Layout, shape: Sequence[int]) -> list[int]:
    """Count the warps along each dimension of a tensor.

    Args:
        layout: The layout; the warps of a slice are those of its parent.
        shape: The shape of the tensor.

    Raises:
        LayoutError: The layout does not divide a tensor by warps.
    """
    while isinstance(layout, SliceLayout | DotOperandLayout):
        layout = layout.parent
    bases: Bases | None = getattr(layout, "warp_bases", None)
    if bases is not None:
        return bases_per_dim(bases, len(cast("list[int]", plain(shape))))
    warps: list[int] | None = getattr(layout, "warps_per_cta", None)
    if warps is None:
        raise LayoutError(
            f"{type(layout).__name__} has no warps per CTA", found=f"{type(layout).__name__}"
        )
    return warps
