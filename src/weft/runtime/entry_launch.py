"""Launch what `weft.compile` made, on the GPU that it was made for.

    compiled = weft.compile("matmul.ttgir", target="cuda:90")      # TTGIR that Triton printed
    compiled[(128,)](a, b, c, m, n, k)                             # the entry's arguments

There is no Python signature to bind to: the arguments are those of the IR's entry, constants not
among them. A tensor descriptor stands for its sizes and strides too, as it does in a kernel's call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from weft.errors import LaunchError
from weft.ir import types
from weft.runtime.arguments import packed
from weft.runtime.artifact import Artifact
from weft.runtime.building import assembled, entry_of
from weft.runtime.devices import gpu_of, opened, stream_of
from weft.runtime.drivers.cuda import CudaDriver
from weft.runtime.drivers.cuda_launch import Starter
from weft.runtime.gpu import load_function, starter_of
from weft.runtime.signature import Signature

if TYPE_CHECKING:
    from weft.ir.builtin import Attribute, ModuleOp
    from weft.runtime.compiled import CompiledKernel

__all__ = ["EntryLauncher"]

_NUMBERS = {
    types.i1: "u1",
    types.i8: "i8",
    types.i16: "i16",
    types.i32: "i32",
    types.i64: "i64",
    types.f16: "fp16",
    types.bf16: "bf16",
    types.f32: "fp32",
    types.f64: "fp64",
}


@dataclass(slots=True)
class EntryLauncher:
    """The entry of a compiled kernel, compiled further and loaded on each GPU that it meets."""

    compiled: CompiledKernel
    artifact: Artifact | None = None
    starters: dict[int, Starter] = field(default_factory=dict)

    def launch(self, grid: Sequence[int], *args: Any, stream: int | None = None) -> None:
        """Start all programs of the grid.

        Args: grid: one to three sizes.  args: of the entry.  stream: None for the current one.
        Raises: LaunchError: other arguments than the entry has, or a GPU that the kernel was not
                made for.  CodegenError: it cannot be lowered.
        """
        sizes = (*grid, 1, 1)[:3]
        signature = _signature(self.compiled.module("ttgir"))
        if len(args) != len(signature.names):
            raise LaunchError(
                f"{self.compiled.name} takes {len(signature.names)} arguments",
                found=len(args),
                accepted=[str(signature)],
            )
        values = opened(dict(zip(signature.names, args, strict=True)))
        device = gpu_of(values)
        if device is None:
            raise LaunchError(
                f"{self.compiled.name} is launched on a GPU",
                found="no array of one among the arguments",
                hint="the embedded CPU device runs kernels that are launched as `kernel[grid](…)`",
            )
        starter = self._starter(device, signature)
        if 0 not in sizes:
            to = stream_of(device, values) if stream is None else stream
            with CudaDriver.get().on(device):
                maps = () if self.artifact is None else self.artifact.facts.maps
                starter(*sizes, to, *packed(signature, list(values.values()), maps))

    def _starter(self, device: int, signature: Signature) -> Starter:
        """Return what starts the entry on a GPU; it is loaded there the first time."""
        found = self.starters.get(device)
        if found is None:
            driver = CudaDriver.get()
            present = f"cuda:{driver.capability(device)}"
            if present != self.compiled.metadata.target:
                raise LaunchError(
                    f"{self.compiled.name} is compiled for {self.compiled.metadata.target}",
                    found=f"GPU {device} is {present}",
                    accepted=[f"target={present}"],
                )
            if self.artifact is None:
                module, options = self.compiled.module("ttgir"), self.compiled.metadata.options
                facts, blobs = assembled(module, signature, options)
                self.artifact = Artifact(self.compiled.hash, facts, blobs)
            function, settings = load_function(self.artifact, driver, device)
            found = starter_of(driver, function, settings, self.artifact.facts)
            self.starters[device] = found
        return found


def _signature(module: ModuleOp) -> Signature:
    """Return what a launch gives to the entry of a module."""
    kinds = list(entry_of(module).function_type.inputs.data)
    leaves: list[str] = []
    place = 0
    while place < len(kinds):
        leaf, taken = _leaf(kinds[place])
        leaves.append(leaf)
        place += taken
    return Signature(tuple(f"argument {n}" for n in range(len(leaves))), tuple(leaves))


def _leaf(kind: Attribute) -> tuple[str, int]:
    """Return a type as signatures name it, and how many of the entry's arguments it stands for."""
    if isinstance(kind, types.TensorDescType):
        shape = types.shape(kind.block_type)
        sizes = ",".join(map(str, shape))
        return f"tensordesc<{types.element(kind.block_type)}[{sizes}]>", 1 + 2 * len(shape)
    if types.is_pointer(kind):
        return f"*{kind.pointee}", 1  # pyright: ignore[reportAttributeAccessIssue]
    return _NUMBERS[kind], 1
