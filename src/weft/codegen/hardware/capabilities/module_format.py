"""How a chip's LLVM modules and kernels are declared, and by which passes they are compiled."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, Self

from weft.codegen.backend.register_use import CompileRequest, RegisterUse
from weft.codegen.llvm.module import Launch, LlvmModule
from weft.codegen.llvm.writer import Writer

__all__ = ["ModuleFormat"]


class ModuleFormat(Protocol):
    """Triple, attributes and metadata of a module, and LLVM's passes over it."""

    @property
    def triple(self) -> str:
        """LLVM's target triple."""
        ...

    def passes(self, module: LlvmModule) -> tuple[str, ...]:
        """Choose LLVM's passes before instruction selection, by llvmlite's names."""
        ...

    @property
    def line_info(self) -> str:
        """The `emissionKind` of a compile unit with line information."""
        ...

    def retries(self, module: LlvmModule, use: RegisterUse) -> Iterator[CompileRequest]:
        """Yield other ways to compile a module that needs too many registers.

        Args:
            module: The module.
            use: Registers of the first compilation.
        """
        ...

    def cost(self, module: LlvmModule, use: RegisterUse) -> tuple[int, ...]:
        """Compute what compilations of a module are compared by; less is better."""
        ...

    def kernel_header(self, launch: Launch, writer: Writer) -> tuple[str, str]:
        """Get a kernel's calling convention and its attributes as LLVM IR text.

        Args:
            launch: The launch parameters.
            writer: With the kernel's body, whose declarations decide some attributes.
        """
        ...

    @property
    def argument_attributes(self) -> str:
        """Attributes of every kernel argument, with a space in front."""
        ...

    @property
    def passes_descriptors_by_pointer(self) -> bool:
        """Whether a tensor descriptor argument is the tensor's address.

        Sizes and strides are then the arguments that follow it. Otherwise the argument is a
        128-byte TMA descriptor that the host has encoded.
        """
        ...

    def module_footer(self) -> str:
        """Get the metadata that ends a module."""
        ...

    @property
    def shared_memory(self) -> str:
        """Address of a kernel's shared memory: "@shared", or a constant if it is known."""
        ...

    def keeping_denormals(self) -> Self:
        """Get the format of modules whose library functions keep subnormal numbers, if it can."""
        ...

    def library_header(self) -> list[str]:
        """Get the globals and flags that configure the vendor's bitcode library."""
        ...
