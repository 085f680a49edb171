"""Partitions of warp-specialized programs, and the masks of the software pipeliner."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from xdsl.ir import Operation, Region

from weft.interpreter.async_operations import AsyncOperations
from weft.interpreter.block_graph import BlockGraph
from weft.interpreter.deferred_accesses import undefined
from weft.interpreter.divergence import GroupResults, uniform_condition, whole_batch
from weft.interpreter.dtypes import dtype_of
from weft.interpreter.function_compiler import FunctionCompiler
from weft.interpreter.program_batch import Batch
from weft.interpreter.properties import int_of
from weft.interpreter.registry import Evaluate, Slots, Step, control, pure
from weft.interpreter.values import Value
from weft.ir import locations, nvws, ttg, types


@control(ttg.WarpSpecializeOp)
def warp_specialize(op: Operation, compiler: FunctionCompiler) -> Step:
    """Run the default region and the partitions concurrently; return what the former yields."""
    assert isinstance(op, ttg.WarpSpecializeOp)
    captures = compiler.slots(op.holder.operands)
    return _concurrently(op, compiler, [op.regions[0], *op.partitions], captures)


@control(nvws.WarpGroupOp)
def warp_group(op: Operation, compiler: FunctionCompiler) -> Step:
    """Run the regions concurrently; return what the first one yields."""
    return _concurrently(op, compiler, op.regions, ())


def _concurrently(
    op: Operation,
    compiler: FunctionCompiler,
    regions: Sequence[Region],
    captures: tuple[int, ...],
) -> Step:
    graphs = [BlockGraph(region, compiler, watch=False) for region in regions]
    names = ["default", *(f"partition{number}" for number in range(len(regions) - 1))]
    results, location = compiler.slots(op.results), locations.position(op.location)

    def step(slots: Slots, batch: Batch) -> None:
        arguments: list[Value] = [slots[slot] for slot in captures]
        yielded: list[Value] = []

        def body(number: int) -> Callable[[AsyncOperations], None]:
            def run(state: AsyncOperations) -> None:
                # Partitions define different values, so that they share the slots.
                values = graphs[number].call(
                    slots, batch.with_async_operations(state), arguments if number else ()
                )
                if not number:
                    yielded.extend(values)

            return run

        bodies = {name: body(number) for number, name in enumerate(names)}
        batch.async_operations.run_partitions(bodies, location)
        for slot, value in zip(results, yielded, strict=True):
            slots[slot] = value

    return step


@control(ttg.MaskOp)
def mask(op: Operation, compiler: FunctionCompiler) -> Step:
    """Run the region for the instances whose predicate is true; other results are undefined."""
    condition, results = compiler.slot(op.operands[0]), compiler.slots(op.results)
    code, needed = compiler.code(op.regions[0].block), compiler.captured(op.regions[0])
    fillers = [_undefined(result.type) for result in op.results]

    def step(slots: Slots, batch: Batch) -> None:
        predicate = slots[condition]
        shared = uniform_condition(predicate)
        if shared is not None:
            values = code.call(slots, batch, ()) if shared else fillers
        else:
            group_results = GroupResults(batch.size)
            group = whole_batch(slots, batch).subset(predicate, needed)
            group_results.add(group.members, code.call(group.slots, group.batch, ()))
            group_results.add(np.flatnonzero(~predicate), fillers)
            values = group_results.merged()
        for slot, value in zip(results, values, strict=True):
            slots[slot] = value

    return step


def _undefined(type_: types.Attribute) -> np.ndarray:
    if type_ == ttg.async_token:
        return np.zeros(1, np.bool_)
    if types.is_tensor(type_) or types.is_integer(type_) or types.is_float(type_):
        dtype = dtype_of(type_)
        return np.full((1,) * (1 + len(types.shape(type_))), undefined(dtype), dtype)
    return np.zeros(1, np.int64)


@pure(ttg.PredicateStageOp)
def predicate_stage(op: Operation) -> Evaluate:
    """Check whether the iteration that a stage belongs to exists."""
    distance = int_of(op, "maxStage") - int_of(op, "stage")
    return lambda iv, ub, step: iv < ub - step * step.dtype.type(distance)
