"""Questions about the target, answered while the kernel is compiled."""

from __future__ import annotations

from weft.language.builtin import builtin_of

_declare = builtin_of("target_info")


@_declare
def is_cuda():
    """Tell whether the target is one of NVIDIA's, a constant."""


@_declare
def is_hip():
    """Tell whether the target is one of AMD's, a constant."""


@_declare
def is_hip_cdna3():
    """Tell whether the target is of AMD's CDNA 3 (gfx942), a constant."""


@_declare
def is_hip_cdna4():
    """Tell whether the target is of AMD's CDNA 4 (gfx950), a constant."""


@_declare
def cuda_capability_geq(major, minor=0):
    """Tell whether the target is NVIDIA's with at least this compute capability, a constant."""
