"""Compile variants of one kernel and count their costs.

    bench = Workbench.of(kernel, chip, options, signature=…)
    bench.cost(bench.variant)                                  # as it is
    bench.cost(replace(bench.variant, options={"num_warps": 8}))

Variants with one signature share the run of the front end and of the passes over TTIR. Each variant
is compiled once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from msgspec import structs

from weft.compiler.annotations import read_signature
from weft.compiler.ast_to_ttir import frontend_options, kernel_symbol
from weft.compiler.metadata import KernelMetadata
from weft.compiler.options import CompileOptions, options_for
from weft.compiler.remaining_stages import find_stage, remaining_passes
from weft.compiler.signature import Signature
from weft.errors import CodegenError, WeftError
from weft.explain.counted_cost import CountedCost, counted_cost
from weft.explain.loop_iterations import LoopIterations
from weft.ir.builtin import ModuleOp
from weft.ir.rewriting import clone
from weft.kernel.compile import compile
from weft.kernel.compiled_kernel import CompiledKernel
from weft.kernel.kernel_interface import kernel_of
from weft.passes import run_pipeline
from weft.pipelines import stages
from weft.targets import Target

__all__ = ["ModuleEdit", "Registers", "Variant", "Workbench"]

ModuleEdit = Callable[[ModuleOp], None]
"""Changes TTIR in place."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to compile a kernel.

    Attributes:
        options: Compile options.
        signature: The signature; None for a file of TTIR.
        edits: Changes of the TTIR, each with a unique name.
    """

    options: Mapping[str, object]
    signature: Signature | None = None
    edits: tuple[tuple[str, ModuleEdit], ...] = ()

    @property
    def key(self) -> tuple[str, ...]:
        """A text per part; two variants with equal keys have equal compiles."""
        signature = "" if self.signature is None else self.signature.key
        options = repr(sorted(self.options.items()))
        return signature, options, *(name for name, _ in self.edits)


@dataclass(frozen=True, slots=True)
class Registers:
    """What the back end gives a thread.

    Attributes:
        registers: The registers: of NVIDIA's threads, the vector registers of AMD's.
        spilled: The bytes that the thread spills.
    """

    registers: int
    spilled: int


@dataclass
class Workbench:
    """Compiles of one kernel.

    Attributes:
        kernel: A kernel, or the path of a file of TTIR.
        chip: The target.
        variant: The kernel as it is.
        assumed: Values of integer arguments by name, for the trip counts of loops.
        compiles: The number of compiles so far.
    """

    kernel: object
    chip: Target
    variant: Variant
    assumed: Mapping[str, int] = field(default_factory=dict[str, int])
    compiles: int = 0
    _ttir: dict[tuple[str, str], ModuleOp] = field(default_factory=dict[Any, Any])
    _modules: dict[tuple[str, ...], ModuleOp | None] = field(default_factory=dict[Any, Any])
    _costs: dict[tuple[str, ...], CountedCost | None] = field(default_factory=dict[Any, Any])
    _registers: dict[tuple[str, ...], Registers | None] = field(default_factory=dict[Any, Any])

    @staticmethod
    def of(
        kernel: object,
        chip: Target,
        options: Mapping[str, object],
        signature: str | Mapping[str, object] | Signature | None = None,
        constexprs: Mapping[Any, object] | None = None,
    ) -> Workbench:
        """Prepare the compiles of a kernel; the arguments are those of `weft.compile`."""
        read = None
        if not isinstance(kernel, str | Path):
            read = read_signature(kernel_of(kernel), signature, constexprs)
        return Workbench(kernel, chip, Variant(dict(options), read))

    @property
    def source(self) -> str:
        """The text of the kernel, "" for a file of TTIR."""
        return "" if isinstance(self.kernel, str | Path) else kernel_of(self.kernel).source.text

    def has(self, variant: Variant) -> bool:
        """Check whether a variant is compiled already."""
        return variant.key in self._modules

    def cost(self, variant: Variant) -> CountedCost | None:
        """Count the cost of a variant.

        Returns:
            The cost; None if the variant cannot be compiled, or does not fit the target.
        """
        if variant.key not in self._costs:
            module = self.module(variant)
            self._costs[variant.key] = None if module is None else self._cost(module)
        return self._costs[variant.key]

    def _cost(self, module: ModuleOp) -> CountedCost | None:
        try:
            cost = counted_cost(module, LoopIterations(self.assumed))
        except WeftError:
            return None
        fits = cost.shared_bytes is not None and cost.shared_bytes <= self.chip.lds_bytes
        return cost if fits or module is self._modules.get(self.variant.key) else None

    def module(self, variant: Variant) -> ModuleOp | None:
        """Compile a variant to final TTGIR; None if it cannot be compiled."""
        if variant.key not in self._modules:
            self.compiles += 1
            try:
                self._modules[variant.key] = self.compile(variant)
            except WeftError:
                self._modules[variant.key] = None
        return self._modules[variant.key]

    def ttir(self, variant: Variant) -> ModuleOp:
        """Compile a variant to TTIR, without its edits; the module must not be changed.

        Raises:
            WeftError: All errors of `weft.compile`.
        """
        options = options_for(self.chip, variant.options)
        passes = find_stage(stages(self.chip, options), "ttir").passes
        signature = "" if variant.signature is None else variant.signature.key
        key = signature, repr((passes, _frontend_options(self.chip, options)))
        if key not in self._ttir:
            compiled = compile(
                self.kernel,
                signature=variant.signature,
                target=self.chip,
                stop_after="ttir",
                options=variant.options,
            )
            self._ttir[key] = compiled.module("ttir")
        return self._ttir[key]

    def compile(self, variant: Variant) -> ModuleOp:
        """Compile a variant to final TTGIR, without remembering it.

        Raises:
            WeftError: All errors of `weft.compile`.
        """
        module = cast("ModuleOp", clone(self.ttir(variant), {}))
        for _, edit in variant.edits:
            edit(module)
        options = options_for(self.chip, variant.options)
        run_pipeline(remaining_passes(module, "final", self.chip, options), module)
        return module

    def registers(self, variant: Variant) -> Registers | None:
        """Compile a variant to machine code; None without a back end, or if it refuses the code."""
        if variant.key not in self._registers:
            module = self.module(variant)
            self._registers[variant.key] = (
                None if module is None else self._assemble(module, variant)
            )
        return self._registers[variant.key]

    def _assemble(self, module: ModuleOp, variant: Variant) -> Registers | None:
        options = options_for(self.chip, variant.options)
        metadata = KernelMetadata.of(kernel_symbol(module), self.chip, options, "", "")
        compiled = CompiledKernel({"ttgir": module}, metadata)
        try:
            return Registers(compiled.n_regs, compiled.n_spills)
        except CodegenError:
            return None


def _frontend_options(chip: Target, options: CompileOptions) -> object:
    """List the options that TTIR depends on; kernels can read the number of warps."""
    return structs.replace(frontend_options(chip, options), num_stages=0)
