"""`triton.compiler.CompiledKernel`: a compiled kernel that is loaded on its first use.

    kernel = triton.compile(ASTSource(…), target=GPUTarget("cuda", 90, 32))
    kernel.asm["ptx"], kernel.metadata.shared
    kernel.run(4, 1, 1, stream, kernel.function, kernel.packed_metadata, None, None, None, *args)

Its `__dict__` has what another process needs to load it, so that `torch.compile` sends it from the
process that compiles to the one that launches. The handles of the driver are outside of it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from weft import knobs
from weft.compat.backends.compiler import GPUTarget
from weft.compat.compiler.sources import ASTSource
from weft.compat.runtime.cache import FileCacheManager
from weft.compat.tools.disasm import get_sass
from weft.compiler.artifact import Artifact, StageOutputs
from weft.compiler.build import build, cache_key
from weft.compiler.options import CPU, CompileOptions
from weft.compiler.signature import Signature
from weft.errors import LaunchError
from weft.language.kernel_function import KernelFunction
from weft.launch.argument_views import view_arguments
from weft.launch.devices import current_gpu
from weft.launch.drivers.cpu import CpuKernel, compile_for_cpu, load_for_cpu
from weft.launch.drivers.gpu_kernel import GpuKernel, load_artifact
from weft.launch.hooks import LaunchMetadata
from weft.launch.streams import launch_stream
from weft.targets import Target

__all__ = ["AsmDict", "CompiledKernel"]

_BINARIES = ("cubin", "hsaco")


class AsmDict(dict[str, Any]):
    """The output of each stage by name; "sass" disassembles the cubin when it is asked for."""

    def __missing__(self, key: str) -> str | None:
        if key != "sass" or "cubin" not in self:
            raise KeyError(f"Unknown key: '{key}'")
        self[key] = text = get_sass(self["cubin"])
        return text


class CompiledKernel:
    """A compiled kernel.

    Attributes:
        src: The kernel with its signature.
        hash: The digest of everything that the code depends on.
        name: The kernel's symbol.
        metadata: Options, target and resources, as a named tuple.
        packed_metadata: What the launcher reads of them.
        asm: The output of each stage: asm["ttir"], asm["ttgir"], asm["ptx"], ….
        metadata_group: The path of the file of each stage, below the cache's directory.
        kernel: The image that a driver loads.
        num_warps: Warps of a block.
        num_ctas: Blocks of a cluster.
        shared: Bytes of dynamic shared memory of a block.
        cluster_dims: Blocks of a cluster along x, y and z.
    """

    __slots__ = ("__dict__", "__weakref__", "_loaded")

    def __init__(
        self,
        src: ASTSource,
        kernel: KernelFunction,
        signature: Signature,
        options: CompileOptions,
        chip: Target,
        env_vars: Mapping[str, str] | None = None,
    ) -> None:
        self.src = src
        self._signature = signature
        self._artifact: Artifact | None = None
        self._options = options
        if chip.backend == CPU:
            on_cpu = compile_for_cpu(kernel, signature, options.as_dict())
            self._loaded = on_cpu
            self.hash = cache_key(kernel, signature, options, chip)
            self.name, self.asm = on_cpu.name, AsmDict(on_cpu.asm)
            self._portable_ttir = on_cpu.portable_ttir
            shared, scratch = on_cpu.shared, 0
        else:
            artifact = build(kernel, signature, options, chip)
            self._artifact, self.hash = artifact, artifact.hash
            self.name = artifact.info.name
            self.asm = AsmDict(StageOutputs(artifact.blobs))
            shared, scratch = artifact.info.shared_bytes, artifact.info.scratch_bytes
        if env_vars:
            text = "\0".join([self.hash, *(f"{k}={v}" for k, v in sorted(env_vars.items()))])
            self.hash = hashlib.sha256(text.encode()).hexdigest()
        self.kernel: Any = next((self.asm[each] for each in _BINARIES if each in self.asm), b"")
        self.num_warps, self.num_ctas, self.shared = options.num_warps, options.num_ctas, shared
        self.cluster_dims = (options.num_ctas, 1, 1)
        self.metadata = _metadata(
            {
                **options.as_dict(),
                "hash": self.hash,
                "name": self.name,
                "target": GPUTarget(chip.backend, chip.arch, chip.threads_per_warp),
                "warp_size": chip.threads_per_warp,
                "shared": shared,
                "cluster_dims": self.cluster_dims,
                "tmem_size": 0,
                "global_scratch_size": scratch,
                "global_scratch_align": 1,
                "profile_scratch_size": 0,
                "profile_scratch_align": 1,
                "tensordesc_meta": None,
                **(env_vars or {}),
            }
        )
        self.packed_metadata = (self.num_warps, self.num_ctas, shared, *self.cluster_dims)
        self.metadata_group = _write_files(
            self.hash, src.name or self.name, self.asm, self.metadata
        )

    def _init_handles(self) -> None:
        """Load the kernel on the current GPU."""
        if getattr(self, "_loaded", None) is not None:
            return
        if self._artifact is None:
            self._loaded = load_for_cpu(
                self.src.fn, self._signature, self._options, self._portable_ttir
            )
            return
        gpu = current_gpu(initialized_only=False)
        if gpu is None:
            raise LaunchError(f"{self.name} must be launched on a GPU", found="torch has no GPU")
        self._loaded = load_artifact(self.src.fn, self._signature, self._artifact, gpu)

    @property
    def _handle(self) -> GpuKernel | CpuKernel:
        self._init_handles()
        return self._loaded  # pyright: ignore[reportReturnType]  # set by _init_handles

    @property
    def module(self) -> int | None:
        """The handle of the loaded module; None before it is loaded, and on the CPU device."""
        loaded = getattr(self, "_loaded", None)
        return int(loaded.function.module) if isinstance(loaded, GpuKernel) else None

    @property
    def function(self) -> int | None:
        """The handle of the loaded kernel; None before it is loaded, and on the CPU device."""
        loaded = getattr(self, "_loaded", None)
        return int(loaded.function.handle) if isinstance(loaded, GpuKernel) else None

    @property
    def n_regs(self) -> int:
        """Registers of a thread."""
        return self._handle.n_regs

    @property
    def n_spills(self) -> int:
        """Registers of a thread that are spilled to local memory."""
        return self._handle.n_spills

    @property
    def n_max_threads(self) -> int | None:
        """Most threads that a block of this kernel can have."""
        return getattr(self._handle, "n_max_threads", None)

    @property
    def run(self) -> Callable[..., None]:
        """The launcher.

        It takes three grid sizes, the stream, the function, the packed metadata, the metadata for
        hooks, the two hooks, and the value of every parameter, constants included.
        """
        loaded, names = self._handle, self._signature.names

        def launch(
            x: int,
            y: int,
            z: int,
            stream: int,
            function: object,
            packed_metadata: object,
            launch_metadata: object,
            launch_enter_hook: Callable[[object], object] | None,
            launch_exit_hook: Callable[[object], object] | None,
            *args: object,
        ) -> None:
            values = view_arguments(dict(zip(names, args, strict=True)))
            if isinstance(loaded, CpuKernel):
                loaded.launch((x, y, z), values)
                return
            if launch_enter_hook:
                launch_enter_hook(launch_metadata)
            loaded.launch_without_hooks((x, y, z), values, stream)
            if launch_exit_hook:
                launch_exit_hook(launch_metadata)

        return launch

    def launch_metadata(
        self, grid: Sequence[int], stream: int, *args: object
    ) -> LaunchMetadata | None:
        """Collect the argument of launch hooks; None if there are none."""
        if not knobs.runtime.launch_enter_hook:
            return None
        self._init_handles()
        data = {"name": self.name, "function": self.function, "stream": stream}
        compute = getattr(self.src.fn, "launch_metadata", None)
        if compute is None:
            return LaunchMetadata(data, None)
        values = dict(zip(self._signature.names, args, strict=False))
        return LaunchMetadata(data, lambda: compute(tuple(grid), self.metadata, values))

    def __getitem__(self, grid: int | Sequence[int]) -> Callable[..., None]:
        """Get the launch on a grid; it takes the value of every parameter, and `stream`."""
        x, y, z = (*([grid] if isinstance(grid, int) else grid), 1, 1)[:3]

        def launch(*args: object, stream: int | None = None) -> None:
            values = dict(zip(self._signature.names, args, strict=True))
            gpu = current_gpu(initialized_only=False)
            if stream is None:
                stream = 0 if gpu is None else launch_stream(gpu, values)
            metadata = self.launch_metadata((x, y, z), stream, *args)
            hooks = knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook
            self.run(x, y, z, stream, self.function, self.packed_metadata, metadata, *hooks, *args)

        return launch

    def __repr__(self) -> str:
        return f"CompiledKernel({self.name}, {self.metadata.target}: {', '.join(self.asm)})"


def _metadata(fields: Mapping[str, object]) -> Any:  # a named tuple
    return namedtuple("KernelMetadata", sorted(fields))(**fields)


def _write_files(
    key: str, name: str, outputs: Mapping[str, str | bytes], metadata: Any
) -> dict[str, str]:
    """Write the output of each stage where Triton's cache has it: KEY/NAME.ptx.

    `torch.compile` loads cubins from there, by TRITON_CACHE_DIR if it is set.

    Returns:
        The path of each file by its name.
    """
    files = FileCacheManager(key, directory=os.environ.get("TRITON_CACHE_DIR"))
    group: dict[str, str] = {}
    for stage, output in outputs.items():
        file = f"{name}.{stage}"
        group[file] = files.get_file(file) or files.put(output, file)
    file = f"{name}.json"
    description = {each: str(value) for each, value in metadata._asdict().items()}
    group[file] = files.get_file(file) or files.put(json.dumps(description), file)
    return group
