"""A chip as code generation sees it."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from weft.codegen.hardware.capabilities import (
    Arithmetic,
    AsyncCopy,
    Conversion,
    Lanes,
    Memory,
    Messages,
    ModuleFormat,
    Program,
    Synchronization,
)
from weft.targets import Target

__all__ = ["Hardware"]


class Hardware(Struct, frozen=True):
    """A chip, by capability.

    Attributes:
        target: Facts about the chip.
        module_format: Declarations of modules and kernels, and LLVM's passes.
        program: Indices of threads, CTAs and programs.
        lanes: Shuffles, votes and reductions of a warp.
        memory: Accesses to global and shared memory.
        async_copy: Asynchronous copies from global to shared memory.
        synchronization: Barriers and fences.
        conversion: Conversions between float types.
        arithmetic: Arithmetic whose instructions differ between chips.
        messages: printf and assertions.
    """

    target: Target
    module_format: ModuleFormat
    program: Program
    lanes: Lanes
    memory: Memory
    async_copy: AsyncCopy
    synchronization: Synchronization
    conversion: Conversion
    arithmetic: Arithmetic
    messages: Messages

    def for_cluster(self, ctas: int) -> Hardware:
        """Get the chip as a kernel sees it whose programs are clusters of CTAs."""
        return replace(
            self,
            program=self.program.for_cluster(ctas),
            synchronization=self.synchronization.for_cluster(ctas),
        )

    def keeping_denormals(self) -> Hardware:
        """Get the chip whose approximate instructions and library keep subnormal numbers."""
        return replace(
            self,
            arithmetic=self.arithmetic.keeping_denormals(),
            module_format=self.module_format.keeping_denormals(),
        )

    def for_partition(self, number: int, threads: int) -> Hardware:
        """Get the chip as a partition of a CTA's warps sees it.

        Args:
            number: Of the partition's barrier.
            threads: Of the partition.

        Raises:
            CodegenError: Warps cannot be specialised on the chip.
        """
        return replace(
            self,
            program=self.program.for_partition(),
            synchronization=self.synchronization.for_partition(number, threads),
        )
