"""The embedded CPU device: run a kernel's TTIR by the interpreter, on the caller's own arrays."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, SupportsIndex, cast

from msgspec.structs import replace

from weft import knobs
from weft.compiler.ast_to_ttir import ast_to_ttir, kernel_symbol
from weft.compiler.build import COMPILE_LOCK, cache_key
from weft.compiler.compile_listener import CompileTimer, call_listener
from weft.compiler.inspected_stages import compile_inspected_ttir, inspection_hook
from weft.compiler.ir_locations import use_ir_locations
from weft.compiler.ir_override import overriding_files, overriding_module
from weft.compiler.kernel_files import dump_stages, override_files
from weft.compiler.metadata import KernelMetadata
from weft.compiler.options import CPU, CompileOptions, options_for
from weft.compiler.signature import Signature
from weft.compiler.signature_types import Path
from weft.compiler.stage_reproducers import write_stage_reproducer
from weft.compiler.stage_text import print_stage
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
from weft.launch.binding import bind_compiled
from weft.launch.checking import CheckedKernels, Checking
from weft.launch.grid import Grid, grid_sizes
from weft.launch.hooks import run_with_hooks
from weft.launch.live_arrays import LiveArrays
from weft.targets import target

if TYPE_CHECKING:
    from weft.interpreter import Kernel, LaunchStatistics
    from weft.interpreter.sanitizer.compiler import CheckedKernel
    from weft.ir.builtin import ModuleOp

__all__ = ["CpuKernel", "check_all_on_host", "compile_for_cpu", "load_for_cpu"]


@dataclass(frozen=True, slots=True)
class CpuKernel:
    """A kernel compiled for one specialization.

    It has the attributes that programs for Triton read from a GPU's kernel. Registers and shared
    memory are 1, since programs divide a chip's resources by them; nothing is spilled.

    Attributes:
        source: The Python kernel.
        signature: The signature that it was compiled for.
        module: Its TTIR, or the TTGIR of a Gluon kernel.
        kernel: The interpreter's kernel.
        metadata: Its metadata.
    """

    source: KernelFunction = field(repr=False)
    signature: Signature
    module: ModuleOp = field(repr=False)
    kernel: Kernel = field(repr=False)
    metadata: KernelMetadata = field(repr=False)
    n_regs: ClassVar[int] = 1
    n_spills: ClassVar[int] = 0
    shared: ClassVar[int] = 1

    @property
    def name(self) -> str:
        """The kernel's symbol."""
        return self.metadata.name

    @property
    def hash(self) -> str:
        """The digest of everything that the code depends on."""
        chip = target(CPU)
        return cache_key(self.source, self.signature, self.metadata.options, chip)

    def _init_handles(self) -> None:
        """Do nothing: there is nothing to load. Programs for Triton call this after `warmup`."""

    def __getitem__(self, grid: object) -> Callable[..., None]:
        """Get the launch of this specialization on a grid.

        It takes the arguments; constants may be left out (`bind_compiled`).
        """

        def launch(*args: object, stream: int | None = None) -> None:
            values = bind_compiled(self.source, self.signature.argument_constants, args)
            values = view_arguments(values)
            self.launch(grid_sizes(self.source, grid, values), values)

        return launch

    @property
    def asm(self) -> dict[str, str]:
        """The text of its IR: "ttgir" if it has layouts, as that of Gluon kernels, else "ttir"."""
        return {_stage_of(self.module): print_stage(self.module)}

    @property
    def portable_ttir(self) -> str:
        """The text of its TTIR with source locations, for `load_for_cpu` in another process."""
        from weft.ir.text import print_module

        return print_module(self.module, locations=True)

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
        find = LiveArrays()

        def run() -> None:
            if Checking.kernels is not None and statistics is None:
                checked = _checked_kernel(self, Checking.kernels)
                checked.run(grid, arguments, names=names, find=find)
                return
            self.kernel.run(
                grid, arguments, names=names, statistics=statistics, programs=programs, find=find
            )

        run_with_hooks(
            run,
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
    # A process that launches on a GPU does not load the interpreter.
    from weft.interpreter.arguments import DescriptorArray

    base = as_numpy(descriptor.base, name)
    shape = [int(size) for size in descriptor.shape]
    strides = [int(stride) for stride in descriptor.strides]
    view = strided_view(base, shape, [stride * base.itemsize for stride in strides])
    pads_with_nan = getattr(descriptor, "padding", "zero") == "nan"
    rounds = bool(getattr(descriptor, "round_f32_to_tf32", False))
    changes = pads_with_nan or rounds
    yield name, DescriptorArray(view, pads_with_nan, rounds) if changes else view
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
    chip = target(CPU)
    checked = options_for(chip, options)
    timer = CompileTimer()
    with COMPILE_LOCK, overriding_files(override_files(kernel, signature)):
        module = _compile_to_ttir(kernel, signature, checked, timer)
    loaded = _prepare(kernel, signature, checked, module)
    if knobs.compilation.dump_ir:
        outputs = {stage: text.encode() for stage, text in loaded.asm.items()}
        dump_stages(kernel, signature, outputs)
    if knobs.compilation.listener is not None:
        metadata = replace(loaded.metadata, hash=loaded.hash)
        call_listener(kernel, signature, chip, metadata, timer, cache_hit=False)
    return loaded


def load_for_cpu(
    kernel: KernelFunction, signature: Signature, options: CompileOptions, ttir: str
) -> CpuKernel:
    """Load a kernel that another process compiled for the embedded CPU device.

    Args:
        kernel: The kernel; its Python function may be missing.
        signature: The signature that it was compiled for.
        options: The options that it was compiled with.
        ttir: Its TTIR, with locations.
    """
    from weft.ir.text import parse_module

    return _prepare(kernel, signature, options, parse_module(ttir, kernel.name))


def _prepare(
    kernel: KernelFunction, signature: Signature, options: CompileOptions, module: ModuleOp
) -> CpuKernel:
    # The interpreter and the passes load numpy and xDSL, which a launch on a GPU does not need.
    from weft import interpreter

    name = kernel_symbol(module)
    metadata = KernelMetadata.of(name, target(CPU), options, str(signature), digest="", shared=1)
    hooks = knobs.runtime
    has_hooks = hooks.kernel_load_start_hook or hooks.kernel_load_end_hook
    digest = cache_key(kernel, signature, options, target(CPU)) if has_hooks else ""
    hooks.kernel_load_start_hook(None, None, name, {}, digest)
    loaded = CpuKernel(kernel, signature, module, interpreter.prepare(module, name), metadata)
    hooks.kernel_load_end_hook(None, None, name, {}, digest)
    return loaded


def _compile_to_ttir(
    kernel: KernelFunction,
    signature: Signature,
    options: CompileOptions,
    timer: CompileTimer | None = None,
) -> ModuleOp:
    """Compile a kernel to the IR that the interpreter runs."""
    from weft.passes import run_pipeline
    from weft.pipelines import stages

    chip = target(CPU)
    timer = timer or CompileTimer()

    def key() -> str:
        return cache_key(kernel, signature, options, chip)

    if inspection_hook() is not None:
        return compile_inspected_ttir(kernel, signature, options, chip, timer, key)
    module = ast_to_ttir(kernel, signature, chip, options)
    timer.finish_front_end()
    pipeline = stages(chip, options, is_gluon=kernel.is_gluon)
    passes = tuple(each for stage in pipeline for each in stage.passes)
    write_stage_reproducer("ttir", module, passes)
    run_pipeline(passes, module)
    timer.finish_stage("ttir")
    # The interpreter runs TTGIR, too.
    module = overriding_module(options, "ttgir") or overriding_module(options, "ttir") or module
    use_ir_locations(module, _stage_of(module), kernel.name, key)
    return module


def _stage_of(module: ModuleOp) -> str:
    """Get the stage whose output a module is: "ttgir" if it has layouts."""
    return "ttgir" if "ttg.num-warps" in module.attributes else "ttir"


def _checked_kernel(kernel: CpuKernel, checked: CheckedKernels[object]) -> CheckedKernel:
    """Get a kernel as it is compiled for a sanitizer: with the assertions of debug mode."""
    from weft.interpreter.sanitizer import checked_kernel

    if id(kernel) not in checked.kernels:
        options = replace(kernel.metadata.options, debug=True, sanitize_overflow=True)
        # A kernel that another process compiled has only its IR.
        has_source = callable(kernel.source.fn)
        module = (
            _compile_to_ttir(kernel.source, kernel.signature, options)
            if has_source
            else kernel.module.clone()
        )
        runnable = checked_kernel(module, kernel_symbol(module), checked.sanitizer)
        checked.kernels[id(kernel)] = (kernel, runnable)
    return checked.kernels[id(kernel)][1]
