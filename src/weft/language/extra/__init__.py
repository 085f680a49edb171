"""What is beyond the language itself: the vendors' math libraries and target-specific functions."""

from __future__ import annotations

from weft.language.extra import cuda, hip, libdevice

__all__ = ["cuda", "hip", "libdevice"]
