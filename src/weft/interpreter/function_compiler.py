"""Compiles a function into lists of closures, once, so that a launch does not walk the IR.

Every SSA value of a function has a slot: an index into one Python list. An operation becomes a
step: a closure that reads and writes slots.

    %6 = arith.addi %4, %5        step: slots[6] = f(slots[4], slots[5])

A slot is cleared after the last use of its value, so that numpy reuses the memory of a tile while
it is still in the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from xdsl.ir import Block, Operation, Region, SSAValue

from weft.errors import Location
from weft.interpreter.launch_statistics import dot_operations
from weft.interpreter.program_batch import Batch
from weft.interpreter.registry import Evaluate, Slots, Step, row_for
from weft.ir import locations

TERMINATORS = frozenset(
    {
        "scf.yield",
        "scf.condition",
        "tt.return",
        "tt.reduce.return",
        "tt.scan.return",
        "tt.map_elementwise.return",
        "ttg.mask.return",
        "ttg.warp_return",
        "ttg.warp_yield",
        "nvws.warp_group.return",
        "nvws.warp_group.yield",
        "cf.br",
        "cf.cond_br",
    }
)


@dataclass(frozen=True, slots=True)
class CompiledBlock:
    """A compiled block.

    Attributes:
        arguments: The slots of the block arguments.
        steps: The closures to run.
        results: The slots of the operands of the terminator.
        terminator: The terminator, None for an empty block.
        origins: The operation that each step was compiled from.
    """

    arguments: tuple[int, ...]
    steps: tuple[Step, ...]
    results: tuple[int, ...]
    terminator: Operation | None
    origins: tuple[Operation, ...] = ()

    @property
    def location(self) -> Location | None:
        """The source location of the terminator."""
        return locations.position(self.terminator.location) if self.terminator else None

    def run(self, slots: Slots, batch: Batch) -> None:
        """Run the steps; the slots of the arguments are set already."""
        step = None
        try:
            for step in self.steps:
                step(slots, batch)
        except KeyboardInterrupt as interruption:
            if step is not None and not interruption.args:  # the innermost block names the line
                origin = self.origins[self.steps.index(step)]
                location = locations.position(origin.location)
                place = f" at {location.one_line()}" if location else ""
                program = f"program {batch.program(0)}"
                interruption.args = (f"in kernel {batch.launch.kernel}, {program}{place}",)
            raise

    def call(self, slots: Slots, batch: Batch, arguments: Iterable[object]) -> list[Any]:
        """Set the arguments, run the steps, and return the operands of the terminator."""
        for slot, value in zip(self.arguments, arguments, strict=True):
            slots[slot] = value
        self.run(slots, batch)
        return [slots[slot] for slot in self.results]


class FunctionCompiler:
    """Assigns the slots of one function and compiles its blocks.

    Args:
        call: Resolves the name of a callee to a closure that runs it.
    """

    def __init__(self, call: Callable[[str, Operation], Evaluate]) -> None:
        self.call = call
        self._slots: dict[SSAValue, int] = {}

    def __len__(self) -> int:
        return len(self._slots)

    def slot(self, value: SSAValue) -> int:
        """Look up the slot of a value, or assign a new one."""
        return self._slots.setdefault(value, len(self._slots))

    def slots(self, values: Iterable[SSAValue]) -> tuple[int, ...]:
        """Look up the slots of some values."""
        return tuple(self.slot(value) for value in values)

    def captured(self, *regions: Region) -> tuple[int, ...]:
        """List the slots that regions read and that are defined outside of them."""
        slots: dict[int, None] = {}
        for region in regions:
            inside = set(defined_in(region))
            for op in operations(region):
                slots.update((self.slot(v), None) for v in op.operands if v not in inside)
        return tuple(slots)

    def code(self, block: Block) -> CompiledBlock:
        """Compile a block."""
        arguments = self.slots(block.args)
        steps: list[Step] = []
        origins: list[Operation] = []
        terminator: Operation | None = None
        last_uses = _last_uses(block)
        for op in block.ops:
            if op.name in TERMINATORS:
                terminator = op
                break
            steps.append(self._step(op))
            if unused := tuple(self.slot(value) for value in last_uses.get(op, ())):
                steps.append(_clear(unused))
            origins += [op] * (len(steps) - len(origins))
        results = self.slots(terminator.operands) if terminator else ()
        return CompiledBlock(arguments, tuple(steps), results, terminator, tuple(origins))

    def _step(self, op: Operation) -> Step:
        row = row_for(op)
        if row.kind == "control":
            return row.compile(op, self)  # pyright: ignore[reportReturnType]
        evaluate = row.compile(op)
        operands, results = self.slots(op.operands), self.slots(op.results)
        make = _pure_step if row.kind == "pure" else _effect_step
        step, dot = make(evaluate, operands, results), dot_operations(op)
        return step if dot is None else _count_dot(step, *dot)


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
    """Find for each operation of a block the values of the block that it is the last to use."""
    last: dict[SSAValue, Operation] = {}
    own: set[SSAValue] = set(block.args)
    for op in block.ops:
        own.update(op.results)
    for op in block.ops:
        reads = [*op.operands, *(v for r in op.regions for o in operations(r) for v in o.operands)]
        for value in reads:
            if value in own:
                last[value] = op
    last_uses: dict[Operation, list[SSAValue]] = {}
    for value, op in last.items():
        if all(_within(use.operation, block) for use in value.uses):
            last_uses.setdefault(op, []).append(value)
    return last_uses


def _within(op: Operation, block: Block) -> bool:
    parent: Block | None = op.parent_block()
    while parent is not None and parent is not block:
        owner = parent.parent_op()
        parent = owner.parent_block() if owner is not None else None
    return parent is block


def _clear(unused: tuple[int, ...]) -> Step:
    def step(slots: Slots, batch: Batch) -> None:
        for slot in unused:
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


def _count_dot(step: Step, kind: str, operations: int) -> Step:
    """Wrap the step of a dot so that it counts its operations, if the launch has statistics."""

    def step_and_count(slots: Slots, batch: Batch) -> None:
        step(slots, batch)
        if batch.launch.statistics is not None:
            batch.launch.statistics.count_dot(batch.size, kind, operations)

    return step_and_count


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
