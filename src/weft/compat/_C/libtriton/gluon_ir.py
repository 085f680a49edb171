"""`triton._C.libtriton.gluon_ir`: functions on Gluon's layouts.

weft does not have Gluon's MLIR builder: each other name is an error that says what to use instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import weft
from weft.compat.unsupported import unsupported_names

__all__ = ["get_layout_view", "make_cga_layout"]


class _Layout(Protocol):
    """A layout of `weft.gluon`."""

    def format_tensor_view(self, shape: Sequence[int]) -> str: ...
    def format_hardware_view(self, shape: Sequence[int]) -> str: ...


def make_cga_layout(
    ctas_per_cga: Sequence[int], cta_split_num: Sequence[int], cta_order: Sequence[int]
) -> list[list[int]]:
    """Compute the basis vectors over the CTAs of a cluster; see `weft.layouts.cta_split`."""
    return [list(v) for v in weft.layouts.cta_split(ctas_per_cga, cta_split_num, cta_order)]


def get_layout_view(layout: _Layout, shape: Sequence[int], use_hw_view: bool) -> str:
    """Draw a layout, by elements of the tensor or by threads and registers."""
    view = layout.format_hardware_view if use_hw_view else layout.format_tensor_view
    return view(list(shape))


__getattr__ = unsupported_names(
    "triton._C.libtriton.gluon_ir",
    "weft.gluon has the layouts, weft.ir the operations",
)
