"""Functions for the instructions of AMD GPUs, by chip."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.gluon.amd.warp_pipeline import warp_pipeline_stage
from weft.gluon.layouts import AMDMFMALayout, AMDWMMALayout
from weft.lazy_attributes import lazy_getattr

if TYPE_CHECKING:
    from weft.gluon.amd import cdna3, cdna4, gfx1250, rdna3, rdna4

_CHIPS = ("cdna3", "cdna4", "gfx1250", "rdna3", "rdna4")

__all__ = [
    "AMDMFMALayout",
    "AMDWMMALayout",
    "cdna3",
    "cdna4",
    "gfx1250",
    "rdna3",
    "rdna4",
    "warp_pipeline_stage",
]

__getattr__ = lazy_getattr(
    __name__,
    {chip: f"{__name__}.{chip}" for chip in _CHIPS} | {"_layouts": "weft.gluon.layouts.amd"},
)
