"""Assign offsets in shared memory for an AMD GPU (allocate-amdgpu-shared-memory).

Before:  module {ttg.target = "hip:gfx942"}      After:  module attributes {ttg.shared = 1024 : i32}
           %b = ttg.convert_layout %x                      %b = … {allocation.offset = 0 : i32}

The same as allocate-shared-memory, save that the memory of some chips is partitioned: the parts of
a buffer that is spread over partitions get offsets in different ones.
Source: Triton, TritonAMDGPUToLLVM/AllocateSharedMemory.cpp.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.analysis.shared_memory_offsets import shared_memory_offsets
from weft.ir.builtin import ModuleOp, StringAttr
from weft.passes.shared_memory_attributes import attach_offsets
from weft.targets import target

__all__ = ["AllocateAmdgpuSharedMemory"]


class AllocateAmdgpuSharedMemory(Struct, frozen=True):
    """Assigns offsets with the partitions of the chip in `ttg.target`."""

    name: ClassVar[str] = "allocate-amdgpu-shared-memory"

    def run(self, module: ModuleOp) -> None:
        """Set the offsets of operations, and the size in the attribute of the module."""
        chip = module.attributes.get("ttg.target")
        partition_bytes = 0
        if isinstance(chip, StringAttr):
            partition_bytes = target(chip.data).lds_partition_bytes
        attach_offsets(module, shared_memory_offsets(module, partition_bytes=partition_bytes))
