"""The barrier of the CTAs of a cluster."""

from __future__ import annotations

from weft.gluon.builtin import builtin_of

__all__ = ["arrive", "wait"]

_declare = builtin_of("amd.gfx1250.cluster")


@_declare
def arrive():
    """Arrive at the barrier."""


@_declare
def wait():
    """Wait until all CTAs have arrived; each wait follows one arrival."""
