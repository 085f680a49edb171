"""mbarriers: counters in shared memory that threads and asynchronous copies arrive on."""

# In a kernel, a parameter annotated `constexpr` takes any constant.
# pyright: reportAssignmentType=false, reportArgumentType=false
from __future__ import annotations

from weft.gluon.builtin import builtin_of
from weft.gluon.core import allocate_shared_memory, num_ctas
from weft.gluon.layouts import SwizzledSharedLayout
from weft.gluon.layouts.base import Bases, layout_class, require
from weft.language.constexpr import constexpr, constexpr_function
from weft.language.debugging import static_assert
from weft.language.dtypes import int64
from weft.language.kernel_function import kernel_function

__all__ = ["MBarrierLayout", "allocate_mbarrier", "arrive", "init", "invalidate", "wait"]

_declare = builtin_of("nvidia.ampere.mbarrier")


@layout_class
class MBarrierLayout(SwizzledSharedLayout):
    """The layout of an mbarrier, or of one in each CTA of a cluster.

    Args:
        cga_layout: Basis vectors over the CTAs.
    """

    def __init__(self, cga_layout: Bases | None = None) -> None:
        super().__init__(1, 1, 1, [0], cga_layout or [])

    @staticmethod
    @constexpr_function
    def multicta(num_ctas: int, two_cta: bool = False) -> MBarrierLayout:
        """Return the layout of an mbarrier in each CTA of a cluster.

        Args:
            num_ctas: The number of CTAs.
            two_cta: Whether pairs of CTAs share one.
        """
        if two_cta:
            require(num_ctas % 2 == 0, "num_ctas must be even for two-CTA mode", num_ctas)
        require(num_ctas > 0, "num_ctas must be positive", num_ctas)
        require(num_ctas & (num_ctas - 1) == 0, "num_ctas must be a power of two", num_ctas)
        shared = [[0]] if two_cta else []
        bits = (num_ctas // 2 if two_cta else num_ctas).bit_length() - 1
        return MBarrierLayout([*shared, *([1 << bit] for bit in range(bits))])


@kernel_function
def allocate_mbarrier(batch: constexpr = None, two_ctas: constexpr = False):
    """Allocate an mbarrier in each CTA.

    Args:
        batch: The number of mbarriers, which `index` selects; None for one without an index.
        two_ctas: Whether pairs of CTAs share one.
    """
    ctas: constexpr = num_ctas()
    elements: constexpr = ctas if not two_ctas else ctas // 2
    static_assert(batch is None or isinstance(batch.value, int))
    shape: constexpr = [elements] if batch is None else [batch, elements]
    return allocate_shared_memory(
        int64, shape, MBarrierLayout.multicta(num_ctas=ctas, two_cta=two_ctas)
    )


@_declare
def init(mbarrier, count):
    """Initialize an mbarrier, whose phase completes after `count` arrivals."""


@_declare
def invalidate(mbarrier):
    """End the use of an mbarrier, so that its memory can be used for something else."""


@_declare
def wait(mbarrier, phase, pred=True, deps=()):
    """Wait until a phase of an mbarrier is complete.

    Args:
        mbarrier: The mbarrier.
        phase: The parity of the phase, 0 or 1.
        pred: Do not wait if it is false.
        deps: Buffers that are written until then, which have to stay allocated.
    """


@_declare
def arrive(mbarrier, *, pred=True):
    """Arrive on an mbarrier, unless `pred` is false."""
