"""A kernel compiled for a GPU of this machine, and loaded there.

x = torch.rand(4096, device="cuda")
add[(4,)](x, y, out, 4096, BLOCK=1024)      # PTX for sm_90, on torch's current stream
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from weft import knobs
from weft.compiler.architecture import override_architecture
from weft.compiler.artifact import Artifact, KernelInfo, StageOutputs
from weft.compiler.build import build
from weft.compiler.metadata import KernelMetadata
from weft.compiler.options import options_for, unsupported_setting
from weft.compiler.signature import Signature
from weft.errors import OutOfResourcesError
from weft.knobs.unsupported import unsupported_settings
from weft.language.kernel_function import KernelFunction
from weft.launch.argument_packing import (
    ParameterEncoding,
    encode_arguments,
    parameter_encodings,
)
from weft.launch.argument_views import view_arguments
from weft.launch.binding import bind_compiled
from weft.launch.devices import gpu_target
from weft.launch.drivers.active import active_driver
from weft.launch.drivers.gpu_driver import (
    ArgumentSource,
    GpuDriver,
    GpuFunction,
    LaunchConfig,
    Launcher,
)
from weft.launch.global_scratch import with_scratch
from weft.launch.grid import Grid, grid_sizes
from weft.launch.hooks import run_with_hooks
from weft.launch.streams import launch_stream
from weft.targets import target

__all__ = ["GpuKernel", "compile_for_gpu", "kernel_launcher", "load_artifact", "load_function"]


@dataclass(frozen=True, slots=True, repr=False)
class GpuKernel:
    """A kernel compiled for one specialization and loaded on one GPU.

    Attributes:
        kernel: The Python kernel.
        signature: The signature that it was compiled for.
        artifact: Its machine code.
        function: The loaded kernel.
        launcher: Launches it on the arguments of the entry.
        parameters: How the parameters become these arguments.
        launch_values: Launches it on one value per parameter, with addresses for arrays.
    """

    kernel: KernelFunction
    signature: Signature
    artifact: Artifact
    function: GpuFunction
    launcher: Launcher
    parameters: Sequence[ParameterEncoding]
    launch_values: Launcher

    def __repr__(self) -> str:
        info = self.artifact.info
        return f"GpuKernel({info.name}, {info.target}, GPU {self.device}: {info.signature})"

    @property
    def name(self) -> str:
        """The symbol of the entry."""
        return self.artifact.info.name

    @property
    def hash(self) -> str:
        """The digest of everything that the code depends on."""
        return self.artifact.hash

    @property
    def device(self) -> int:
        """The number of the GPU."""
        return self.function.device

    @property
    def asm(self) -> StageOutputs:
        """The output of each stage: "ttir", "ttgir", "llir", then machine code.

        That is "ptx", and "cubin" if it was assembled, or "amdgcn" and "hsaco".
        """
        return StageOutputs(self.artifact.blobs)

    @property
    def metadata(self) -> KernelMetadata:
        """The kernel's name, target, options, shared memory."""
        info = self.artifact.info
        return KernelMetadata.of(
            info.name,
            target(info.target),
            info.options,
            info.signature,
            self.hash,
            info.shared_bytes,
        )

    @property
    def shared(self) -> int:
        """Bytes of dynamic shared memory of a block."""
        return self.artifact.info.shared_bytes

    @property
    def n_regs(self) -> int:
        """Registers of a thread."""
        return self.function.registers

    @property
    def n_spills(self) -> int:
        """Registers of a thread that are spilled to local memory, each of 4 bytes."""
        return self.function.local_bytes // 4

    @property
    def n_max_threads(self) -> int:
        """Most threads that a block of this kernel can have."""
        return self.function.max_threads

    def _init_handles(self) -> None:
        """Do nothing: the kernel is loaded. Programs for Triton call this after `warmup`."""

    def __getitem__(self, grid: object) -> Callable[..., None]:
        """Get the launch of this specialization on a grid.

        It takes the arguments and `stream`; constants may be left out (`bind_compiled`).
        """

        def launch(*args: object, stream: int | None = None) -> None:
            values = bind_compiled(self.kernel, self.signature.argument_constants, args)
            values = view_arguments(values)
            self.launch(grid_sizes(self.kernel, grid, values), values, stream)

        return launch

    def launch(self, grid: Grid, values: Mapping[str, object], stream: int | None = None) -> None:
        """Launch the kernel.

        Args:
            grid: The number of programs along x, y and z.
            values: The arguments by parameter, viewed (argument_views.py).
            stream: The stream; None for the current one.

        Raises:
            LaunchError: The driver cannot launch it.
        """
        if 0 in grid:
            return
        with active_driver().context(self.device):
            on = launch_stream(self.device, values) if stream is None else stream
            run_with_hooks(
                lambda: self.launch_without_hooks(grid, values, on),
                self.kernel,
                {"name": self.name, "function": int(self.function.handle), "stream": on},
                grid,
                lambda: self.metadata,
                values,
            )

    def launch_without_hooks(self, grid: Grid, values: Mapping[str, object], stream: int) -> None:
        """Launch the kernel on the current GPU, on a stream; as `launch`, without the hooks."""
        if 0 not in grid:
            arguments = encode_arguments(self.parameters, list(values.values()))
            self.launcher(*grid, stream, *arguments)


def compile_for_gpu(
    kernel: KernelFunction,
    signature: Signature,
    options: Mapping[str, object],
    gpu: int,
    artifacts: dict[tuple[object, ...], Artifact] | None = None,
    key: tuple[object, ...] = (),
) -> GpuKernel:
    """Compile a kernel for a GPU of this machine, and load it there.

    Args:
        kernel: The kernel.
        signature: The signature to compile for.
        options: Compile options by name.
        gpu: The number of the GPU.
        artifacts: What was compiled of this kernel, by key and chip; the result is added.
        key: The key of this specialization.

    Raises:
        CompilationError: A mistake in the kernel, with its source location.
        LaunchError: An option does not fit, or the driver cannot load the kernel.
        PassError: IR that a pass does not support.
        CodegenError: IR that cannot be lowered.
        UnknownTargetError: weft does not support the GPU.
    """
    for setting in unsupported_settings(["runtime"]):
        raise unsupported_setting(setting)
    chip = override_architecture(gpu_target(gpu), options.get("arch"))
    artifacts = {} if artifacts is None else artifacts
    artifact = artifacts.get((*key, chip.name))
    if artifact is None:
        artifact = build(kernel, signature, options_for(chip, options), chip)
        artifacts[*key, chip.name] = artifact
    return load_artifact(kernel, signature, artifact, gpu)


def load_artifact(
    kernel: KernelFunction, signature: Signature, artifact: Artifact, gpu: int
) -> GpuKernel:
    """Load a compiled kernel on a GPU of this machine.

    Args:
        kernel: The kernel.
        signature: The signature that it was compiled for.
        artifact: Its machine code.
        gpu: The number of the GPU.

    Raises:
        LaunchError: The driver cannot load the kernel.
        OutOfResourcesError: It needs more shared memory or registers than the GPU has.
    """
    driver, info = active_driver(), artifact.info
    function, config = load_function(artifact, driver, gpu)
    parameters = parameter_encodings(signature, info.formats, info.tensor_maps)
    sources = [(each.index, None if each.is_identity else each.encode) for each in parameters]
    return GpuKernel(
        kernel,
        signature,
        artifact,
        function,
        kernel_launcher(driver, function, config, info),
        parameters,
        kernel_launcher(driver, function, config, info, sources, len(kernel.parameters)),
    )


def kernel_launcher(
    driver: GpuDriver,
    function: GpuFunction,
    config: LaunchConfig,
    info: KernelInfo,
    sources: Sequence[ArgumentSource] | None = None,
    value_count: int = 0,
) -> Launcher:
    """Create the launcher of a loaded kernel, which allocates scratch memory if needed.

    Args:
        driver: The driver of the GPU.
        function: The loaded kernel.
        config: How it is launched.
        info: Its formats and its scratch memory.
        sources: As of `make_launcher`.
        value_count: As of `make_launcher`.
    """
    if info.scratch_bytes and sources is not None:
        # The address of the scratch memory is one more value, passed unchanged.
        sources, value_count = [*sources, (value_count, None)], value_count + 1
    launcher = driver.launcher(function, config, info.formats, sources, value_count)
    if not info.scratch_bytes:
        return launcher
    return with_scratch(launcher, info.scratch_bytes, function.device, driver)


def _image(artifact: Artifact, gpu: int) -> bytes:
    """Get the image to load: PTX if the kernel is compiled for another NVIDIA chip."""
    is_same = artifact.info.target == str(gpu_target(gpu))
    return artifact.image if is_same else artifact.blobs.get("ptx", artifact.image)


def load_function(
    artifact: Artifact, driver: GpuDriver, gpu: int
) -> tuple[GpuFunction, LaunchConfig]:
    """Load a compiled kernel on a GPU.

    Returns:
        The loaded kernel, and how it is launched.

    Raises:
        LaunchError: The driver cannot load it.
        OutOfResourcesError: It needs more shared memory or registers than the GPU has.
    """
    info, options = artifact.info, artifact.info.options
    max_shared_bytes = driver.properties(gpu).shared_bytes
    if info.shared_bytes > max_shared_bytes:
        raise OutOfResourcesError(
            info.shared_bytes,
            max_shared_bytes,
            "shared memory",
            found=f"{info.shared_bytes} bytes for {info.name} on GPU {gpu}",
            accepted=[f"up to {max_shared_bytes} bytes"],
            hint="Reducing block sizes or `num_stages` may help",
        )
    hooks, description = knobs.runtime, (info.name, {}, artifact.hash)
    hooks.kernel_load_start_hook(None, None, *description)
    function = driver.load(_image(artifact, gpu), info.name, info.shared_bytes, gpu)
    if info.threads > function.max_threads:
        raise OutOfResourcesError(
            info.threads,
            function.max_threads,
            "threads",
            found=f"{info.threads} threads of {function.registers} registers for {info.name}",
            accepted=[f"up to {function.max_threads} threads"],
            hint="Reducing `num_warps`, or setting maxnreg=…, may help",
        )
    hooks.kernel_load_end_hook(function.module, function.handle, *description)
    config = LaunchConfig(
        info.threads,
        info.shared_bytes,
        options.num_ctas,
        options.launch_cooperative_grid,
        options.launch_pdl,
    )
    return function, config
