"""The settings of all knobs, and a kernel to launch with them."""

from __future__ import annotations

import weft
import weft.language as tl
from weft import knobs

__all__ = ["CUDA_TOOLS", "fill", "settings"]

CUDA_TOOLS = ("nvidia.cuobjdump", "nvidia.nvdisasm", "nvidia.ptxas", "nvidia.ptxas_blackwell")


@weft.jit
def fill(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, 1.0, mask=i < n)


def settings() -> dict[str, knobs.env_base[object]]:
    """List all settings by name."""
    return {
        f"{name}.{knob}": setting
        for name, group in vars(knobs).items()
        if isinstance(group, knobs.base_knobs)
        for knob, setting in group.knob_descriptors.items()
    }
