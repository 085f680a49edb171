"""Run a kernel on a GPU: compile it for the device its arrays are on, and launch it there.

x = torch.rand(4096, device="cuda")
add[(4,)](x, y, out, 4096, BLOCK=1024)      # sm_90's PTX, on torch's current stream
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from weft import knobs
from weft.compiler.artifact import Artifact, Facts, Stages
from weft.compiler.build import build
from weft.compiler.metadata import Metadata
from weft.compiler.options import options_for
from weft.compiler.signature import Signature
from weft.errors import OutOfResourcesError
from weft.language.kernel_function import KernelFunction
from weft.launch.argument_packing import Written, packed, written
from weft.launch.devices import opened, stream_of
from weft.launch.drivers.cuda.driver import CudaDriver, CudaFunction
from weft.launch.drivers.cuda.launcher import LaunchSettings, Place, Starter
from weft.launch.global_scratch import with_scratch
from weft.launch.hooks import hooked

__all__ = ["GpuProgram", "prepare_for_gpu"]

Grid = tuple[int, int, int]


@dataclass(frozen=True, slots=True, repr=False)
class GpuProgram:
    """A kernel compiled for one specialisation, and loaded on one GPU.

    Args: kernel, signature: what was compiled, and for which arguments.  function: the loaded
          kernel.  starter: starts it on its arguments.  parameters: how they become those.
          direct: starts it on one value for each parameter, arrays as addresses.
          settings: how it is launched, whatever its arguments.
    """

    kernel: KernelFunction
    signature: Signature
    artifact: Artifact
    function: CudaFunction
    starter: Starter
    parameters: Sequence[Written]
    direct: Starter
    settings: LaunchSettings

    def __repr__(self) -> str:
        facts = self.artifact.facts
        return f"GpuProgram({facts.name}, {facts.target}, GPU {self.device}: {facts.signature})"

    @property
    def name(self) -> str:
        """Return the name of the entry."""
        return self.artifact.facts.name

    @property
    def hash(self) -> str:
        """Return the digest of everything that the code depends on."""
        return self.artifact.hash

    @property
    def device(self) -> int:
        """Return the number of the GPU."""
        return self.function.device

    @property
    def asm(self) -> Stages:
        """Return what each stage left: "ttir", "ttgir", "llir", "ptx", and "cubin" if made."""
        return Stages(self.artifact.blobs)

    @property
    def metadata(self) -> Metadata:
        """Return what is known of the kernel: name, target, options, shared memory."""
        from weft.targets import target

        facts = self.artifact.facts
        chip = target(facts.target)
        return Metadata(
            name=facts.name,
            target=facts.target,
            backend=chip.backend,
            arch=chip.arch,
            warp_size=chip.warp_size,
            num_warps=facts.options.num_warps,
            num_ctas=facts.options.num_ctas,
            num_stages=facts.options.num_stages,
            options=facts.options,
            signature=facts.signature,
            hash=self.hash,
            shared=facts.shared,
        )

    @property
    def shared(self) -> int:
        """Return the bytes of dynamic shared memory of a block."""
        return self.artifact.facts.shared

    @property
    def n_regs(self) -> int:
        """Return the registers of a thread."""
        return self.function.registers

    @property
    def n_spills(self) -> int:
        """Return the bytes of a thread's registers that went to memory."""
        return self.function.spilled_bytes

    @property
    def n_max_threads(self) -> int:
        """Return the most threads that a block of this kernel can have."""
        return self.function.max_threads

    def _init_handles(self) -> None:
        """Do nothing: the kernel is loaded. Scripts for Triton call this after `warmup`."""

    def __getitem__(self, grid: Any) -> Callable[..., None]:
        """Return the launch of this very program on `grid`.

        It takes the arguments of all parameters, constants included, and `stream`.
        """
        from weft.launch.binding import bind
        from weft.launch.drivers.cpu import grid_sizes

        def launch(*args: Any, stream: int | None = None) -> None:
            values, _ = bind(self.kernel, args, {})
            values = opened(values)
            self.launch(grid_sizes(self.kernel, grid, values), values, stream)

        return launch

    def launch(self, grid: Grid, values: Mapping[str, Any], stream: int | None = None) -> None:
        """Start all programs of the grid.

        Args: values: by parameter, opened (devices.py).  stream: None for the current one.
        Raises: LaunchError: the driver refuses.
        """
        if 0 in grid:
            return
        arguments = packed(self.parameters, list(values.values()))
        with CudaDriver.get().on(self.device):
            to = stream_of(self.device, values) if stream is None else stream
            hooked(
                lambda: self.starter(*grid, to, *arguments),
                self.kernel,
                {"name": self.name, "function": int(self.function.handle), "stream": to},
                grid,
                lambda: self.metadata,
                values,
            )


def prepare_for_gpu(
    kernel: KernelFunction,
    signature: Signature,
    options: Mapping[str, Any],
    device: int,
    artifacts: dict[tuple[object, ...], Artifact] | None = None,
    key: tuple[object, ...] = (),
) -> GpuProgram:
    """Compile a kernel for a GPU of this machine, and load it there.

    Args: artifacts, key: what was compiled of this kernel for other GPUs, and this under which key.
    Raises: CompilationError, LaunchError (an option), PassError, CodegenError,
            UnknownTargetError: the GPU is of a kind that weft does not know.
    """
    from weft.targets import target

    driver = CudaDriver.get()
    chip = target(f"cuda:{driver.capability(device)}")
    artifacts = {} if artifacts is None else artifacts
    artifact = artifacts.get((*key, chip.name))
    if artifact is None:
        checked = options_for(chip, options)
        artifact = artifacts[*key, chip.name] = build(kernel, signature, checked, chip)
    return loaded(kernel, signature, artifact, driver, device)


def loaded(
    kernel: KernelFunction,
    signature: Signature,
    artifact: Artifact,
    driver: CudaDriver,
    device: int,
) -> GpuProgram:
    """Load a compiled kernel on a GPU, for launches of a specialisation.

    Raises: as of `load_function`.
    """
    facts = artifact.facts
    function, settings = load_function(artifact, driver, device)
    starter = starter_of(driver, function, settings, facts)
    parameters = written(signature, facts.formats, facts.maps)
    places = [(each.index, None if each.as_given else each.write) for each in parameters]
    direct = starter_of(driver, function, settings, facts, places, len(kernel.parameters))
    return GpuProgram(kernel, signature, artifact, function, starter, parameters, direct, settings)


def starter_of(
    driver: CudaDriver,
    function: CudaFunction,
    settings: LaunchSettings,
    facts: Facts,
    places: Sequence[Place] | None = None,
    count: int = 0,
) -> Starter:
    """Return what starts a loaded kernel, with memory of its own where it needs any.

    Args: places, count: as of `cuda_launch.starter`.
    """
    if facts.scratch and places is not None:
        places, count = [*places, (count, None)], count + 1
    plain = driver.starter(function, settings, facts.formats, places, count)
    if not facts.scratch:
        return plain
    return with_scratch(plain, facts.scratch, function.device, driver)


def load_function(
    artifact: Artifact, driver: CudaDriver, device: int
) -> tuple[CudaFunction, LaunchSettings]:
    """Load a compiled kernel on a GPU; return it, and how it is launched.

    Raises: LaunchError: the driver refuses.  OutOfResourcesError: the GPU is too small for it.
    """
    facts = artifact.facts
    most = driver.attribute(device, "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN")
    if facts.shared > most:
        raise OutOfResourcesError(
            f"{facts.name} needs more shared memory than a block can have on GPU {device}",
            found=f"{facts.shared} bytes",
            accepted=[f"up to {most} bytes"],
            hint="smaller tiles or fewer stages",
        )
    hooks, described = knobs.runtime, (facts.name, {}, artifact.hash)
    hooks.kernel_load_start_hook(None, None, *described)
    function = driver.load(artifact.image, facts.name, facts.shared, device)
    if facts.threads > function.max_threads:
        raise OutOfResourcesError(
            f"{facts.name} has too few registers for its threads on GPU {device}",
            found=f"{facts.threads} threads of {function.registers} registers",
            accepted=[f"up to {function.max_threads} threads"],
            hint="fewer warps, or maxnreg=… registers for each thread",
        )
    hooks.kernel_load_end_hook(function.module, function.handle, *described)
    options = facts.options
    return function, LaunchSettings(
        facts.threads,
        facts.shared,
        options.num_ctas,
        options.launch_cooperative_grid,
        options.launch_pdl,
    )
