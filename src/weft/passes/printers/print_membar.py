"""Insert the barriers that Triton inserts on NVIDIA GPUs (test-print-membar).

Before:  ttg.local_store %x, %b                  After:  ttg.local_store %x, %b
         %y = ttg.local_load %b                          ttg.barrier local
                                                         %y = ttg.local_load %b

In a module of clusters, for a chip that has them, barriers of the cluster come first.
weft's code generation does not need the pass: `weft.analysis.hazards` finds its barriers.
Source: Triton, Analysis/Membar.cpp; test/lib/Analysis/TestMembar.cpp.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.analysis.shared_memory_offsets import shared_memory_offsets
from weft.ir.builtin import ModuleOp, StringAttr
from weft.ir.module_attributes import lookup_num_ctas
from weft.passes.membar import (
    insert_cluster_barriers,
    insert_cta_barriers,
    nvidia_needs_no_barrier,
)
from weft.passes.nvidia.allocate_shared_memory_nv import nvidia_offsets
from weft.targets import target

__all__ = ["PrintMembar"]


class PrintMembar(Struct, frozen=True):
    """Inserts barriers where threads of a CTA, or CTAs of a cluster, access the same bytes."""

    name: ClassVar[str] = "test-print-membar"

    def run(self, module: ModuleOp) -> None:
        """Insert barriers in place."""
        name = module.attributes.get("ttg.target")
        gpu = target(name.data) if isinstance(name, StringAttr) else None
        if gpu is not None and isinstance(gpu.arch, int):
            offsets = nvidia_offsets(module, gpu.arch)
            if gpu.max_num_ctas > 1 and lookup_num_ctas(module) > 1:
                insert_cluster_barriers(offsets)
        else:
            offsets = shared_memory_offsets(module)
        insert_cta_barriers(offsets, nvidia_needs_no_barrier)
