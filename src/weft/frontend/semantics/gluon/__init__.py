"""Gluon in the front end: values with layouts, and the implementations of Gluon's builtins.

emitter.py     the rules of operators on tensors with layouts
values.py      buffers, tensor descriptors, accumulators
others         implementations of builtins, by the module of `weft.gluon` that declares them
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache

__all__ = ["MODULES", "implementation_of"]

MODULES: dict[str, str] = {
    "amd": (
        "amd.cdna3.buffer_atomic_add amd.cdna3.buffer_atomic_and amd.cdna3.buffer_atomic_max "
        "amd.cdna3.buffer_atomic_min amd.cdna3.buffer_atomic_or amd.cdna3.buffer_atomic_xchg "
        "amd.cdna3.buffer_atomic_xor amd.cdna3.buffer_load amd.cdna3.buffer_store "
        "amd.cdna3.mfma amd.cdna4.buffer_atomic_add amd.cdna4.buffer_atomic_and "
        "amd.cdna4.buffer_atomic_max amd.cdna4.buffer_atomic_min amd.cdna4.buffer_atomic_or "
        "amd.cdna4.buffer_atomic_xchg amd.cdna4.buffer_atomic_xor amd.cdna4.mfma_scaled "
        "amd.gfx1250.wmma amd.gfx1250.wmma_scaled amd.rdna3.wmma amd.rdna4.wmma "
        "amd.warp_pipeline_stage"
    ),
    "amd_async": (
        "amd.cdna4.async_copy.buffer_load_to_shared amd.cdna4.async_copy.commit_group "
        "amd.cdna4.async_copy.global_load_to_shared amd.cdna4.async_copy.load_shared_relaxed "
        "amd.cdna4.async_copy.wait_group amd.gfx1250.async_copy.global_to_shared "
        "amd.gfx1250.async_copy.mbarrier_arrive amd.gfx1250.async_copy.shared_to_global "
        "amd.gfx1250.cluster.arrive amd.gfx1250.cluster.wait amd.gfx1250.mbarrier.arrive "
        "amd.gfx1250.mbarrier.init amd.gfx1250.mbarrier.wait "
        "amd.gfx1250.tdm._test_prefetch_with_offsets amd.gfx1250.tdm.async_gather "
        "amd.gfx1250.tdm.async_load amd.gfx1250.tdm.async_scatter amd.gfx1250.tdm.async_store "
        "amd.gfx1250.tdm.async_wait amd.gfx1250.tdm.make_tensor_descriptor "
        "amd.gfx1250.tdm.prefetch"
    ),
    "ampere": (
        "nvidia.ampere.async_copy.async_copy_global_to_shared "
        "nvidia.ampere.async_copy.commit_group nvidia.ampere.async_copy.mbarrier_arrive "
        "nvidia.ampere.async_copy.wait_group nvidia.ampere.mbarrier.arrive "
        "nvidia.ampere.mbarrier.init nvidia.ampere.mbarrier.invalidate "
        "nvidia.ampere.mbarrier.wait nvidia.ampere.mma_v2"
    ),
    "blackwell": (
        "nvidia.blackwell.allocate_tensor_memory nvidia.blackwell.tcgen05_commit "
        "nvidia.blackwell.tcgen05_copy nvidia.blackwell.tcgen05_mma "
        "nvidia.blackwell.tcgen05_mma_scaled tensor_memory_descriptor._reinterpret "
        "tensor_memory_descriptor.index tensor_memory_descriptor.load "
        "tensor_memory_descriptor.load_max tensor_memory_descriptor.load_min "
        "tensor_memory_descriptor.slice tensor_memory_descriptor.store"
    ),
    "core": (
        "allocate_shared_memory arange bank_conflicts barrier convert_layout dot_fma "
        "fp4_to_fp full histogram num_ctas num_warps set_auto_layout to_linear_layout"
    ),
    "hopper": (
        "nvidia.hopper.cluster.arrive nvidia.hopper.cluster.wait "
        "nvidia.hopper.fence_async_shared nvidia.hopper.mbarrier.arrive "
        "nvidia.hopper.mbarrier.expect nvidia.hopper.mbarrier.fence_init_release_cluster "
        "nvidia.hopper.warpgroup_mma nvidia.hopper.warpgroup_mma_init "
        "nvidia.hopper.warpgroup_mma_wait"
    ),
    "shared_memory": (
        "shared_memory_descriptor._keep_alive shared_memory_descriptor._reinterpret "
        "shared_memory_descriptor.gather shared_memory_descriptor.index "
        "shared_memory_descriptor.load shared_memory_descriptor.permute "
        "shared_memory_descriptor.reshape shared_memory_descriptor.scatter "
        "shared_memory_descriptor.slice shared_memory_descriptor.store"
    ),
    "tma": (
        "nvidia.blackwell.tma.async_gather nvidia.blackwell.tma.async_scatter "
        "nvidia.hopper.tma.async_copy_global_to_shared "
        "nvidia.hopper.tma.async_copy_shared_to_global "
        "nvidia.hopper.tma.make_tensor_descriptor nvidia.hopper.tma.store_wait"
    ),
    "warp_specialize": "warp_specialize",
}
"""The builtins of each module; a test compares it with the modules' tables."""


@cache
def implementation_of(name: str) -> Callable[..., object] | None:
    """Find the implementation of a builtin of Gluon, None if there is none.

    Args:
        name: The name below `gl`: "convert_layout", "nvidia.hopper.tma.store_wait".
    """
    module = _modules_by_name().get(name)
    return None if module is None else importlib.import_module(f"{__name__}.{module}").TABLE[name]


@cache
def _modules_by_name() -> dict[str, str]:
    return {name: module for module, names in MODULES.items() for name in names.split()}
