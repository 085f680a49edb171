"""Functions for RDNA3: WMMA."""

from __future__ import annotations

from weft.gluon.builtin import builtin_of

__all__ = ["wmma"]


@builtin_of("amd.rdna3")
def wmma(a, b, acc):
    """Return a * b + acc, computed by WMMA instructions."""
