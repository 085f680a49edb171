"""mbarriers in LDS."""

from __future__ import annotations

from weft.gluon.builtin import builtin_of
from weft.gluon.layouts import SwizzledSharedLayout
from weft.gluon.layouts.base import Bases, layout_class

__all__ = ["MBarrierLayout", "arrive", "init", "wait"]

_declare = builtin_of("amd.gfx1250.mbarrier")


@layout_class
class MBarrierLayout(SwizzledSharedLayout):
    """The layout of an mbarrier, or of one in each CTA of a cluster.

    Args:
        cga_layout: Basis vectors over the CTAs.
    """

    def __init__(self, cga_layout: Bases | None = None) -> None:
        super().__init__(1, 1, 1, [0], cga_layout or [])


@_declare
def init(mbarrier, count):
    """Initialize an mbarrier, whose phase completes after `count` arrivals."""


@_declare
def wait(mbarrier, phase):
    """Wait until a phase of an mbarrier, given by its parity, is complete."""


@_declare
def arrive(mbarrier, *, count=1):
    """Arrive on an mbarrier `count` times; return the parity of its phase before."""
