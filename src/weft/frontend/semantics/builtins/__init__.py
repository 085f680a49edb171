"""The meaning of every declared function: from its name to the function that emits it.

A new function is a declaration in `weft.language`, a row in the `TABLE` of a file here, and its
name below, so that a kernel loads the files of what it calls. An implementation takes the emitter
and the declared parameters, constants opened; what it returns is a kernel value, a Python tuple of
them, a constant, or None.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any

__all__ = ["FILES", "LIBRARY", "meaning_of"]

FILES: dict[str, str] = {
    "assembly": (
        "extra.cuda.gdc_launch_dependents extra.cuda.gdc_wait extra.cuda.globaltimer "
        "extra.cuda.smid inline_asm_elementwise"
    ),
    "atomics": (
        "atomic_cas atomic_add atomic_and atomic_or atomic_xor atomic_xchg atomic_max atomic_min"
    ),
    "creation": "arange cast full to_tensor",
    "debugging": "device_assert device_print",
    "descriptors": (
        "load_tensor_descriptor make_tensor_descriptor store_tensor_descriptor "
        "tensor_descriptor.gather tensor_descriptor.load tensor_descriptor.scatter "
        "tensor_descriptor.store tensor_descriptor.atomic_add tensor_descriptor.atomic_min "
        "tensor_descriptor.atomic_max tensor_descriptor.atomic_and tensor_descriptor.atomic_or "
        "tensor_descriptor.atomic_xor"
    ),
    "elementwise": "add clamp maximum minimum mul sub tensor.logical_and tensor.logical_or where",
    "hints": "assume debug_barrier max_constancy max_contiguous multiple_of",
    "math": (
        "math.ceil math.cos math.erf math.exp math.exp2 math.floor math.log math.log2 math.rsqrt "
        "math.sin math.sqrt math.sqrt_rn math.abs math.div_rn math.fdiv math.fma math.umulhi"
    ),
    "matrices": "dot dot_scaled",
    "memory": "advance load make_block_ptr store",
    "programs": "num_programs program_id",
    "reductions": "associative_scan map_elementwise reduce",
    "shapes": (
        "broadcast broadcast_to cat expand_dims gather histogram join permute reshape split "
        "tensor.item trans view"
    ),
    "target": (
        "extra.cuda.num_threads extra.cuda.num_warps extra.hip.memrealtime "
        "target_info.cuda_capability_geq target_info.is_cuda target_info.is_hip "
        "target_info.is_hip_cdna3 target_info.is_hip_cdna4"
    ),
}
"""Which file has which functions; a test holds it against the files."""

LIBRARY = "libdevice"
"""The file of the vendors' math libraries: all that is below `tl.extra.….libdevice`."""


@cache
def meaning_of(name: str) -> Callable[..., Any] | None:
    """Return what carries out a declared function, None where nothing does.

    Args: name: below `tl`: "load", "math.exp", "extra.libdevice.tanh".
    """
    file = LIBRARY if f".{LIBRARY}." in name else _file_of().get(name)
    if file is None:
        return None
    return importlib.import_module(f"{__name__}.{file}").TABLE.get(name)


@cache
def _file_of() -> dict[str, str]:
    return {name: file for file, names in FILES.items() for name in names.split()}
