"""Assign offsets in shared memory to buffers and scratch memory (allocate-shared-memory).

Before:  module {
           %a = ttg.local_alloc : 2048 bytes
           %b = ttg.convert_layout %x           through 1024 bytes
After:   module attributes {ttg.shared = 3072 : i32} {
           %a = ttg.local_alloc {allocation.offset = 0 : i32}
           %b = ttg.convert_layout %x {allocation.offset = 2048 : i32}

The offsets are Triton's (`weft.analysis.shared_memory_offsets`). weft's code generation places
buffers afresh, with the scratch memory that its own lowerings need.
Source: Triton, AllocateSharedMemory.cpp.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.analysis.shared_memory_offsets import shared_memory_offsets
from weft.ir.builtin import ModuleOp
from weft.passes.shared_memory_attributes import attach_offsets

__all__ = ["AllocateSharedMemory"]


class AllocateSharedMemory(Struct, frozen=True):
    """Assigns offsets with conversions as on any chip."""

    name: ClassVar[str] = "allocate-shared-memory"

    def run(self, module: ModuleOp) -> None:
        """Set the offsets of operations, and the size in the attribute of the module."""
        attach_offsets(module, shared_memory_offsets(module))
