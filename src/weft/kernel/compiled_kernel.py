"""The result of `weft.compile`: the IR of every stage, machine code, and metadata."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import structs

from weft.compiler.machine_code import (
    BINARY_STAGES,
    CODE_STAGES,
    count_shared_bytes,
    emit_llvm,
    lower_ttgir,
)
from weft.compiler.metadata import KernelMetadata
from weft.errors import WeftError
from weft.ir import text as ir_text
from weft.ir.builtin import ModuleOp
from weft.launch.entry_launcher import EntryLauncher

__all__ = ["Assembly", "CompiledKernel"]


class Assembly(Mapping[str, str | bytes]):
    """The output of each stage by name, printed on first access.

    The stages of machine code ("llir", "ptx", "cubin", "amdgcn", "hsaco") are compiled on first
    access, and not listed.
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
            return ir_text.print_module(self._modules[stage], names=True)
        if stage in self:
            llvm = lower_ttgir(self._modules["ttgir"], self._metadata.options)
            code = emit_llvm(llvm, stage)
            return code if stage in BINARY_STAGES else code.decode()
        raise KeyError(f"Unknown key: '{stage}'; the stages are {', '.join(self._modules)}")

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
        module = self.module(stage)
        return ir_text.print_module(module, locations=True) if locations else self.asm[stage]

    def __repr__(self) -> str:
        return f"CompiledKernel({self.name}, {self._metadata.target}: {', '.join(self.asm)})"
