"""The embedded CPU device: run a kernel's TTIR by the interpreter, on the caller's own arrays."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, SupportsIndex, cast

from weft.compiler.ast_to_ttir import ast_to_ttir, kernel_symbol
from weft.compiler.metadata import KernelMetadata
from weft.compiler.options import CPU, options_for
from weft.compiler.signature import Signature
from weft.compiler.signature_types import Path
from weft.language.kernel_function import KernelFunction
from weft.launch.argument_views import view_arguments
from weft.launch.array_types import Descriptor
from weft.launch.arrays import (
    as_numpy,
    check_on_host,
    is_array,
    is_descriptor,
    item_at,
    strided_view,
)
from weft.launch.binding import bind
from weft.launch.grid import Grid, grid_sizes
from weft.launch.hooks import run_with_hooks
from weft.launch.torch_storage import storage_at
from weft.targets import target

if TYPE_CHECKING:
    from weft.interpreter import Kernel, LaunchStatistics
    from weft.ir.builtin import ModuleOp

__all__ = ["CpuKernel", "check_all_on_host", "compile_for_cpu"]


@dataclass(frozen=True, slots=True)
class CpuKernel:
    """A kernel compiled for one specialization.

    It has the attributes that programs for Triton read from a GPU's kernel, with zero registers,
    spills and shared memory.

    Attributes:
        source: The Python kernel.
        signature: The signature that it was compiled for.
        module: Its TTIR.
        kernel: The interpreter's kernel.
        metadata: Its metadata.
    """

    source: KernelFunction = field(repr=False)
    signature: Signature
    module: ModuleOp = field(repr=False)
    kernel: Kernel = field(repr=False)
    metadata: KernelMetadata = field(repr=False)
    n_regs: ClassVar[int] = 0
    n_spills: ClassVar[int] = 0
    shared: ClassVar[int] = 0

    @property
    def name(self) -> str:
        """The kernel's symbol."""
        return self.metadata.name

    def _init_handles(self) -> None:
        """Do nothing: there is nothing to load. Programs for Triton call this after `warmup`."""

    def __getitem__(self, grid: object) -> Callable[..., None]:
        """Get the launch of this specialization on a grid: it takes all arguments."""

        def launch(*args: object, stream: int | None = None) -> None:
            values, _ = bind(self.source, args, {})
            values = view_arguments(values)
            self.launch(grid_sizes(self.source, grid, values), values)

        return launch

    @property
    def asm(self) -> dict[str, str]:
        """The text of its TTIR, as "ttir"."""
        from weft.ir.text import print_module

        return {"ttir": print_module(self.module, names=True)}

    def launch(
        self,
        grid: Grid,
        values: Mapping[str, object],
        statistics: LaunchStatistics | None = None,
        programs: Sequence[int] | None = None,
    ) -> None:
        """Run the programs of a grid. Arrays are updated in place.

        Args:
            grid: The number of programs along x, y and z.
            values: The arguments by parameter, viewed (argument_views.py).
            statistics: As of the interpreter's `Kernel.run`.
            programs: As of the interpreter's `Kernel.run`.

        Raises:
            LaunchError: An array on another device.
            OutOfBoundsError: An access outside of an array, with its source location.
        """
        pairs = list(values.items())
        named_arguments = [
            argument
            for path, _ in self.signature.runtime_arguments()
            for argument in _runtime_arguments(pairs, path)
        ]
        names = [name for name, _ in named_arguments]
        arguments = [argument for _, argument in named_arguments]
        run_with_hooks(
            lambda: self.kernel.run(
                grid,
                arguments,
                names=names,
                statistics=statistics,
                programs=programs,
                find=storage_at,
            ),
            self.source,
            {"name": self.name, "function": 0, "stream": 0},
            grid,
            lambda: self.metadata,
            values,
        )


def _runtime_arguments(
    pairs: Sequence[tuple[str, object]], path: Path
) -> Iterator[tuple[str, object]]:
    """Yield name and value of each TTIR argument that the item at a path becomes."""
    name, value = pairs[path[0]]
    name += "".join(f"[{index}]" for index in path[1:])
    value = item_at(value, path[1:])
    if is_descriptor(value):
        yield from _descriptor_arguments(name, value)
    elif is_array(value):
        yield name, as_numpy(value, name)
    elif isinstance(value, int | float) or hasattr(value, "dtype"):
        yield name, value
    else:
        yield name, operator.index(cast("SupportsIndex", value))


def _descriptor_arguments(name: str, descriptor: Descriptor) -> Iterator[tuple[str, object]]:
    """Yield a view of the descriptor's array, its shape and its strides."""
    base = as_numpy(descriptor.base, name)
    shape = [int(size) for size in descriptor.shape]
    strides = [int(stride) for stride in descriptor.strides]
    yield name, strided_view(base, shape, [stride * base.itemsize for stride in strides])
    yield from ((f"{name}.shape[{axis}]", size) for axis, size in enumerate(shape))
    yield from ((f"{name}.strides[{axis}]", stride) for axis, stride in enumerate(strides))


def check_all_on_host(values: Mapping[str, object]) -> None:
    """Check that all arrays are in this process's memory.

    Args:
        values: The arguments by parameter.

    Raises:
        LaunchError: One is not.
    """
    for name, value in values.items():
        if isinstance(value, tuple):
            check_all_on_host({f"{name}[{n}]": item for n, item in enumerate(value)})
        elif is_array(value):
            check_on_host(value, name)


def compile_for_cpu(
    kernel: KernelFunction, signature: Signature, options: Mapping[str, object]
) -> CpuKernel:
    """Compile a kernel for the embedded CPU device.

    Raises:
        CompilationError: A mistake in the kernel, with its source location.
        LaunchError: An option does not fit.
        PassError: IR that a pass does not support.
    """
    # The interpreter and the passes load numpy and xDSL, which a launch on a GPU does not need.
    from weft import interpreter
    from weft.passes import run_pipeline
    from weft.pipelines import stages

    chip = target(CPU)
    checked = options_for(chip, options)
    module = ast_to_ttir(kernel, signature, chip, checked)
    for stage in stages(chip, checked):
        run_pipeline(stage.passes, module)
    name = kernel_symbol(module)
    metadata = KernelMetadata.of(name, chip, checked, str(signature), digest="", shared=0)
    return CpuKernel(kernel, signature, module, interpreter.prepare(module, name), metadata)
