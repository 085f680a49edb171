"""Assign offsets in shared memory for an NVIDIA GPU (allocate-shared-memory-nv).

Before:  module {                                After:  module attributes {ttg.shared = 1024 : i32}
           %b = ttg.convert_layout %x                      %b = … {allocation.offset = 0 : i32}

The same as allocate-shared-memory, save that conversions choose between plain accesses, ldmatrix
(compute capability 7.5) and stmatrix (9.0). That decides how much they move at a time.
Source: Triton, TritonNVIDIAGPUToLLVM/Allocation.cpp.
"""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from msgspec import Struct

from weft.analysis.scratch_memory import ExchangeAccesses, scratch_request
from weft.analysis.shared_memory_offsets import ModuleOffsets, shared_memory_offsets
from weft.ir.builtin import ModuleOp
from weft.layouts.swizzled_exchange import MATRIX_ACCESSES
from weft.passes.shared_memory_attributes import attach_offsets

__all__ = ["AllocateSharedMemoryNv", "nvidia_offsets"]

_LDMATRIX, _STMATRIX = 75, 90  # the first compute capabilities with these instructions


class AllocateSharedMemoryNv(Struct, frozen=True):
    """Assigns offsets with the conversions of an NVIDIA GPU.

    Attributes:
        compute_capability: Of the chip.
        ptx_version: Accepted as in Triton; no offset depends on it.
    """

    compute_capability: int = 80
    ptx_version: int = 80

    name: ClassVar[str] = "allocate-shared-memory-nv"

    def run(self, module: ModuleOp) -> None:
        """Set the offsets of operations, and the size in the attribute of the module."""
        attach_offsets(module, nvidia_offsets(module, self.compute_capability))


def nvidia_offsets(module: ModuleOp, compute_capability: int) -> ModuleOffsets:
    """Place the buffers of a module, with the conversions of an NVIDIA GPU."""
    accesses = ExchangeAccesses(
        MATRIX_ACCESSES if compute_capability >= _STMATRIX else (),
        MATRIX_ACCESSES if compute_capability >= _LDMATRIX else (),
    )
    return shared_memory_offsets(module, partial(scratch_request, accesses=accesses))
