"""The table from operation name to how it is run.

Each file of `ops` fills the table for one family, and is loaded for the first of its operations
that a kernel has. A row is written once per operation kind and is called when a function is
compiled; what it returns is called each time the operation runs.

    @pure("arith.addi")                       f(*operands) -> result(s)
    @effect("tt.load")                        f(batch, *operands) -> result(s)
    @control("scf.for")                       f(slots, batch) -> None; reads and writes slots itself
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from xdsl.ir import Operation

from weft.errors import LaunchError, did_you_mean
from weft.ir import locations

if TYPE_CHECKING:
    from weft.interpreter.batch import Batch
    from weft.interpreter.scope import Scope

Slots: TypeAlias = "list[Any]"
Step: TypeAlias = "Callable[[Slots, Batch], None]"
Evaluate: TypeAlias = "Callable[..., Any]"
Kind = Literal["pure", "effect", "control"]


@dataclass(frozen=True, slots=True)
class Row:
    """Say how an operation is compiled, and what its compiled form is called with."""

    kind: Kind
    compile: Callable[..., Evaluate]


FAMILIES: dict[str, str] = {
    "assembly": "tt.elementwise_inline_asm",
    "atomics": "tt.atomic_rmw tt.atomic_cas",
    "blocks": (
        "tt.make_tensor_ptr tt.advance tt.make_tensor_descriptor tt.descriptor_load "
        "tt.descriptor_store tt.descriptor_reduce tt.descriptor_gather tt.descriptor_scatter"
    ),
    "buffer_access": (
        "amdg.buffer_load amdg.buffer_store amdg.buffer_atomic_rmw amdg.buffer_atomic_cas "
        "amdg.in_thread_transpose"
    ),
    "buffers": (
        "ttg.local_alloc ttng.tmem_alloc ttg.local_dealloc ttg.local_load ttng.tmem_load "
        "ttg.local_store ttng.tmem_store ttg.memdesc_trans ttg.memdesc_index "
        "ttg.memdesc_subslice ttng.tmem_subslice ttg.memdesc_reshape ttg.memdesc_reinterpret"
    ),
    "casts": (
        "arith.extsi arith.index_cast arith.extui arith.trunci arith.sitofp arith.uitofp "
        "arith.fptosi arith.fptoui arith.extf arith.truncf tt.fp_to_fp arith.bitcast tt.bitcast "
        "tt.ptr_to_int tt.int_to_ptr"
    ),
    "cf": "tt.call ub.poison",
    "compare": "arith.cmpi arith.cmpf arith.select",
    "dot": "tt.dot tt.dot_scaled",
    "extern": "tt.extern_elementwise",
    "floats": (
        "arith.addf arith.subf arith.mulf arith.divf arith.remf arith.maxnumf arith.minnumf "
        "arith.maximumf arith.minimumf tt.precise_divf arith.negf math.absf tt.clampf math.fma"
    ),
    "gather": "tt.gather tt.histogram",
    "hardware_dots": (
        "ttng.warp_group_dot ttng.warp_group_dot_wait ttng.tc_gen5_mma ttng.tc_gen5_mma_scaled "
        "ttng.init_barrier ttng.inval_barrier ttng.wait_barrier ttng.barrier_expect "
        "ttng.arrive_barrier ttng.tc_gen5_commit"
    ),
    "integers": (
        "arith.addi arith.subi arith.muli arith.divsi arith.remsi arith.floordivsi "
        "arith.ceildivsi arith.andi arith.ori arith.xori arith.shrsi arith.minsi arith.maxsi "
        "arith.divui arith.remui arith.ceildivui arith.shli arith.shrui arith.minui arith.maxui "
        "tt.mulhiui math.absi arith.constant"
    ),
    "math": (
        "math.exp math.exp2 math.expm1 math.log math.log2 math.log10 math.log1p math.sqrt "
        "math.rsqrt math.sin math.cos math.tan math.tanh math.erf math.floor math.ceil "
        "math.trunc math.roundeven math.round tt.precise_sqrt"
    ),
    "memory": "tt.addptr tt.load tt.store",
    "program": (
        "tt.get_program_id tt.get_num_programs ttg.barrier gpu.barrier ttg.local_barrier "
        "ttng.cluster_arrive ttng.cluster_wait ttng.fence_async_shared tt.print tt.assert "
        "llvm.intr.assume"
    ),
    "reduction": "tt.reduce tt.scan tt.map_elementwise",
    "scf": "scf.if scf.for scf.while scf.execute_region",
    "shape": (
        "tt.make_range tt.splat tt.unsplat tt.broadcast ttg.convert_layout tt.expand_dims "
        "tt.reshape tt.trans tt.cat tt.join tt.split"
    ),
    "upcasts": "ttg.fp4_to_fp amdg.scaled_upcast_fp4 amdg.scaled_upcast_fp8 amdg.upcast_mxfp",
}
"""By file the operations that it has rows for; a test holds it against the files."""

_ROWS: dict[str, Row] = {}


def _register(kind: Kind, names: tuple[str, ...]) -> Callable[[Callable[..., Any]], Any]:
    def add(compile_row: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            if name in _ROWS:
                raise ValueError(f"{name} has two meanings")
            _ROWS[name] = Row(kind, compile_row)
        return compile_row

    return add


def pure(*names: str) -> Callable[[Callable[[Operation], Evaluate]], Any]:
    """Register `compile(op)` for operations that only map operands to results."""
    return _register("pure", names)


def effect(*names: str) -> Callable[[Callable[[Operation], Evaluate]], Any]:
    """Register `compile(op)` for operations that also read the batch: ids, memory, streams."""
    return _register("effect", names)


def control(*names: str) -> Callable[[Callable[[Operation, Scope], Step]], Any]:
    """Register `compile(op, scope)` for operations with regions, successors or callees."""
    return _register("control", names)


@cache
def _families() -> dict[str, str]:
    return {name: family for family, names in FAMILIES.items() for name in names.split()}


def row_of(name: str) -> Row | None:
    """Return the row of an operation by its name; None: it has no meaning by itself."""
    if name not in _ROWS and name in _families():
        importlib.import_module(f"weft.interpreter.ops.{_families()[name]}")
    return _ROWS.get(name)


def row_for(op: Operation) -> Row:
    """Look an operation up.

    Raises: LaunchError: the interpreter gives that operation no meaning.
    """
    row = row_of(op.name)
    if row is None:
        raise LaunchError(
            f"the interpreter cannot run {op.name}",
            location=locations.position(op.location),
            found=op.name,
            hint=did_you_mean(op.name, _families())
            or "TTIR, and TTGIR before software pipelining, are what it runs",
        )
    return row
