"""What compiling gives: the IR of every stage, and what is known of the kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from weft.compiler.machine_code import FORMS
from weft.compiler.metadata import Metadata
from weft.errors import WeftError

if TYPE_CHECKING:
    from weft.ir.builtin import ModuleOp
    from weft.launch.entry_launcher import EntryLauncher


class Assembly(Mapping[str, "str | bytes"]):
    """Texts by kind of IR, printed when first asked for, and listed.

    Machine code is made when it is asked for by its form, "llir", "ptx", "cubin", "amdgcn" or
    "hsaco", and not listed.
    """

    def __init__(self, modules: Mapping[str, ModuleOp], metadata: Metadata) -> None:
        self._modules, self._metadata = modules, metadata
        self._texts: dict[str, str | bytes] = {}

    def __getitem__(self, stage: str) -> Any:
        if stage in self._texts:
            return self._texts[stage]
        if stage not in self._modules and stage in self:
            from weft.compiler.machine_code import BINARY, code_of

            code = code_of(self._modules["ttgir"], stage, self._metadata.options)
            self._texts[stage] = code if stage in BINARY else code.decode()
            return self._texts[stage]
        if stage not in self._modules:
            raise KeyError(f"{stage}: compiled to {', '.join(self._modules)}")
        from weft.ir.text import print_module

        self._texts[stage] = print_module(self._modules[stage])
        return self._texts[stage]

    def __contains__(self, stage: object) -> bool:
        return stage in self._modules or (
            "ttgir" in self._modules and self._metadata.backend in FORMS.get(str(stage), ())
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


class CompiledKernel:
    """Hold the last IR of every kind.

    asm["ttir"], asm["ttgir"], asm["ptx"] …: see Assembly.  metadata: name, target, options.
    compiled[grid](…) launches it on the GPU that its arrays are on: see `entry_launch`.
    """

    def __init__(self, modules: Mapping[str, ModuleOp], metadata: Metadata) -> None:
        self._modules = dict(modules)
        self.asm = Assembly(self._modules, metadata)
        self.metadata = metadata
        self._launcher: EntryLauncher | None = None

    def __getitem__(self, grid: int | Sequence[int]) -> Callable[..., None]:
        """Return the launch on a grid: it takes the arguments of the IR's entry."""
        from weft.launch.entry_launcher import EntryLauncher

        if self._launcher is None:
            self._launcher = EntryLauncher(self.module("ttgir"), self.metadata)
        return partial(self._launcher.launch, (grid,) if isinstance(grid, int) else tuple(grid))

    @property
    def name(self) -> str:
        """Return the name of the kernel's function."""
        return self.metadata.name

    @property
    def hash(self) -> str:
        """Return the digest of everything that the code depends on."""
        return self.metadata.hash

    def module(self, stage: str) -> ModuleOp:
        """Return the IR after a stage; do not change it.

        Raises: WeftError: there is none of that name.
        """
        if stage not in self._modules:
            raise WeftError(
                f"{self.name} was not compiled to {stage}", found=stage, accepted=self._modules
            )
        return self._modules[stage]

    def text(self, stage: str, *, locations: bool = False) -> str:
        """Return the text after a stage, with source locations if asked."""
        from weft.ir.text import print_module

        module = self.module(stage)
        return print_module(module, locations=True) if locations else self.asm[stage]

    def __repr__(self) -> str:
        return f"CompiledKernel({self.name}, {self.metadata.target}: {', '.join(self.asm)})"
