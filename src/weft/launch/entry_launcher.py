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

from weft.compiler.artifact import Artifact
from weft.compiler.build import assembled
from weft.compiler.metadata import Metadata
from weft.errors import LaunchError
from weft.launch.argument_packing import Written, packed, written
from weft.launch.devices import gpu_of, opened, stream_of
from weft.launch.drivers.cuda.driver import CudaDriver
from weft.launch.drivers.cuda.kernel import load_function, starter_of
from weft.launch.drivers.cuda.launcher import Starter
from weft.launch.entry_arguments import EntryArgument, arguments_of, signature_of

if TYPE_CHECKING:
    from weft.ir.builtin import ModuleOp

__all__ = ["EntryLauncher"]


@dataclass(slots=True)
class EntryLauncher:
    """The entry of a compiled kernel, compiled further and loaded on each GPU that it meets."""

    module: ModuleOp
    metadata: Metadata
    arguments: tuple[EntryArgument, ...] = ()
    artifact: Artifact | None = None
    starters: dict[int, tuple[Starter, list[Written]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.arguments = arguments_of(self.module)

    def launch(self, grid: Sequence[int], *args: Any, stream: int | None = None) -> None:
        """Start all programs of the grid.

        Args: grid: one to three sizes.  args: of the entry.  stream: None for the current one.
        Raises: LaunchError: other arguments than the entry has, or a GPU that the kernel was not
                made for.  CodegenError: it cannot be lowered.
        """
        sizes = (*grid, 1, 1)[:3]
        if len(args) != len(self.arguments):
            raise LaunchError(
                f"{self.metadata.name} takes {len(self.arguments)} arguments",
                found=len(args),
                accepted=[str(signature_of(self.arguments))],
            )
        names = [each.name for each in self.arguments]
        values = opened(dict(zip(names, args, strict=True)))
        device = gpu_of(values)
        if device is None:
            raise LaunchError(
                f"{self.metadata.name} is launched on a GPU",
                found="no array of one among the arguments",
                hint="the embedded CPU device runs kernels that are launched as `kernel[grid](…)`",
            )
        pairs = zip(self.arguments, values.values(), strict=True)
        checked = [each.checked(value) for each, value in pairs]
        starter, parameters = self._starter(device)
        if 0 not in sizes:
            to = stream_of(device, values) if stream is None else stream
            with CudaDriver.get().on(device):
                starter(*sizes, to, *packed(parameters, checked))

    def _starter(self, device: int) -> tuple[Starter, list[Written]]:
        """Return what starts the entry on a GPU, and how its arguments are written.

        It is loaded there the first time.
        """
        found = self.starters.get(device)
        if found is None:
            driver = CudaDriver.get()
            present = f"cuda:{driver.capability(device)}"
            if present != self.metadata.target:
                raise LaunchError(
                    f"{self.metadata.name} is compiled for {self.metadata.target}",
                    found=f"GPU {device} is {present}",
                    accepted=[f"target={present}"],
                )
            signature = signature_of(self.arguments)
            if self.artifact is None:
                facts, blobs = assembled(self.module, signature, self.metadata.options)
                self.artifact = Artifact(self.metadata.hash, facts, blobs)
            function, settings = load_function(self.artifact, driver, device)
            facts = self.artifact.facts
            start = starter_of(driver, function, settings, facts)
            found = start, written(signature, facts.formats, facts.maps)
            self.starters[device] = found
        return found
