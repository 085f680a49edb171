"""The barrier of the CTAs of a cluster."""

from __future__ import annotations

from weft.gluon.builtin import builtin_of

__all__ = ["arrive", "wait"]

_declare = builtin_of("nvidia.hopper.cluster")


@_declare
def arrive(relaxed=False):
    """Arrive at the barrier.

    Args:
        relaxed: Whether to leave out the ordering of memory accesses.
    """


@_declare
def wait():
    """Wait until all CTAs have arrived."""
