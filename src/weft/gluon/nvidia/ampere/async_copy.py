"""Asynchronous copies from global to shared memory: cp.async."""

from __future__ import annotations

from weft.gluon.builtin import builtin_of

__all__ = ["async_copy_global_to_shared", "commit_group", "mbarrier_arrive", "wait_group"]

_declare = builtin_of("nvidia.ampere.async_copy")


@_declare
def async_copy_global_to_shared(
    smem, pointer, mask=None, cache_modifier="", eviction_policy="", volatile=False
):
    """Start to copy the elements that a tensor of pointers points to.

    Args:
        smem: The buffer in shared memory.
        pointer: A tensor of pointers of its shape.
        mask: Elements to leave out where it is false.
        cache_modifier: As for `load`.
        eviction_policy: As for `load`.
        volatile: As for `load`.
    """


@_declare
def mbarrier_arrive(mbarrier, increment_count=True):
    """Arrive on an mbarrier once the copies that this thread has started are complete.

    Args:
        mbarrier: The mbarrier.
        increment_count: Whether to increment its pending count first.
    """


@_declare
def commit_group():
    """End the current group of copies and begin the next."""


@_declare
def wait_group(num_outstanding=0):
    """Wait until at most `num_outstanding` groups of copies are not complete."""
