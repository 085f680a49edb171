"""Launch a kernel that `weft.compile` compiled, on the GPU of its target.

    compiled = weft.compile("matmul.ttgir", target="cuda:90")      # TTGIR printed by Triton
    compiled[(128,)](a, b, c, m, n, k)                             # the arguments of the entry

There is no Python signature to bind to: the arguments are those of the IR's entry, without
constants. A tensor descriptor also gives its shape and strides, as in a kernel's launch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field

from weft.compiler.artifact import Artifact
from weft.compiler.build import compile_ttgir
from weft.compiler.metadata import KernelMetadata
from weft.errors import LaunchError
from weft.launch.argument_packing import (
    ParameterEncoding,
    encode_arguments,
    parameter_encodings,
)
from weft.launch.argument_views import view_arguments
from weft.launch.devices import gpu_of_arrays
from weft.launch.drivers.active import active_driver
from weft.launch.drivers.gpu_driver import Launcher
from weft.launch.drivers.gpu_kernel import kernel_launcher, load_function
from weft.launch.entry_arguments import EntryArgument, entry_arguments, entry_signature
from weft.launch.streams import launch_stream

if TYPE_CHECKING:
    from weft.ir.builtin import ModuleOp

__all__ = ["EntryLauncher"]


class EntryLauncher(Struct):
    """The entry of a compiled kernel, assembled and loaded on each GPU that it is launched on.

    Attributes:
        module: The kernel's TTGIR.
        metadata: Its metadata.
        arguments: The arguments of its entry.
        artifact: Its machine code, once it is compiled.
        launchers: For each GPU, the launcher and the encodings of the arguments.
    """

    module: ModuleOp
    metadata: KernelMetadata
    arguments: tuple[EntryArgument, ...] = ()
    artifact: Artifact | None = None
    launchers: dict[int, tuple[Launcher, list[ParameterEncoding]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.arguments = entry_arguments(self.module)

    def launch(self, grid: Sequence[int], *args: object, stream: int | None = None) -> None:
        """Launch the entry.

        Args:
            grid: One to three sizes.
            args: The arguments of the entry.
            stream: The stream; None for the current one.

        Raises:
            LaunchError: Arguments that do not fit the entry, or a GPU that is not the target.
            CodegenError: The kernel cannot be lowered.
        """
        x, y, z = (*grid, 1, 1)[:3]
        name = self.metadata.name
        if len(args) != len(self.arguments):
            raise LaunchError(
                f"{name} takes {len(self.arguments)} arguments but {len(args)} were given",
                found=len(args),
                accepted=[str(entry_signature(self.arguments))],
            )
        names = [each.name for each in self.arguments]
        values = view_arguments(dict(zip(names, args, strict=True)))
        gpu = gpu_of_arrays(values)
        if gpu is None:
            raise LaunchError(
                f"{name} must be launched on a GPU",
                found="no array on a GPU among the arguments",
                hint="the embedded CPU device runs kernels launched as `kernel[grid](…)`",
            )
        pairs = zip(self.arguments, values.values(), strict=True)
        checked = [argument.check(value) for argument, value in pairs]
        launcher, parameters = self._launcher(gpu)
        if 0 in (x, y, z):
            return
        if stream is None:
            stream = launch_stream(gpu, values)
        with active_driver().context(gpu):
            launcher(x, y, z, stream, *encode_arguments(parameters, checked))

    def _launcher(self, gpu: int) -> tuple[Launcher, list[ParameterEncoding]]:
        """Get the launcher on a GPU; the first use loads the kernel there."""
        if gpu in self.launchers:
            return self.launchers[gpu]
        driver = active_driver()
        present = driver.target_name(gpu)
        if present != self.metadata.target:
            raise LaunchError(
                f"{self.metadata.name} is compiled for {self.metadata.target}",
                found=f"GPU {gpu} is {present}",
                accepted=[f"target={present}"],
            )
        signature = entry_signature(self.arguments)
        if self.artifact is None:
            info, blobs = compile_ttgir(self.module, signature, self.metadata.options)
            self.artifact = Artifact(self.metadata.hash, info, blobs)
        info = self.artifact.info
        function, config = load_function(self.artifact, driver, gpu)
        launcher = kernel_launcher(driver, function, config, info)
        encodings = parameter_encodings(signature, info.formats, info.tensor_maps)
        self.launchers[gpu] = launcher, encodings
        return launcher, encodings
