"""Run a kernel on the embedded CPU device: the interpreter, over the caller's own arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weft.errors import LaunchError
from weft.language.function import KernelFunction
from weft.runtime.arrays import as_numpy, is_array, is_descriptor
from weft.runtime.lowering import function_name, lower_kernel
from weft.runtime.options import CPU, options_for
from weft.runtime.signature import Path, Signature

if TYPE_CHECKING:
    from weft.interpreter import Executable
    from weft.ir.builtin import ModuleOp

Grid = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Program:
    """A kernel compiled for one specialisation.

    Args: signature: what it was compiled for.  module: its TTIR.  executable: the interpreter's.
    """

    signature: Signature
    module: ModuleOp
    executable: Executable

    @property
    def asm(self) -> dict[str, str]:
        """Return the text of its TTIR, under "ttir"."""
        from weft.ir.text import print_module

        return {"ttir": print_module(self.module)}

    def launch(self, grid: Grid, values: Mapping[str, Any]) -> None:
        """Run all programs of the grid; arrays are written in place.

        Raises: LaunchError: an array on another device.  OutOfBoundsError: names the kernel line.
        """
        if 0 in grid:
            return
        names: list[str] = []
        arguments: list[Any] = []
        for name, argument in self._arguments(list(values.items())):
            names.append(name)
            arguments.append(argument)
        self.executable.run(grid, arguments, names)

    def _arguments(self, values: Sequence[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
        for path, kind in self.signature.runtime_arguments():
            name, value = _at(values, path)
            if is_descriptor(value):
                yield from _descriptor(name, value)
            elif is_array(value):
                yield name, as_numpy(value, name)
            else:
                yield name, float(value) if kind[0] in "fb" else value


def _at(values: Sequence[tuple[str, Any]], path: Path) -> tuple[str, Any]:
    name, value = values[path[0]]
    for index in path[1:]:
        name, value = f"{name}[{index}]", value[index]
    return name, value


def _descriptor(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield what a descriptor is at run time: its array, its sizes, its strides."""
    yield name, as_numpy(value.base, name)
    for axis, size in enumerate(value.shape):
        yield f"{name}.shape[{axis}]", int(size)
    for axis, stride in enumerate(value.strides):
        yield f"{name}.strides[{axis}]", int(stride)


def prepare(kernel: KernelFunction, signature: Signature, options: Mapping[str, Any]) -> Program:
    """Compile a kernel for the embedded CPU device.

    Raises: CompilationError, LaunchError (an option), PassError.
    """
    from weft import interpreter
    from weft.passes import run_pipeline
    from weft.pipelines import ttir
    from weft.targets import target

    chip = target(CPU)
    module = lower_kernel(kernel, signature, chip, options_for(chip, options))
    run_pipeline(ttir.PASSES, module)
    return Program(signature, module, interpreter.prepare(module, function_name(module)))


def grid_sizes(kernel: KernelFunction, grid: Any, arguments: Mapping[str, Any]) -> Grid:
    """Return the numbers of programs along x, y and z.

    Args: grid: one to three sizes, or a function from the arguments by name to them.
    Raises: LaunchError: it is neither, or a size is no int from 0.
    """
    sizes = grid(dict(arguments)) if callable(grid) else grid
    sizes = tuple(sizes) if isinstance(sizes, Sequence) else (sizes,)
    if not 1 <= len(sizes) <= 3:
        raise _grid_error(kernel, sizes)
    for size in sizes:
        if isinstance(size, bool) or not hasattr(size, "__index__") or size.__index__() < 0:
            raise _grid_error(kernel, sizes)
    x, y, z = (*(size.__index__() for size in sizes), 1, 1)[:3]
    return x, y, z


def _grid_error(kernel: KernelFunction, sizes: Sequence[object]) -> LaunchError:
    return LaunchError(
        f"{kernel.name}: the grid is one to three counts of programs",
        found=repr(sizes[0] if len(sizes) == 1 else tuple(sizes)),
        accepted=["(programs,)", "(x, y)", "(x, y, z)", "a function from the arguments to these"],
    )
