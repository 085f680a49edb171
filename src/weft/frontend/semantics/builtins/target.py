"""Questions about the target and the launch, answered with constants."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weft.errors import UnsupportedError
from weft.frontend.semantics.builtins.assembly import emit
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.values import TensorValue
from weft.language import dtypes

_GENERATIONS = {"is_hip_cdna3": "cdna3", "is_hip_cdna4": "cdna4"}


def is_cuda(e: Emitter) -> bool:
    """Tell whether the target is NVIDIA's."""
    return e.options.backend == "cuda"


def is_hip(e: Emitter) -> bool:
    """Tell whether the target is AMD's."""
    return e.options.backend == "hip"


def _is_generation(name: str) -> Callable[[Emitter], bool]:
    def answer(e: Emitter) -> bool:
        return is_hip(e) and _known(e, "generation") == _GENERATIONS[name]

    return answer


def cuda_capability_geq(e: Emitter, major: Any, minor: Any) -> bool:
    """Tell whether the target is NVIDIA's of at least this compute capability."""
    return is_cuda(e) and _known(e, "compute_capability") >= 10 * major + minor


def _known(e: Emitter, fact: str) -> Any:
    """Return a fact of the chip.

    Raises: UnsupportedError where the chip's row does not tell it.
    """
    value = getattr(e.options, fact)
    if value is None:
        raise UnsupportedError(
            f"the {fact.replace('_', ' ')} of the target is not known",
            found=f"{e.options.backend}:{e.options.arch}",
            hint=f"the facts of this chip have no {fact}",
        )
    return value


def num_warps(e: Emitter) -> int:
    """Return the warps of this program."""
    return e.options.num_warps


def num_threads(e: Emitter) -> int:
    """Return the threads of this program."""
    return e.options.num_warps * e.options.warp_size


def memrealtime(e: Emitter) -> TensorValue:
    """Read the real-time clock of an AMD device.

    Raises: UnsupportedError for another back end.
    """
    if not is_hip(e):
        raise UnsupportedError(
            "tl.extra.hip.memrealtime needs an AMD target", found=f"target {e.options.backend}"
        )
    return emit(e, _known(e, "realtime_clock"), "=r", [], [dtypes.int64], False, 1)[0]


TABLE: dict[str, Callable[..., Any]] = {
    "extra.cuda.num_threads": num_threads,
    "extra.cuda.num_warps": num_warps,
    "extra.hip.memrealtime": memrealtime,
    "target_info.cuda_capability_geq": cuda_capability_geq,
    "target_info.is_cuda": is_cuda,
    "target_info.is_hip": is_hip,
    **{f"target_info.{name}": _is_generation(name) for name in _GENERATIONS},
}
