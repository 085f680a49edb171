"""Asynchronous copies from global memory to LDS."""

from __future__ import annotations

from weft.gluon.builtin import builtin_of

__all__ = [
    "buffer_load_to_shared",
    "commit_group",
    "global_load_to_shared",
    "load_shared_relaxed",
    "wait_group",
]

_declare = builtin_of("amd.cdna4.async_copy")


@_declare
def global_load_to_shared(dest, ptr, mask=None, other=None, cache_modifier=""):
    """Start to copy the elements that a tensor of pointers points to.

    A thread has to copy 32 or 128 bits, and the threads of a warp consecutive addresses of LDS.

    Args:
        dest: The buffer in LDS.
        ptr: A tensor of pointers of its shape.
        mask: Elements to leave out where it is false.
        other: The value of such elements.
        cache_modifier: As for `load`.
    """


@_declare
def buffer_load_to_shared(dest, ptr, offsets, mask=None, other=None, cache_modifier=""):
    """Start to copy the elements at a base pointer and a tensor of offsets.

    Args:
        dest: The buffer in LDS.
        ptr: The base pointer, a scalar.
        offsets: The offsets in elements, a tensor of 32-bit integers.
        mask: Elements to leave out where it is false.
        other: The value of such elements.
        cache_modifier: As for `load`.
    """


@_declare
def commit_group():
    """End the current group of copies and begin the next."""


@_declare
def wait_group(num_outstanding=0):
    """Wait until at most `num_outstanding` groups of copies are not complete."""


@_declare
def load_shared_relaxed(smem, layout):
    """Load a buffer that `wait_group` has waited for, without another wait before the load."""
