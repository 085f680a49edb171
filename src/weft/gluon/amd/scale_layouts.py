"""Linear layouts of scales as layouts of Gluon."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from weft.errors import LayoutError
from weft.gluon.layouts import DistributedLinearLayout, DotOperandLayout
from weft.gluon.layouts.base import Layout
from weft.layouts import LinearLayout

__all__ = ["linear_layout", "operand_parent"]

_L = TypeVar("_L", bound=Layout)


def operand_parent(layout: DotOperandLayout, class_: type[_L]) -> _L:
    """Look up the layout of the dot whose operand has a layout.

    Raises:
        LayoutError: It is of another class.
    """
    parent = layout.parent
    if not isinstance(parent, class_):
        raise LayoutError(f"Expected parent to be an instance of {class_.__name__}", found=parent)
    return parent


def linear_layout(layout: LinearLayout, shape: Sequence[int]) -> DistributedLinearLayout:
    """Return a layout from register, lane, warp and block as a layout of Gluon."""
    bases = layout.bases
    registers, lanes, warps, blocks = (
        bases.get(name, []) for name in ("register", "lane", "warp", "block")
    )
    return DistributedLinearLayout(registers, lanes, warps, blocks, list(shape))
