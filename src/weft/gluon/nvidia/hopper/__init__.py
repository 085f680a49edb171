"""Functions for Hopper: TMA, wgmma, clusters."""

from __future__ import annotations

from weft.errors import CompilationError
from weft.gluon.builtin import builtin_of
from weft.gluon.nvidia.ampere import async_copy, mma_v2
from weft.gluon.nvidia.hopper import cluster, mbarrier, tma

__all__ = [
    "async_copy",
    "cluster",
    "fence_async_shared",
    "mbarrier",
    "mma_v2",
    "tma",
    "warpgroup_mma",
    "warpgroup_mma_accumulator",
    "warpgroup_mma_init",
    "warpgroup_mma_wait",
]

_declare = builtin_of("nvidia.hopper")


class warpgroup_mma_accumulator:
    """The accumulator of an asynchronous warpgroup MMA, which `warpgroup_mma_wait` completes."""

    def __init__(self, *args: object) -> None:
        raise CompilationError(
            "only the compiler creates a warpgroup_mma_accumulator", hint="use warpgroup_mma_init"
        )


@_declare
def fence_async_shared(cluster=False):
    """Make stores of threads to shared memory visible to TMA and MMA instructions.

    Args:
        cluster: Whether to those of the whole cluster.
    """


@_declare
def warpgroup_mma_init(value):
    """Return a tensor as the accumulator of an asynchronous warpgroup MMA."""


@_declare
def warpgroup_mma(
    a, b, acc, *, use_acc=True, precision=None, max_num_imprecise_acc=None, is_async=False
):
    """Return a * b + acc, computed by wgmma.

    Args:
        a: A tensor or a buffer in shared memory.
        b: A buffer in shared memory.
        acc: A tensor, or the accumulator that an earlier call returned.
        use_acc: Add `acc` unless it is false.
        precision: How fp32 operands are multiplied.
        max_num_imprecise_acc: The number of products of fp8 that are added with limited precision.
        is_async: Whether to return an accumulator, which has to be waited for.
    """


@_declare
def warpgroup_mma_wait(num_outstanding=0, deps=None):
    """Wait until at most `num_outstanding` asynchronous MMAs are not complete.

    Args:
        num_outstanding: The number of MMAs.
        deps: Accumulators that are complete then, and operands that are in use until then.

    Returns:
        The `deps`, with tensors in place of accumulators; one value if there is one.
    """
