"""Compile-time properties of the target."""

from __future__ import annotations

from weft.language.builtin import builtin_of

_declare = builtin_of("target_info")


@_declare
def is_cuda():
    """Check whether the target is an NVIDIA GPU."""


@_declare
def is_hip():
    """Check whether the target is an AMD GPU."""


@_declare
def is_hip_cdna3():
    """Check whether the target is an AMD GPU of CDNA 3 (gfx942)."""


@_declare
def is_hip_cdna4():
    """Check whether the target is an AMD GPU of CDNA 4 (gfx950)."""


@_declare
def cuda_capability_geq(major, minor=0):
    """Check whether the target is an NVIDIA GPU of at least this compute capability."""
