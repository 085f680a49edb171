"""The functions of `gl.nvidia.hopper`, but for TMA: wgmma, fences, clusters, mbarriers."""

from __future__ import annotations

from collections.abc import Callable

from weft.errors import TypeMismatchError
from weft.frontend.semantics.builtins.linear_algebra import precision_attribute
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.gluon import ampere, arguments
from weft.frontend.semantics.gluon.arguments import require
from weft.frontend.semantics.gluon.emitter import tensor_type
from weft.frontend.semantics.gluon.values import (
    AccumulatorValue,
    BufferValue,
    SharedMemoryValue,
    shared_memory,
)
from weft.frontend.semantics.values import TensorValue, Value, describe
from weft.gluon.types import warpgroup_mma_accumulator_type
from weft.ir import attributes, ttng, types
from weft.ir.builtin import SSAValue


def fence_async_shared(e: Emitter, cluster: Value) -> None:
    """Emit ttng.fence_async_shared."""
    properties = {"bCluster": attributes.boolean(bool(cluster))}
    e.builder.create(ttng.FenceAsyncSharedOp, properties=properties)


def warpgroup_mma_init(e: Emitter, value: Value) -> AccumulatorValue:
    """Return a tensor as an accumulator."""
    tensor = arguments.tensor("value", value)
    type_ = warpgroup_mma_accumulator_type(tensor_type("warpgroup_mma_init input", tensor))
    return AccumulatorValue(tensor.handle, type_)


def warpgroup_mma(
    e: Emitter,
    a: Value,
    b: Value,
    acc: Value,
    use_acc: Value,
    precision: Value,
    max_num_imprecise_acc: Value,
    is_async: Value,
) -> TensorValue | AccumulatorValue:
    """Emit ttng.warp_group_dot."""
    if not isinstance(a, TensorValue | SharedMemoryValue):
        raise TypeMismatchError(
            f"expected a to be a tensor or shared_memory_descriptor but got {describe(a)}",
            found=describe(a),
        )
    right = shared_memory("b", b)
    if not isinstance(acc, TensorValue | AccumulatorValue):
        raise TypeMismatchError(
            f"expected acc to be a tensor or accumulator but got {describe(acc)}",
            found=describe(acc),
        )
    flag = e.to_value(use_acc)
    both_fp8 = a.dtype.is_fp8() and right.dtype.is_fp8()
    imprecise = max_num_imprecise_acc
    if imprecise is None:
        imprecise = e.options.max_num_imprecise_acc_default if both_fp8 else 0
    number, k = arguments.integer("max_num_imprecise_acc", imprecise), a.shape[-1]
    if max_num_imprecise_acc is not None and both_fp8:
        require(number <= k, f"max_num_imprecise_acc ({number}) must be <= K ({k})", number)
    type_ = acc.type.tensor_type if isinstance(acc, AccumulatorValue) else acc.type
    properties = {
        "inputPrecision": precision_attribute(e, precision, None),
        "maxNumImpreciseAcc": attributes.integer(number, types.i32),
        "isAsync": attributes.boolean(bool(is_async)),
    }
    operands = [a.handle, right.handle, acc.handle, flag.handle]
    handle = e.builder.value(ttng.WarpGroupDotOp, operands, acc.handle.type, properties)
    if is_async:
        return AccumulatorValue(handle, warpgroup_mma_accumulator_type(type_))
    return TensorValue(handle, type_)


def warpgroup_mma_wait(e: Emitter, num_outstanding: Value, deps: Value) -> Value:
    """Emit ttng.warp_group_dot_wait."""
    require(deps is not None, "warpgroup_mma_wait deps must be given")
    values = deps if isinstance(deps, tuple) else (deps,)
    operands = ampere.handles("deps", values)
    number = arguments.integer("num_outstanding", num_outstanding)
    op = e.builder.create(
        ttng.WarpGroupDotWaitOp,
        operands,
        [operand.type for operand in operands],
        {"pendings": attributes.integer(number, types.i32)},
    )
    pairs = zip(values, op.results, strict=True)
    results = tuple(_completed(value, handle) for value, handle in pairs)
    return results[0] if len(results) == 1 else results


def _completed(value: Value, handle: SSAValue) -> Value:
    if isinstance(value, AccumulatorValue):
        return TensorValue(handle, value.type.tensor_type)
    assert isinstance(value, TensorValue | BufferValue)
    return value.rebuild(iter([handle]))


def arrive(e: Emitter, relaxed: Value) -> None:
    """Emit ttng.cluster_arrive."""
    properties = {"relaxed": attributes.boolean(bool(relaxed))}
    e.builder.create(ttng.ClusterArriveOp, properties=properties)


def wait(e: Emitter) -> None:
    """Emit ttng.cluster_wait."""
    e.builder.create(ttng.ClusterWaitOp)


def expect(e: Emitter, mbarrier: Value, bytes_per_cta: Value, pred: Value) -> None:
    """Emit ttng.barrier_expect."""
    predicate = e.to_value(pred)
    number = arguments.integer("bytes_per_cta", bytes_per_cta)
    operands = [shared_memory("mbarrier", mbarrier).handle, predicate.handle]
    properties = {"size": attributes.integer(number, types.i32)}
    e.builder.create(ttng.BarrierExpectOp, operands, properties=properties)


def fence_init_release_cluster(e: Emitter) -> None:
    """Emit ttng.fence_mbarrier_init_release_cluster."""
    e.builder.create(ttng.FenceMBarrierInitReleaseClusterOp)


TABLE: dict[str, Callable[..., object]] = {
    **ampere.qualified(
        "nvidia.hopper",
        (fence_async_shared, warpgroup_mma_init, warpgroup_mma, warpgroup_mma_wait),
    ),
    **ampere.qualified("nvidia.hopper.cluster", (arrive, wait)),
    "nvidia.hopper.mbarrier.arrive": ampere.emit_arrive,
    "nvidia.hopper.mbarrier.expect": expect,
    "nvidia.hopper.mbarrier.fence_init_release_cluster": fence_init_release_cluster,
}
