"""Triton's passes that allocate warps and memory, one at a time. Nothing here imports weft.

Those for memory come after the control flow was lowered and shared memory was allocated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from triton._C.libtriton import amd, ir, nvidia, passes

from tests.oracle import reference
from tests.oracle.reference import Step

Adder = Callable[[object], None]

_PTX_VERSION = 86
# How MLIR rewrites, not what.
_MLIR_OPTION = re.compile(r"\{allow-pattern-rollback=\w+\}")


def _adders(target: str) -> Iterator[tuple[bool, Adder]]:
    """Yield what adds each pass for a chip, and whether it is compared."""
    backend, _, arch = target.partition(":")
    return _cuda_adders(int(arch)) if backend == "cuda" else _hip_adders(arch)


def _cuda_adders(capability: int) -> Iterator[tuple[bool, Adder]]:
    nvgpu, ttgpu = nvidia.passes.ttnvgpuir, nvidia.passes.ttgpuir
    yield False, passes.ttgpuir.add_combine_tensor_select_and_if
    yield True, passes.ttgpuir.add_allocate_warp_groups
    yield True, passes.convert.add_scf_to_cf
    yield (
        True,
        lambda manager: ttgpu.add_allocate_shared_memory_nv(manager, capability, _PTX_VERSION),
    )
    yield True, nvgpu.add_allocate_tensor_memory
    yield True, nvgpu.add_check_matmul_two_cta
    yield True, passes.ttgpuir.add_allocate_global_scratch_memory
    yield True, lambda manager: nvgpu.add_proxy_fence_insertion(manager, capability)


def _hip_adders(arch: str) -> Iterator[tuple[bool, Adder]]:
    gpu = amd.passes.ttgpuir
    yield False, lambda manager: gpu.add_update_async_wait_count(manager, arch)
    yield False, lambda manager: gpu.add_warp_pipeline_conversion(manager, arch)
    yield True, passes.convert.add_scf_to_cf
    yield True, gpu.add_allocate_shared_memory
    yield True, passes.ttgpuir.add_allocate_shared_memory


def steps(path: Path, index: int, target: str) -> list[Step]:
    """Return the passes of entry `index` of a kernel file's CASES, for a chip."""
    _, recorded = reference.trace(path, index, target, stop_after="\0")
    fresh = reference.context(reference.make_backend(reference.target(target)))
    module = reference.parse(recorded[-1].after, fresh)
    result: list[Step] = []
    for is_compared, add in _adders(target):
        manager = ir.pass_manager(fresh)
        add(manager)
        pipeline = manager.get_pipeline_str().removeprefix("any(").removesuffix(")")
        before = module.str_nodebug()
        manager.run(module, "memory")
        if is_compared:
            result.append(
                Step("make_llir", _MLIR_OPTION.sub("", pipeline), before, module.str_nodebug())
            )
    return result
