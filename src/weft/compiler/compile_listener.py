"""Call `knobs.compilation.listener` after each compilation, with the kernel and the times.

def listener(*, src, metadata, metadata_group, times, cache_hit): …
knobs.compilation.listener = listener
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from weft import knobs
from weft.compiler.gpu_target import GPUTarget
from weft.compiler.metadata import KernelMetadata
from weft.compiler.signature import Signature
from weft.compiler.signature_types import AttributePairs, Path, TypeName
from weft.knobs import CompileTimes
from weft.language.kernel_function import KernelFunction
from weft.targets import Target

__all__ = ["CompileTimer", "CompiledSource", "call_listener"]


@dataclass(frozen=True, slots=True)
class CompiledSource:
    """A kernel with its signature, under the names of Triton's ASTSource.

    Attributes:
        fn: The kernel.
        name: Its name.
        signature: The type of each parameter.
        constants: The constants by path.
        attrs: The attributes by path.
    """

    fn: KernelFunction
    name: str
    signature: Mapping[str, TypeName]
    constants: Mapping[Path, object]
    attrs: Mapping[Path, AttributePairs]


class CompileTimer:
    """Measures the parts of a compilation.

    Attributes:
        front_end: Time of the front end in µs, or of the lookup in the cache.
        stages: Name and time of each stage.
        storing: Time of writing the cache.
    """

    def __init__(self) -> None:
        self.front_end = 0
        self.stages: list[tuple[str, int]] = []
        self.storing = 0
        self._last = time.perf_counter_ns()

    def finish_front_end(self) -> None:
        """End the front end, or the lookup."""
        self.front_end = self._lap()

    def finish_stage(self, name: str) -> None:
        """End a stage."""
        self.stages.append((name, self._lap()))

    def finish_storing(self) -> None:
        """End the writing of the cache."""
        self.storing = self._lap()

    def _lap(self) -> int:
        """Compute the µs since the last call; a part that was carried out takes at least 1."""
        start, self._last = self._last, time.perf_counter_ns()
        return max((self._last - start) // 1000, 1)

    @property
    def times(self) -> CompileTimes:
        """The times so far."""
        return CompileTimes(self.front_end, self.stages, self.storing)


def call_listener(
    kernel: KernelFunction,
    signature: Signature,
    chip: Target,
    metadata: KernelMetadata,
    timer: CompileTimer,
    *,
    cache_hit: bool,
) -> None:
    """Call the listener, if there is one.

    Args:
        kernel: The kernel.
        signature: The signature that it was compiled for.
        chip: The target.
        metadata: That of the compiled kernel.
        timer: Measured the compilation.
        cache_hit: Whether the kernel is from the disk cache.
    """
    listener = knobs.compilation.listener
    if listener is None:
        return
    target = GPUTarget(chip.backend, chip.arch, chip.threads_per_warp)
    fields = {name: getattr(metadata, name) for name in metadata.__struct_fields__}
    fields |= fields.pop("options").as_dict()
    listener(
        src=CompiledSource(
            kernel,
            kernel.name,
            signature.signature,
            signature.constexprs,
            dict(signature.attributes),
        ),
        metadata={**fields, "target": target},
        metadata_group={},
        times=timer.times,
        cache_hit=cache_hit,
    )
