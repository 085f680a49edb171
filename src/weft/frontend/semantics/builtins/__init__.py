"""The implementations of builtins, by name.

A new builtin needs a declaration in `weft.language`, a row in the `TABLE` of a module here, and its
name in `MODULES` below, so that a kernel imports only the modules of the builtins it calls. An
implementation takes the emitter and the declared parameters, constants unwrapped. It returns a
value, a Python tuple of values, a constant, or None.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache

__all__ = ["LIBDEVICE", "MODULES", "implementation_of"]

MODULES: dict[str, str] = {
    "arithmetic": "add clamp maximum minimum mul sub tensor.logical_and tensor.logical_or where",
    "atomics": (
        "atomic_cas atomic_add atomic_and atomic_or atomic_xor atomic_xchg atomic_max atomic_min"
    ),
    "creation": "arange cast full to_tensor",
    "debugging": "device_assert device_print",
    "hints": "assume debug_barrier max_constancy max_contiguous multiple_of",
    "inline_asm": (
        "extra.cuda.gdc_launch_dependents extra.cuda.gdc_wait extra.cuda.globaltimer "
        "extra.cuda.smid inline_asm_elementwise"
    ),
    "linear_algebra": "dot dot_scaled",
    "math": (
        "math.ceil math.cos math.erf math.exp math.exp2 math.floor math.log math.log2 math.rsqrt "
        "math.sin math.sqrt math.sqrt_rn math.abs math.div_rn math.fdiv math.fma math.umulhi"
    ),
    "memory": "advance load make_block_ptr store",
    "programs": "num_programs program_id",
    "reductions": "associative_scan map_elementwise reduce reduce_with_indices",
    "shape_manipulation": (
        "broadcast broadcast_to cat expand_dims gather histogram join permute reshape split "
        "tensor.item trans view"
    ),
    "target_info": (
        "extra.cuda.num_threads extra.cuda.num_warps extra.hip.memrealtime "
        "target_info.cuda_capability_geq target_info.is_cuda target_info.is_hip "
        "target_info.is_hip_cdna3 target_info.is_hip_cdna4"
    ),
    "tensor_descriptors": (
        "load_tensor_descriptor make_tensor_descriptor store_tensor_descriptor "
        "tensor_descriptor.gather tensor_descriptor.load tensor_descriptor.scatter "
        "tensor_descriptor.store tensor_descriptor.atomic_add tensor_descriptor.atomic_min "
        "tensor_descriptor.atomic_max tensor_descriptor.atomic_and tensor_descriptor.atomic_or "
        "tensor_descriptor.atomic_xor"
    ),
}
"""The builtins of each module; a test compares it with the modules' tables."""

_GLUON = "gluon."
LIBDEVICE = "libdevice"
"""The module of the math libraries: all builtins of `tl.extra.….libdevice`."""


@cache
def implementation_of(name: str) -> Callable[..., object] | None:
    """Find the implementation of a builtin, None if there is none.

    Args:
        name: The qualified name: "load", "math.exp", "extra.libdevice.tanh".
    """
    if name.startswith(_GLUON):
        gluon = importlib.import_module("weft.frontend.semantics.gluon")
        return gluon.implementation_of(name.removeprefix(_GLUON))
    module = LIBDEVICE if f".{LIBDEVICE}." in name else _modules_by_name().get(name)
    if module is None:
        return None
    return importlib.import_module(f"{__name__}.{module}").TABLE.get(name)


@cache
def _modules_by_name() -> dict[str, str]:
    return {name: module for module, names in MODULES.items() for name in names.split()}
