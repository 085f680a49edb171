"""Turn a function into lists of closures, once, so that a launch never walks IR.

Every SSA value of a function gets a slot, a place in one Python list. An operation becomes a
step, a closure that reads and writes slots:

    %6 = arith.addi %4, %5        step: slots[6] = f(slots[4], slots[5])

A value is dropped from its slot after its last use, so that numpy gets the memory of a tile
back while it is still in the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from xdsl.ir import Block, Operation, Region, SSAValue

from weft.errors import Location
from weft.interpreter.batch import Batch
from weft.interpreter.registry import Evaluate, Slots, Step, row_for
from weft.interpreter.tally import computed_by
from weft.ir import locations

TERMINATORS = frozenset(
    {
        "scf.yield",
        "scf.condition",
        "tt.return",
        "tt.reduce.return",
        "tt.scan.return",
        "tt.map_elementwise.return",
        "cf.br",
        "cf.cond_br",
    }
)


@dataclass(frozen=True, slots=True)
class Code:
    """A compiled block.

    Args: arguments: slots of its arguments.  steps: what to run.  results: slots of the
          terminator's operands.  terminator: the operation, None for an empty block.
    """

    arguments: tuple[int, ...]
    steps: tuple[Step, ...]
    results: tuple[int, ...]
    terminator: Operation | None

    @property
    def location(self) -> Location | None:
        """Where the source says the block's end."""
        return locations.position(self.terminator.location) if self.terminator else None

    def run(self, slots: Slots, batch: Batch) -> None:
        """Run the steps; the arguments' slots are set already."""
        for step in self.steps:
            step(slots, batch)

    def call(self, slots: Slots, batch: Batch, arguments: Iterable[object]) -> list[Any]:
        """Set the arguments, run, and return the terminator's operands."""
        for slot, value in zip(self.arguments, arguments, strict=True):
            slots[slot] = value
        self.run(slots, batch)
        return [slots[slot] for slot in self.results]


class Scope:
    """Hand out the slots of one function and compile its blocks.

    Args: call: resolves the name of a callee to what runs it.
    """

    def __init__(self, call: Callable[[str, Operation], Evaluate]) -> None:
        self.call = call
        self._slots: dict[SSAValue, int] = {}

    def __len__(self) -> int:
        return len(self._slots)

    def slot(self, value: SSAValue) -> int:
        """Return the slot of a value, a new one on first sight."""
        return self._slots.setdefault(value, len(self._slots))

    def slots(self, values: Iterable[SSAValue]) -> tuple[int, ...]:
        """Return the slots of some values."""
        return tuple(self.slot(value) for value in values)

    def captured(self, *regions: Region) -> tuple[int, ...]:
        """Return the slots that regions read and that are defined outside of them."""
        found: dict[int, None] = {}
        for region in regions:
            inside = set(defined_in(region))
            for op in operations(region):
                found.update((self.slot(v), None) for v in op.operands if v not in inside)
        return tuple(found)

    def code(self, block: Block) -> Code:
        """Compile a block."""
        arguments = self.slots(block.args)
        steps: list[Step] = []
        terminator: Operation | None = None
        dying = _last_uses(block)
        for op in block.ops:
            if op.name in TERMINATORS:
                terminator = op
                break
            steps.append(self._step(op))
            if doomed := tuple(self.slot(value) for value in dying.get(op, ())):
                steps.append(_drop(doomed))
        results = self.slots(terminator.operands) if terminator else ()
        return Code(arguments, tuple(steps), results, terminator)

    def _step(self, op: Operation) -> Step:
        row = row_for(op)
        if row.kind == "control":
            return row.compile(op, self)  # pyright: ignore[reportReturnType]
        evaluate = row.compile(op)
        operands, results = self.slots(op.operands), self.slots(op.results)
        make = _pure_step if row.kind == "pure" else _effect_step
        step, computed = make(evaluate, operands, results), computed_by(op)
        return step if computed is None else _counted(step, *computed)


def operations(region: Region) -> Iterator[Operation]:
    """Yield the operations of a region, those of nested regions included."""
    for block in region.blocks:
        for op in block.ops:
            yield op
            for nested in op.regions:
                yield from operations(nested)


def defined_in(region: Region) -> Iterator[SSAValue]:
    """Yield every value that a region defines, nested regions included."""
    for block in region.blocks:
        yield from block.args
    for op in operations(region):
        yield from op.results
        for nested in op.regions:
            for block in nested.blocks:
                yield from block.args


def _last_uses(block: Block) -> dict[Operation, list[SSAValue]]:
    """Return for each operation of a block the values of the block that nothing needs after it."""
    last: dict[SSAValue, Operation] = {}
    own: set[SSAValue] = set(block.args)
    for op in block.ops:
        own.update(op.results)
    for op in block.ops:
        reads = [*op.operands, *(v for r in op.regions for o in operations(r) for v in o.operands)]
        for value in reads:
            if value in own:
                last[value] = op
    dying: dict[Operation, list[SSAValue]] = {}
    for value, op in last.items():
        if all(_within(use.operation, block) for use in value.uses):
            dying.setdefault(op, []).append(value)
    return dying


def _within(op: Operation, block: Block) -> bool:
    parent: Block | None = op.parent_block()
    while parent is not None and parent is not block:
        owner = parent.parent_op()
        parent = owner.parent_block() if owner is not None else None
    return parent is block


def _drop(doomed: tuple[int, ...]) -> Step:
    def step(slots: Slots, batch: Batch) -> None:
        for slot in doomed:
            slots[slot] = None

    return step


def _pure_step(f: Evaluate, operands: tuple[int, ...], results: tuple[int, ...]) -> Step:
    match operands, results:
        case (), (result,):

            def none(slots: Slots, batch: Batch) -> None:
                slots[result] = f()

            return none
        case (a,), (result,):

            def one(slots: Slots, batch: Batch) -> None:
                slots[result] = f(slots[a])

            return one
        case (a, b), (result,):

            def two(slots: Slots, batch: Batch) -> None:
                slots[result] = f(slots[a], slots[b])

            return two

    def general(slots: Slots, batch: Batch) -> None:
        _assign(slots, results, f(*[slots[slot] for slot in operands]))

    return general


def _counted(step: Step, kind: str, operations: int) -> Step:
    """Return a step that says how many operations it is, where somebody counts."""

    def counted(slots: Slots, batch: Batch) -> None:
        step(slots, batch)
        if batch.launch.tally is not None:
            batch.launch.tally.computed(batch, kind, operations)

    return counted


def _effect_step(f: Evaluate, operands: tuple[int, ...], results: tuple[int, ...]) -> Step:
    def step(slots: Slots, batch: Batch) -> None:
        _assign(slots, results, f(batch, *[slots[slot] for slot in operands]))

    return step


def _assign(slots: Slots, results: tuple[int, ...], value: Any) -> None:
    if len(results) == 1:
        slots[results[0]] = value
    elif results:
        for slot, item in zip(results, value, strict=True):
            slots[slot] = item
