"""The result of `weft.compile`: the IR of every stage, machine code, and metadata."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from msgspec import structs

from weft.compiler.machine_code import (
    BINARY_STAGES,
    CODE_STAGES,
    assemble_cubin,
    count_shared_bytes,
    disassemble_cubin,
    emit_llvm,
    lower_ttgir,
)
from weft.compiler.metadata import KernelMetadata
from weft.compiler.stage_text import print_stage
from weft.errors import WeftError
from weft.ir import text as ir_text
from weft.ir.builtin import ModuleOp
from weft.launch.entry_launcher import EntryLauncher
from weft.notebook import KERNELS

if TYPE_CHECKING:
    from weft.compiler.machine_code import LlvmModule

# Of the metadata of an AMD kernel: vector registers, and bytes of scratch memory.
_AMD_COUNTS = ("vgpr_count", "private_segment_fixed_size")

__all__ = ["Assembly", "CompiledKernel"]


class Assembly(Mapping[str, str | bytes]):
    """The output of each stage by name, printed on first access.

    The stages of machine code ("llir", "ptx", "cubin", "amdgcn", "hsaco") are compiled on first
    access from one LLVM module, and not listed.
    """

    def __init__(self, modules: Mapping[str, ModuleOp], metadata: KernelMetadata) -> None:
        self._modules, self._metadata = modules, metadata
        self._outputs: dict[str, str | bytes] = {}

    def __getitem__(self, stage: str) -> Any:  # a caller knows which stages are text
        if stage not in self._outputs:
            self._outputs[stage] = self._output(stage)
        return self._outputs[stage]

    def _output(self, stage: str) -> str | bytes:
        if stage in self._modules:
            return print_stage(self._modules[stage])
        if stage in self:
            code = emit_llvm(self.llvm, stage)
            return code if stage in BINARY_STAGES else code.decode()
        if stage == "sass" and "cubin" in self:
            return disassemble_cubin(emit_llvm(self.llvm, "cubin"))
        raise KeyError(f"Unknown key: '{stage}'; the stages are {', '.join(self._modules)}")

    @cached_property
    def llvm(self) -> LlvmModule:
        """The LLVM module of a kernel that has TTGIR, lowered on first access."""
        return lower_ttgir(self._modules["ttgir"], self._metadata.options)

    def __contains__(self, stage: object) -> bool:
        has_code = self._metadata.backend in CODE_STAGES.get(str(stage), ())
        return stage in self._modules or ("ttgir" in self._modules and has_code)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


class CompiledKernel:
    """A compiled kernel.

    `compiled[grid](…)` launches it on the GPU that its arrays are on; see `EntryLauncher`.

    Attributes:
        asm: The output of each stage: asm["ttir"], asm["ttgir"], asm["ptx"], ….
    """

    def __init__(self, modules: Mapping[str, ModuleOp], metadata: KernelMetadata) -> None:
        self._modules = dict(modules)
        self.asm = Assembly(self._modules, metadata)
        self._metadata = metadata
        self._launcher: EntryLauncher | None = None

    def __getitem__(self, grid: int | Sequence[int]) -> Callable[..., None]:
        """Get the launch on a grid; it takes the arguments of the IR's entry."""
        if self._launcher is None:
            self._launcher = EntryLauncher(self.module("ttgir"), self.metadata)
        return partial(self._launcher.launch, (grid,) if isinstance(grid, int) else tuple(grid))

    @property
    def metadata(self) -> KernelMetadata:
        """Name, target, options, and the bytes of shared memory if the kernel has TTGIR."""
        if self._metadata.shared is None and "ttgir" in self._modules:
            shared = count_shared_bytes(self._modules["ttgir"])
            self._metadata = structs.replace(self._metadata, shared=shared)
        return self._metadata

    @property
    def shared(self) -> int:
        """Bytes of a block's shared memory; 0 if the kernel has no TTGIR."""
        return self.metadata.shared or 0

    @cached_property
    def _registers(self) -> tuple[int, int]:
        """Registers of a thread, and bytes that it spills."""
        if self._metadata.backend == "cuda":
            cubin = assemble_cubin(self.asm.llvm)
            return cubin.registers, cubin.spill_stores
        if self._metadata.backend == "hip":
            assembly = self.asm["amdgcn"]
            counts = [re.search(rf"\.{key}:\s+(\d+)", assembly) for key in _AMD_COUNTS]
            registers, bytes_ = (int(each[1]) if each else 0 for each in counts)
            return registers, bytes_
        return 1, 0  # the embedded CPU device, as its kernels report

    @property
    def n_regs(self) -> int:
        """Registers of a thread. For a GPU, the kernel is assembled on first access.

        Raises:
            CodegenError: The kernel cannot be assembled.
        """
        return self._registers[0]

    @property
    def n_spills(self) -> int:
        """Bytes that a thread spills to memory; see `n_regs`."""
        return self._registers[1]

    @property
    def name(self) -> str:
        """The kernel's symbol."""
        return self._metadata.name

    @property
    def hash(self) -> str:
        """The digest of everything that the code depends on."""
        return self._metadata.hash

    def module(self, stage: str) -> ModuleOp:
        """Get the IR after a stage; the caller must not change it.

        Raises:
            WeftError: There is no such stage.
        """
        if stage not in self._modules:
            raise WeftError(
                f"{self.name} was not compiled to {stage}", found=stage, accepted=self._modules
            )
        return self._modules[stage]

    def text(self, stage: str, *, locations: bool = False) -> str:
        """Print the IR after a stage with the names of variables, with locations on request.

        Raises:
            WeftError: There is no such stage.
        """
        return ir_text.print_module(self.module(stage), locations=locations, names=True)

    def __repr__(self) -> str:
        return f"CompiledKernel({self.name}, {self._metadata.target}: {', '.join(self.asm)})"

    def _repr_html_(self) -> str:
        """Show the page of `weft report` about the TTGIR in a notebook."""
        return KERNELS["kernel"](self)
