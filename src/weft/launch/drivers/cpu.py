"""Run a kernel on the embedded CPU device: the interpreter, over the caller's own arrays."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from weft.compiler.ast_to_ttir import function_name, lower_kernel
from weft.compiler.metadata import Metadata
from weft.compiler.options import CPU, options_for
from weft.compiler.signature import Signature
from weft.compiler.signature_types import Path
from weft.language.kernel_function import KernelFunction
from weft.launch.arrays import as_numpy, check_device, is_array, is_descriptor, strided
from weft.launch.binding import bind
from weft.launch.devices import opened
from weft.launch.grid import Grid, grid_sizes
from weft.launch.hooks import hooked
from weft.launch.torch_storage import array_at

if TYPE_CHECKING:
    from weft.interpreter import Kernel, LaunchStatistics
    from weft.ir.builtin import ModuleOp


@dataclass(frozen=True, slots=True)
class Program:
    """A kernel compiled for one specialisation.

    Args: source, signature: what was compiled, and for which arguments.  module: its TTIR.
          kernel: what runs it.  metadata: what is known of it.

    It has the names by which scripts ask a kernel on a GPU for what it takes of the chip: nothing.
    """

    source: KernelFunction = field(repr=False)
    signature: Signature
    module: ModuleOp = field(repr=False)
    kernel: Kernel = field(repr=False)
    metadata: Metadata = field(repr=False)
    n_regs: ClassVar[int] = 0
    n_spills: ClassVar[int] = 0
    shared: ClassVar[int] = 0

    @property
    def name(self) -> str:
        """Return the name of the kernel's function."""
        return self.metadata.name

    def _init_handles(self) -> None:
        """Do nothing: there is nothing to load. Scripts for Triton call this after `warmup`."""

    def __getitem__(self, grid: Any) -> Callable[..., None]:
        """Return the launch of this very program: it takes the arguments of all parameters."""

        def launch(*args: Any, stream: int | None = None) -> None:
            values, _ = bind(self.source, args, {})
            values = opened(values)
            self.launch(grid_sizes(self.source, grid, values), values)

        return launch

    @property
    def asm(self) -> dict[str, str]:
        """Return the text of its TTIR, under "ttir"."""
        from weft.ir.text import print_module

        return {"ttir": print_module(self.module)}

    def launch(
        self,
        grid: Grid,
        values: Mapping[str, Any],
        statistics: LaunchStatistics | None = None,
        programs: Sequence[int] | None = None,
    ) -> None:
        """Run all programs of the grid; arrays are written in place.

        Args: values: by parameter.  statistics, programs: as of the interpreter's `Kernel.run`.
        Raises: LaunchError: an array on another device.  OutOfBoundsError: names the kernel line.
        """
        given = list(values.items())
        named = [
            pair for path, _ in self.signature.runtime_arguments() for pair in _at(given, path)
        ]
        names, arguments = [name for name, _ in named], [argument for _, argument in named]
        hooked(
            lambda: self.kernel.run(
                grid,
                arguments,
                names=names,
                statistics=statistics,
                programs=programs,
                find=array_at,
            ),
            self.source,
            {"name": self.name, "function": 0, "stream": 0},
            grid,
            lambda: self.metadata,
            values,
        )


def _number(value: Any) -> Any:
    """Return a number that is neither Python's nor numpy's as Python's."""
    if isinstance(value, int | float) or hasattr(value, "dtype"):
        return value
    return operator.index(value)


def _at(values: Sequence[tuple[str, Any]], path: Path) -> Iterator[tuple[str, Any]]:
    """Yield name and value of each argument that the item at `path` is at run time."""
    name, value = values[path[0]]
    for index in path[1:]:
        name, value = f"{name}[{index}]", value[index]
    if is_descriptor(value):
        yield from _descriptor(name, value)
    else:
        yield name, as_numpy(value, name) if is_array(value) else _number(value)


def _descriptor(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield what a descriptor is at run time: a view of its array, its sizes, its strides."""
    base = as_numpy(value.base, name)
    sizes = [int(size) for size in value.shape]
    strides = [int(stride) for stride in value.strides]
    yield name, strided(base, sizes, [stride * base.itemsize for stride in strides])
    yield from ((f"{name}.shape[{axis}]", size) for axis, size in enumerate(sizes))
    yield from ((f"{name}.strides[{axis}]", stride) for axis, stride in enumerate(strides))


def check_devices(values: Mapping[str, Any]) -> None:
    """Raise a LaunchError for an array that is not in this process's memory."""
    for name, value in values.items():
        if isinstance(value, tuple):
            check_devices({f"{name}[{at}]": item for at, item in enumerate(value)})
        elif is_array(value):
            check_device(value, name)


def prepare(kernel: KernelFunction, signature: Signature, options: Mapping[str, Any]) -> Program:
    """Compile a kernel for the embedded CPU device.

    Raises: CompilationError, LaunchError (an option), PassError.
    """
    from weft import interpreter
    from weft.passes import run_pipeline
    from weft.pipelines import stages
    from weft.targets import target

    chip = target(CPU)
    checked = options_for(chip, options)
    module = lower_kernel(kernel, signature, chip, checked)
    for stage in stages(chip, checked):
        run_pipeline(stage.passes, module)
    name = function_name(module)
    metadata = Metadata(
        name=name,
        target=str(chip),
        backend=chip.backend,
        arch=chip.arch,
        warp_size=chip.warp_size,
        num_warps=checked.num_warps,
        num_ctas=checked.num_ctas,
        num_stages=checked.num_stages,
        options=checked,
        signature=str(signature),
        hash="",
        shared=0,
    )
    return Program(kernel, signature, module, interpreter.prepare(module, name), metadata)
