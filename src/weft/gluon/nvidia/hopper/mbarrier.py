"""mbarriers that TMA and the CTAs of a cluster arrive on."""

from __future__ import annotations

from weft.gluon.builtin import builtin_of
from weft.gluon.nvidia.ampere.mbarrier import (
    MBarrierLayout,
    allocate_mbarrier,
    init,
    invalidate,
    wait,
)
from weft.gluon.nvidia.hopper import cluster
from weft.language.kernel_function import kernel_function

__all__ = [
    "MBarrierLayout",
    "allocate_mbarrier",
    "arrive",
    "expect",
    "fence_init_release_cluster",
    "init",
    "invalidate",
    "sync_cluster_init",
    "wait",
]

_declare = builtin_of("nvidia.hopper.mbarrier")


@_declare
def expect(mbarrier, bytes_per_cta=None, pred=True):
    """Let a phase complete only after a number of bytes has been copied.

    Args:
        mbarrier: The mbarrier.
        bytes_per_cta: The bytes that TMA copies to each CTA.
        pred: No effect if it is false.
    """


@_declare
def arrive(mbarrier, *, count=1, pred=True):
    """Arrive on an mbarrier `count` times, unless `pred` is false."""


@_declare
def fence_init_release_cluster():
    """Make the initialization of mbarriers visible to the other CTAs of the cluster.

    It needs `cluster.arrive(relaxed=True)` and `cluster.wait()` after it.
    """


@kernel_function
def sync_cluster_init():
    """Wait until the initialization of mbarriers is visible to all CTAs of the cluster."""
    fence_init_release_cluster()
    cluster.arrive(relaxed=True)
    cluster.wait()
