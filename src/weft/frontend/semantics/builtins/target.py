"""Questions about the target and the launch, answered with constants."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weft.errors import UnsupportedError
from weft.frontend.semantics.builtins.assembly import emit
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.values import TensorValue
from weft.language import dtypes

# read the clock, then wait for it; the blanks are Triton's
_CLOCK_GFX9 = f"s_memrealtime $0\n{' ' * 17}s_waitcnt vmcnt(0)"
_READ_CLOCK = "s_sendmsg_rtn_b64 $0, sendmsg(MSG_RTN_GET_REALTIME)\n"
_CLOCK_GFX11 = f"{_READ_CLOCK}{' ' * 21}s_waitcnt lgkmcnt(0)"
_CLOCK_GFX12 = f"{_READ_CLOCK}{' ' * 21}s_wait_kmcnt 0"
_CLOCKS = {
    **dict.fromkeys(("gfx90a", "gfx942", "gfx950"), _CLOCK_GFX9),
    **dict.fromkeys(("gfx1100", "gfx1101", "gfx1102"), _CLOCK_GFX11),
    **dict.fromkeys(("gfx1200", "gfx1201"), _CLOCK_GFX12),
}
_CDNA = {"is_hip_cdna3": ("gfx940", "gfx941", "gfx942"), "is_hip_cdna4": ("gfx950",)}


def is_cuda(e: Emitter) -> bool:
    """Tell whether the target is NVIDIA's."""
    return e.options.backend == "cuda"


def is_hip(e: Emitter) -> bool:
    """Tell whether the target is AMD's."""
    return e.options.backend == "hip"


def _is_chip(name: str) -> Callable[[Emitter], bool]:
    def answer(e: Emitter) -> bool:
        return is_hip(e) and e.options.arch in _CDNA[name]

    return answer


def cuda_capability_geq(e: Emitter, major: Any, minor: Any) -> bool:
    """Tell whether the target is NVIDIA's of at least this compute capability."""
    return is_cuda(e) and int(e.options.arch) >= 10 * major + minor


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
    chip = str(e.options.arch)
    if chip not in _CLOCKS:
        raise UnsupportedError("no real-time clock is known", found=chip, accepted=_CLOCKS)
    return emit(e, _CLOCKS[chip], "=r", [], [dtypes.int64], False, 1)[0]


TABLE: dict[str, Callable[..., Any]] = {
    "extra.cuda.num_threads": num_threads,
    "extra.cuda.num_warps": num_warps,
    "extra.hip.memrealtime": memrealtime,
    "target_info.cuda_capability_geq": cuda_capability_geq,
    "target_info.is_cuda": is_cuda,
    "target_info.is_hip": is_hip,
    **{f"target_info.{name}": _is_chip(name) for name in _CDNA},
}
