"""Math libraries of the vendors, and functions of one target only."""

from __future__ import annotations

from weft.language.extra import cuda, hip, libdevice

__all__ = ["cuda", "hip", "libdevice"]
