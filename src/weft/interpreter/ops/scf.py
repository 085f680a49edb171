"""scf.if, scf.for and scf.while over a batch of instances.

A loop with different trip counts runs for all instances until the first of them are done. These
leave the group, and the loop continues for the others. So the number of Python iterations is the
greatest trip count, and no instance runs an iteration too many.

    trip counts [2 5 2]     iterations 0, 1: instances 0, 1, 2     iterations 2, 3, 4: instance 1
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Operation

from weft.errors import LaunchError
from weft.interpreter.divergence import Group, GroupResults, uniform_condition, whole_batch
from weft.interpreter.dtypes import unsigned
from weft.interpreter.function_compiler import CompiledBlock, FunctionCompiler, operations
from weft.interpreter.livelock import LivelockDetector
from weft.interpreter.program_batch import Batch
from weft.interpreter.properties import flag_of
from weft.interpreter.registry import Slots, Step, control
from weft.interpreter.values import Value, index_of, take
from weft.ir import locations, scf, tt


@control(scf.IfOp)
def if_(op: Operation, compiler: FunctionCompiler) -> Step:
    """Run one branch, or both, each for its instances."""
    condition = compiler.slot(op.operands[0])
    results = compiler.slots(op.results)
    branches = [compiler.code(r.blocks[0]) if r.blocks else None for r in op.regions]
    needs = [compiler.captured(region) for region in op.regions]
    branches += [None] * (2 - len(branches))

    def run(branch: CompiledBlock | None, slots: Slots, batch: Batch) -> list[Value]:
        return branch.call(slots, batch, ()) if branch else []

    def step(slots: Slots, batch: Batch) -> None:
        mask_of_then = slots[condition]
        shared = uniform_condition(mask_of_then)
        if shared is not None:
            values = run(branches[0 if shared else 1], slots, batch)
        else:
            group_results = GroupResults(batch.size)
            parts = zip((mask_of_then, ~mask_of_then), branches, [*needs, ()], strict=False)
            for mask, branch, needed in parts:
                group = whole_batch(slots, batch).subset(mask, needed)
                group_results.add(group.members, run(branch, group.slots, group.batch))
            values = group_results.merged()
        for slot, value in zip(results, values, strict=True):
            slots[slot] = value

    return step


def _trip_counts(low: np.ndarray, high: np.ndarray, step: np.ndarray) -> np.ndarray:
    low, high, step = (bound.astype(object) if bound.dtype == np.uint64 else bound.astype(np.int64)
                       for bound in (low, high, step))  # fmt: skip
    return np.maximum(-((low - high) // step), 0)


class _For:
    """The compiled parts of one scf.for."""

    def __init__(self, op: Operation, compiler: FunctionCompiler) -> None:
        assert isinstance(op, scf.ForOp)
        self.bounds = compiler.slots(op.bounds)
        self.initial = compiler.slots(op.init_args)
        self.results = compiler.slots(op.results)
        self.code = compiler.code(op.regions[0].blocks[0])
        self.captured = compiler.captured(op.regions[0])
        self.unsigned = any(name.startswith("unsigned") for name in op.properties)
        self.location = locations.position(op.location)

    def step(self, slots: Slots, batch: Batch) -> None:
        """Run the loop for a batch."""
        low, high, step = (slots[slot] for slot in self.bounds)
        bounds = [b.view(unsigned(b.dtype)) if self.unsigned else b for b in (low, high, step)]
        if not (bounds[2] > 0).all():
            raise LaunchError("a loop's step must be positive", location=self.location, found=step)
        trips = _trip_counts(*bounds)
        carried = [slots[slot] for slot in self.initial]
        if (trips == trips[0]).all():
            carried = self._iterate(slots, batch, low, step, range(int(trips[0])), carried)
        else:
            trips = np.broadcast_to(trips, (batch.size,))
            carried = self._run_shrinking_group(
                slots, batch, low, step, trips.astype(np.int64), carried
            )
        for slot, value in zip(self.results, carried, strict=True):
            slots[slot] = value

    def _iterate(
        self,
        slots: Slots,
        batch: Batch,
        low: np.ndarray,
        step: np.ndarray,
        iterations: range,
        carried: Sequence[Value],
    ) -> list[Value]:
        code, arguments, results = self.code, self.code.arguments, self.code.results
        for number in iterations:
            slots[arguments[0]] = low + step * step.dtype.type(number)
            for slot, value in zip(arguments[1:], carried, strict=True):
                slots[slot] = value
            code.run(slots, batch)
            carried = [slots[slot] for slot in results]
        return list(carried)

    def _run_shrinking_group(
        self,
        slots: Slots,
        batch: Batch,
        low: np.ndarray,
        step: np.ndarray,
        trips: np.ndarray,
        carried: list[Value],
    ) -> list[Value]:
        group_results = GroupResults(batch.size)
        group, first = whole_batch(slots.copy(), batch), 0
        for limit in np.unique(trips):
            iterations = range(first, int(limit))
            carried = self._iterate(group.slots, group.batch, low, step, iterations, carried)
            first = int(limit)
            stays = trips > limit
            leaving = index_of(np.flatnonzero(~stays))
            group_results.add(group.members[leaving], [take(value, leaving) for value in carried])
            if stays.any():
                index = index_of(np.flatnonzero(stays))
                group = group.subset(stays, self.captured)
                low, step = take(low, index), take(step, index)
                carried = [take(value, index) for value in carried]
                trips = trips[index]
        return group_results.merged()


@control(scf.ForOp)
def for_(op: Operation, compiler: FunctionCompiler) -> Step:
    """Run a counted loop."""
    return _For(op, compiler).step


class _While:
    """The compiled parts of one scf.while."""

    def __init__(self, op: Operation, compiler: FunctionCompiler) -> None:
        self.initial = compiler.slots(op.operands)
        self.results = compiler.slots(op.results)
        self.before, self.after = (compiler.code(region.blocks[0]) for region in op.regions)
        self.captured = compiler.captured(*op.regions)
        self.waits = any(waits_for_memory(inner) for r in op.regions for inner in operations(r))
        self.location = locations.position(op.location)

    def step(self, slots: Slots, batch: Batch) -> None:
        """Run the loop for a batch."""
        group_results = GroupResults(batch.size)
        group = whole_batch(slots, batch)
        carried: list[Value] = [slots[slot] for slot in self.initial]
        livelock = LivelockDetector(self.location)
        while True:
            condition, *forward = self.before.call(group.slots, group.batch, carried)
            shared = uniform_condition(condition)
            if shared is False:
                group_results.add(group.members, forward)
                break
            if shared is None:
                group, forward = self._leave(group_results, group, condition, forward)
            carried = self.after.call(group.slots, group.batch, forward)
            if self.waits:
                livelock.check(group.batch, carried)
        for slot, value in zip(self.results, group_results.merged(), strict=True):
            slots[slot] = value

    def _leave(
        self, group_results: GroupResults, group: Group, stays: np.ndarray, forward: list[Value]
    ) -> tuple[Group, list[Value]]:
        leaving, staying = (index_of(np.flatnonzero(mask)) for mask in (~stays, stays))
        group_results.add(group.members[leaving], [take(value, leaving) for value in forward])
        needed = group.subset(stays, self.captured)
        return needed, [take(value, staying) for value in forward]


def waits_for_memory(op: Operation) -> bool:
    """Check whether an operation can observe concurrent writes of another program; a call may."""
    if isinstance(op, tt.LoadOp):
        return flag_of(op, "isVolatile")
    return isinstance(op, tt.AtomicRMWOp | tt.AtomicCASOp | tt.CallOp)


@control(scf.WhileOp)
def while_(op: Operation, compiler: FunctionCompiler) -> Step:
    """Run a loop that tests its condition first."""
    return _While(op, compiler).step


@control(scf.ExecuteRegionOp)
def execute_region(op: Operation, compiler: FunctionCompiler) -> Step:
    """Run a region once.

    Raises:
        LaunchError: The region has several blocks.
    """
    if len(op.regions[0].blocks) != 1:
        raise LaunchError(
            "the interpreter runs scf.execute_region of one block only",
            location=locations.position(op.location),
            found=f"{len(op.regions[0].blocks)} blocks",
        )
    code, results = compiler.code(op.regions[0].blocks[0]), compiler.slots(op.results)

    def step(slots: Slots, batch: Batch) -> None:
        for slot, value in zip(results, code.call(slots, batch, ()), strict=True):
            slots[slot] = value

    return step
