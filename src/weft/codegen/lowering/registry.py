"""The table from operation name to lowering.

Each file of this package registers the lowerings of some operations. It is loaded for the first of
them that a kernel has, since most kernels need a quarter of the files:

    @lowers("tt.splat")
    def _splat(low: Lowering, op: Operation) -> None:
        (source,) = low[op.operands[0]]
        low.define(op.results[0], [source] * low.count(op.results[0]))
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from functools import cache
from typing import TypeAlias

from xdsl.ir import Operation

from weft.errors import CodegenError, did_you_mean
from weft.ir import locations

__all__ = ["MODULES", "load_lowerings", "lowering_of", "lowers"]

Lower: TypeAlias = Callable[..., None]  # of the state of the function, a Lowering, and an operation

MODULES: dict[str, str] = {
    "assertion": "tt.assert",
    "async_copy": (
        "ttg.async_copy_global_to_local ttg.async_commit_group ttg.async_wait amdg.async_wait"
    ),
    "amd.async_copy_to_global": "amdg.async_copy_local_to_global",
    "atomics": "tt.atomic_rmw tt.atomic_cas",
    "amd.buffer": "amdg.buffer_load amdg.buffer_store",
    "amd.buffer_atomics": "amdg.buffer_atomic_rmw amdg.buffer_atomic_cas",
    "call": "tt.call tt.return",
    "nvidia.cluster": "ttng.cluster_arrive ttng.cluster_wait",
    "control_flow": (
        "scf.yield scf.condition scf.for scf.if scf.while scf.execute_region cf.br cf.cond_br"
    ),
    "type_conversion": (
        "arith.extsi arith.extui arith.trunci arith.sitofp arith.uitofp arith.fptosi arith.fptoui "
        "arith.bitcast tt.int_to_ptr tt.ptr_to_int tt.bitcast arith.index_cast arith.extf "
        "arith.truncf tt.fp_to_fp"
    ),
    "convert_layout": "ttg.convert_layout amdg.in_thread_transpose",
    "amd.direct_to_lds": "amdg.buffer_load_to_local",
    "division": (
        "arith.divsi arith.divui arith.remsi arith.remui arith.ceildivsi arith.ceildivui "
        "arith.floordivsi"
    ),
    "dot": "tt.dot",
    "dot_scaled": "tt.dot_scaled",
    "nvidia.tcgen05.mma": "ttng.tc_gen5_mma ttng.tc_gen5_mma_scaled",
    "nvidia.dot_wgmma": "ttng.warp_group_dot ttng.warp_group_dot_wait ttng.fence_async_shared",
    "elementwise": (
        "arith.addi arith.subi arith.muli "
        "arith.andi arith.ori arith.xori arith.shli arith.shrsi arith.shrui arith.addf arith.subf "
        "arith.mulf arith.remf arith.divf tt.precise_divf arith.negf arith.minsi arith.minui "
        "arith.maxsi arith.maxui arith.maxnumf arith.minnumf arith.maximumf arith.minimumf "
        "arith.cmpi arith.cmpf arith.select "
        "arith.constant ub.poison tt.clampf tt.mulhiui"
    ),
    "extern_elementwise": "tt.extern_elementwise",
    "gather": "tt.gather",
    "histogram": "tt.histogram",
    "inline_assembly": "tt.elementwise_inline_asm",
    "amd.lds_barrier": (
        "amdg.init_barrier amdg.arrive_barrier amdg.wait_barrier amdg.async_copy_mbarrier_arrive"
    ),
    "local_memory": (
        "ttg.local_alloc ttg.local_dealloc ttg.memdesc_index ttg.memdesc_subslice "
        "ttg.memdesc_trans ttg.memdesc_reshape ttg.memdesc_reinterpret ttg.local_store "
        "ttg.local_load"
    ),
    "local_gather": "ttg.local_gather ttg.local_scatter",
    "map_elementwise": "tt.map_elementwise",
    "math": (
        "math.exp2 math.sqrt math.rsqrt math.exp math.log math.log2 math.sin math.cos math.erf "
        "math.tanh math.tan math.log10 math.log1p math.expm1 math.absf math.floor math.ceil "
        "math.round math.roundeven math.trunc tt.precise_sqrt math.absi math.fma"
    ),
    "nvidia.mbarrier": (
        "ttng.init_barrier ttng.inval_barrier ttng.barrier_expect ttng.arrive_barrier "
        "ttng.wait_barrier ttng.async_copy_mbarrier_arrive "
        "ttng.fence_mbarrier_init_release_cluster"
    ),
    "global_memory": "tt.load tt.store",
    "microscaling": "ttg.fp4_to_fp amdg.scaled_upcast_fp4 amdg.scaled_upcast_fp8 amdg.upcast_mxfp",
    "amd.local_load_packed": "amdg.local_load_packed_tranposed",
    "printing": "tt.print",
    "program": "tt.get_program_id tt.get_num_programs ttg.warp_id llvm.intr.assume",
    "reduce": "tt.reduce.return tt.scan.return tt.map_elementwise.return tt.reduce",
    "scan": "tt.scan",
    "shape": (
        "tt.splat tt.unsplat tt.make_range tt.broadcast tt.expand_dims tt.trans tt.reshape "
        "tt.join tt.split tt.cat tt.addptr"
    ),
    "amd.slices": "amdg.extract_slice amdg.concat",
    "synchronize": (
        "ttg.barrier gpu.barrier rocdl.barrier rocdl.s.barrier amdg.cond_barrier rocdl.iglp.opt "
        "amdg.cluster_barrier_arrive amdg.cluster_barrier_wait "
        "rocdl.s.nop rocdl.s.setprio rocdl.s.sleep rocdl.s.wait.asynccnt rocdl.s.wait.dscnt "
        "rocdl.s.wait.expcnt rocdl.s.wait.loadcnt rocdl.s.wait.storecnt rocdl.s.wait.tensorcnt "
        "rocdl.s.waitcnt rocdl.sched.barrier rocdl.sched.group.barrier amdg.memory_counter_wait "
        "amdg.instruction_sched_hint rocdl.workitem.id.x rocdl.workitem.id.y rocdl.workitem.id.z "
        "rocdl.readfirstlane"
    ),
    "nvidia.tcgen05.commit": "ttng.tc_gen5_commit",
    "nvidia.tcgen05.copy": "ttng.tmem_copy",
    "nvidia.tcgen05.load_store": (
        "ttng.tmem_alloc ttng.tmem_subslice ttng.tmem_store ttng.tmem_load"
    ),
    "amd.tdm.copy": (
        "tt.make_tensor_descriptor amdg.async_tdm_copy_global_to_local "
        "amdg.async_tdm_copy_local_to_global amdg.async_tdm_wait amdg.async_tdm_intrinsic_wait"
    ),
    "amd.tdm.prefetch": "amdg.tdm_prefetch",
    "amd.tdm.gather_scatter": "amdg.async_tdm_gather amdg.async_tdm_scatter",
    "nvidia.tensormap": (
        "ttg.global_scratch_alloc ttng.tensormap_create ttng.tensormap_fenceproxy_acquire "
        "ttng.reinterpret_tensor_descriptor"
    ),
    "nvidia.tma": (
        "ttng.async_tma_copy_global_to_local ttng.async_tma_copy_local_to_global "
        "ttng.async_tma_reduce ttng.async_tma_store_wait ttng.async_tma_gather "
        "ttng.async_tma_scatter"
    ),
    "warp_specialize": "ttg.warp_yield ttg.warp_return ttg.warp_specialize",
}
"""Which file lowers which operations; a test holds it against what the files say."""

_ROWS: dict[str, Lower] = {}


def lowers(*names: str) -> Callable[[Lower], Lower]:
    """Register a function as the lowering of operations."""

    def add(function: Lower) -> Lower:
        for name in names:
            if name in _ROWS:
                raise ValueError(f"{name} has two lowerings")
            _ROWS[name] = function
        return function

    return add


def load_lowerings(names: Iterable[str]) -> None:
    """Load the files that lower operations of these names."""
    for name in names:
        if name not in _ROWS and name in _module_of():
            importlib.import_module(f"weft.codegen.lowering.{_module_of()[name]}")


@cache
def _module_of() -> dict[str, str]:
    """Return the module that lowers each operation."""
    return {name: module for module, names in MODULES.items() for name in names.split()}


def lowering_of(op: Operation) -> Lower:
    """Return how an operation is lowered.

    Raises: CodegenError: nothing lowers it, with its name and place.
    """
    if op.name not in _ROWS:
        load_lowerings(_module_of())
    row = _ROWS.get(op.name)
    if row is None:
        raise CodegenError(
            f"{op.name} cannot be lowered to LLVM IR",
            location=locations.position(op.location),
            found=op.name,
            hint=did_you_mean(op.name, _ROWS),
        )
    return row
