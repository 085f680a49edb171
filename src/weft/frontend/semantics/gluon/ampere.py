"""The functions of `gl.nvidia.ampere`: cp.async, mbarriers, mma.sync."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from weft.errors import TypeMismatchError
from weft.frontend.semantics.broadcasting import broadcast
from weft.frontend.semantics.builtins.memory import eviction_policy_attribute, load_cache_attribute
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.gluon import arguments
from weft.frontend.semantics.gluon.arguments import require
from weft.frontend.semantics.gluon.core import check_operands, dot
from weft.frontend.semantics.gluon.emitter import tensor_type
from weft.frontend.semantics.gluon.values import shared_memory
from weft.frontend.semantics.values import TensorValue, Value, describe
from weft.gluon.layouts import NVMMADistributedLayout
from weft.ir import attributes, ttg, ttng, types
from weft.ir.builtin import Attribute, SSAValue

_MMA_V2 = [2, 0]


def mma_v2(e: Emitter, a: Value, b: Value, acc: Value, input_precision: Value) -> TensorValue:
    """Emit tt.dot on tensors whose layouts are those of mma.sync."""
    left, right, accumulator = (
        arguments.tensor(name, value) for name, value in (("a", a), ("b", b), ("acc", acc))
    )
    layout = tensor_type("acc", accumulator).layout
    if not isinstance(layout, NVMMADistributedLayout):
        raise TypeMismatchError("acc must have an NVMMADistributedLayout", found=layout)
    require(layout.version == _MMA_V2, "MMA layout must have version 2.0", layout.version)
    check_operands(left, right, layout)
    return dot(e, left, right, accumulator, input_precision)


def async_copy_global_to_shared(
    e: Emitter,
    smem: Value,
    pointer: Value,
    mask: Value,
    cache_modifier: Value,
    eviction_policy: Value,
    volatile: Value,
) -> None:
    """Emit ttg.async_copy_global_to_local."""
    emit_async_copy(e, smem, pointer, mask, None, cache_modifier, eviction_policy, volatile)


def emit_async_copy(
    e: Emitter,
    smem: Value,
    pointer: Value,
    mask: Value,
    other: Value,
    cache_modifier: Value,
    eviction_policy: Value = "",
    volatile: Value = False,
    name: str = "smem",
) -> None:
    """Emit ttg.async_copy_global_to_local.

    Args:
        e: The emitter.
        smem: The buffer in shared memory.
        pointer: A tensor of pointers.
        mask: Elements to leave out, or None.
        other: The value of such elements, or None.
        cache_modifier: As for `load`.
        eviction_policy: As for `load`.
        volatile: As for `load`.
        name: The name of the buffer's parameter, for the error.
    """
    buffer, pointers = shared_memory(name, smem), arguments.tensor("pointer", pointer)
    operands = [pointers.handle, buffer.handle]
    if mask is not None:
        pointers, mask_value = broadcast(e, pointers, e.to_value(mask))
        operands = [pointers.handle, buffer.handle, mask_value.handle]
    if other is not None:
        element = getattr(pointers.dtype, "element_ty", pointers.dtype)
        pointers, other_value = broadcast(e, pointers, e.cast(e.to_value(other), element))
        operands.append(other_value.handle)
    require(
        buffer.shape == list(pointers.shape),
        f"expected {name} shape to match pointer shape but got {name}.shape = {buffer.shape}, "
        f"pointer.shape = {list(pointers.shape)}",
    )
    properties: dict[str, Attribute] = {
        "cache": load_cache_attribute(cache_modifier),
        "evict": eviction_policy_attribute(eviction_policy),
        "isVolatile": attributes.boolean(bool(volatile)),
        "operandSegmentSizes": attributes.array_i32(
            (1, 1, int(mask is not None), int(other is not None))
        ),
    }
    e.builder.create(ttg.AsyncCopyGlobalToLocalOp, operands, [ttg.async_token], properties)


def mbarrier_arrive(e: Emitter, mbarrier: Value, increment_count: Value) -> None:
    """Emit ttng.async_copy_mbarrier_arrive."""
    barrier = shared_memory("mbarrier", mbarrier)
    properties = {} if increment_count else {"noIncrement": attributes.unit}
    e.builder.create(ttng.AsyncCopyMbarrierArriveOp, [barrier.handle], properties=properties)


def commit_group(e: Emitter) -> None:
    """Emit ttg.async_commit_group."""
    e.builder.create(ttg.AsyncCommitGroupOp, [], [ttg.async_token])


def wait_group(e: Emitter, num_outstanding: Value) -> None:
    """Emit ttg.async_wait."""
    number = arguments.integer("num_outstanding", num_outstanding)
    properties = {"num": attributes.integer(number, types.i32)}
    e.builder.create(ttg.AsyncWaitOp, [], [ttg.async_token], properties)


def init(e: Emitter, mbarrier: Value, count: Value) -> None:
    """Emit ttng.init_barrier."""
    properties = {"count": attributes.integer(arguments.integer("count", count), types.i32)}
    barrier = shared_memory("mbarrier", mbarrier)
    e.builder.create(ttng.InitBarrierOp, [barrier.handle], properties=properties)


def invalidate(e: Emitter, mbarrier: Value) -> None:
    """Emit ttng.inval_barrier."""
    e.builder.create(ttng.InvalBarrierOp, [shared_memory("mbarrier", mbarrier).handle])


def wait(e: Emitter, mbarrier: Value, phase: Value, pred: Value, deps: Value) -> None:
    """Emit ttng.wait_barrier."""
    phase_value, predicate = e.to_value(phase), e.to_value(pred)
    buffers = handles("deps", deps)
    operands = [
        shared_memory("mbarrier", mbarrier).handle,
        phase_value.handle,
        predicate.handle,
        *buffers,
    ]
    segments = attributes.array_i32((1, 1, 1, len(buffers)))
    e.builder.create(ttng.WaitBarrierOp, operands, properties={"operandSegmentSizes": segments})


def handles(name: str, values: Value) -> list[SSAValue]:
    """List the handles of a sequence of buffers or tensors.

    Raises:
        TypeMismatchError: It has another value.
    """
    members = values if isinstance(values, tuple | list) else (values,)
    member_handles = [getattr(value, "handle", None) for value in members]
    if not all(isinstance(handle, SSAValue) for handle in member_handles):
        raise TypeMismatchError(
            f"expected '{name}' to be a sequence of buffers", found=describe(values)
        )
    return [handle for handle in member_handles if isinstance(handle, SSAValue)]


def arrive(e: Emitter, mbarrier: Value, pred: Value) -> None:
    """Emit ttng.arrive_barrier."""
    emit_arrive(e, mbarrier, 1, pred)


def emit_arrive(e: Emitter, mbarrier: Value, count: Value, pred: Value) -> None:
    """Emit ttng.arrive_barrier."""
    properties = {"count": attributes.integer(arguments.integer("count", count), types.i32)}
    predicate = e.to_value(pred)
    operands = [shared_memory("mbarrier", mbarrier).handle, predicate.handle]
    e.builder.create(ttng.ArriveBarrierOp, operands, properties=properties)


_Table = dict[str, Callable[..., object]]


def qualified(namespace: str, functions: Sequence[Callable[..., object]]) -> _Table:
    """Map the qualified names of functions to them."""
    return {f"{namespace}.{each.__name__}": each for each in functions}


TABLE: _Table = {
    "nvidia.ampere.mma_v2": mma_v2,
    **qualified(
        "nvidia.ampere.async_copy",
        (async_copy_global_to_shared, mbarrier_arrive, commit_group, wait_group),
    ),
    **qualified("nvidia.ampere.mbarrier", (init, invalidate, wait, arrive)),
}
