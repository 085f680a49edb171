"""Asynchronous copies between global memory and LDS."""

from __future__ import annotations

from weft.gluon.amd.cdna4.async_copy import commit_group, wait_group
from weft.gluon.builtin import builtin_of

__all__ = ["commit_group", "global_to_shared", "mbarrier_arrive", "shared_to_global", "wait_group"]

_declare = builtin_of("amd.gfx1250.async_copy")


@_declare
def global_to_shared(smem, pointer, mask=None, other=None, cache_modifier=""):
    """Start to copy the elements that a tensor of pointers points to.

    Args:
        smem: The buffer in LDS.
        pointer: A tensor of pointers of its shape.
        mask: Elements to leave out where it is false.
        other: The value of such elements.
        cache_modifier: As for `load`.
    """


@_declare
def shared_to_global(pointer, smem, mask=None, cache_modifier=""):
    """Start to copy a buffer to where a tensor of pointers points to.

    Args:
        pointer: A tensor of pointers of the buffer's shape.
        smem: The buffer in LDS.
        mask: Elements to leave out where it is false.
        cache_modifier: As for `store`.
    """


@_declare
def mbarrier_arrive(mbarrier):
    """Arrive on an mbarrier once the copies that this thread has started are complete."""
