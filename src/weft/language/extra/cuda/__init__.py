"""What only NVIDIA targets have."""

from __future__ import annotations

from weft.language.extra.cuda import libdevice
from weft.language.extra.cuda.registers import globaltimer, num_threads, num_warps, smid

__all__ = ["globaltimer", "libdevice", "num_threads", "num_warps", "smid"]
