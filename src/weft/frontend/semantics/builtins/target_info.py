"""Properties of the target and the launch, as constants."""

from __future__ import annotations

from collections.abc import Callable

from weft.errors import CompilationError, UnsupportedError
from weft.frontend.semantics.builtins.inline_asm import emit_asm
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.values import TensorValue, Value, describe
from weft.language import dtypes

_GENERATIONS = {"is_hip_cdna3": "cdna3", "is_hip_cdna4": "cdna4"}


def is_cuda(e: Emitter) -> bool:
    """Check whether the target is an NVIDIA GPU."""
    return e.options.backend == "cuda"


def is_hip(e: Emitter) -> bool:
    """Check whether the target is an AMD GPU."""
    return e.options.backend == "hip"


def _is_generation(name: str) -> Callable[[Emitter], bool]:
    def check(e: Emitter) -> bool:
        if not is_hip(e):
            return False
        generation = e.options.generation
        if generation is None:
            raise _unknown(e, "generation")
        return generation == _GENERATIONS[name]

    return check


def cuda_capability_geq(e: Emitter, major: Value, minor: Value) -> bool:
    """Check whether the target is an NVIDIA GPU of at least this compute capability."""
    if not is_cuda(e):
        return False
    if not isinstance(major, int) or not isinstance(minor, int):
        raise CompilationError(
            "tl.target_info.cuda_capability_geq requires constant integers",
            found=f"{describe(major)}, {describe(minor)}",
        )
    version = e.options.compute_capability
    if version is None:
        raise _unknown(e, "compute capability")
    return version >= 10 * major + minor


def _unknown(e: Emitter, name: str) -> UnsupportedError:
    return UnsupportedError(
        f"unknown {name} of the target", found=f"{e.options.backend}:{e.options.arch}"
    )


def num_warps(e: Emitter) -> int:
    """Return the number of warps of a program."""
    return e.options.num_warps


def num_threads(e: Emitter) -> int:
    """Return the number of threads of a program."""
    return e.options.num_warps * e.options.warp_size


def memrealtime(e: Emitter) -> TensorValue:
    """Read the real-time counter of an AMD GPU.

    Raises:
        UnsupportedError: The target is not an AMD GPU.
    """
    if not is_hip(e):
        raise UnsupportedError(
            "tl.extra.hip.memrealtime requires an AMD target", found=f"target {e.options.backend}"
        )
    if e.options.realtime_clock is None:
        raise _unknown(e, "realtime clock")
    return emit_asm(e, e.options.realtime_clock, "=r", [], [dtypes.int64], False, 1)[0]


TABLE: dict[str, Callable[..., object]] = {
    "extra.cuda.num_threads": num_threads,
    "extra.cuda.num_warps": num_warps,
    "extra.hip.memrealtime": memrealtime,
    "target_info.cuda_capability_geq": cuda_capability_geq,
    "target_info.is_cuda": is_cuda,
    "target_info.is_hip": is_hip,
    **{f"target_info.{name}": _is_generation(name) for name in _GENERATIONS},
}
