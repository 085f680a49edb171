"""Count the instructions of a module with layouts, by operation and by source line.

    counts = count(module)                       # final TTGIR; no LLVM, no GPU
    counts.kernel, counts.target, counts.num_warps, counts.shared_bytes

    for each in counts.operations:               # in the order of the IR, without arithmetic
        each.op, each.value, each.location       # "ttg.local_load", "%a", kernel.py:87
        each.iterations(16)                      # trip counts multiplied; 16 where unknown
        for instruction in each.instructions:    # of one execution of the operation
            instruction.kind, instruction.bits   # "matrix load", 128 (one of `KINDS`)
            instruction.count                    # in the text of a warp
            instruction.requests                 # of all warps of a CTA
            instruction.wavefronts, instruction.conflicts
            instruction.sectors, instruction.ideal_sectors

    counts.by_line()[87]                         # {("matrix load", 128): Total(…), …}
    counts.total("shared load").wavefronts       # of the program, loops multiplied

The counts come from the plans that code generation carries out (`weft.lowering_plans`), so they are
those of the LLVM IR. LLVM and ptxas may still merge or remove instructions; the tests of
tests/explain/test_machine_code.py say where.

`operation_instructions` of `weft.lowering_plans.operations` counts a single operation, with any
types: that is what a model needs that asks what another layout would cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from weft.analysis.axis_info import axis_info
from weft.errors import LayoutError, Location, WeftError
from weft.explain.inventory import launch_attributes
from weft.explain.labels import Labels
from weft.explain.source_lines import code_position
from weft.explain.trip_counts import trip_counts
from weft.ir import tt
from weft.ir.module_attributes import lookup_num_warps
from weft.ir.rewriting import walk
from weft.lowering_plans.instruction import KINDS, Instruction
from weft.lowering_plans.operations import PlanContext, operation_instructions
from weft.lowering_plans.tensor_memory import allocation_instructions
from weft.targets import target

__all__ = ["BETWEEN_OPERATIONS", "KINDS", "Counts", "OperationCount", "Total", "count"]

UNKNOWN_ITERATIONS = 16
"""The iterations of a loop whose trip count is not known, as in the costs of a report."""

BETWEEN_OPERATIONS = "between operations"
"""The name of a barrier that no operation has in its plan."""


@dataclass(frozen=True, slots=True)
class OperationCount:
    """The instructions of one operation.

    Attributes:
        op: The name of the operation.
        value: The name of its result, "" without one.
        location: The line of the kernel.
        trip_counts: The iterations of each enclosing loop, the outermost first; None if unknown.
        instructions: The instructions of one execution, of all warps that run the operation.
        error: Why the operation cannot be counted, "" if it is.
        code_position: The position that machine code has for it, which may be in the standard
            library; None if it has none.
        source: The operation in the IR that is lowered.
    """

    op: str
    value: str
    location: Location | None
    trip_counts: tuple[int | None, ...]
    instructions: tuple[Instruction, ...]
    error: str
    code_position: Location | None
    source: Operation

    def iterations(self, unknown: int = UNKNOWN_ITERATIONS) -> int:
        """Multiply the trip counts of the enclosing loops.

        Args:
            unknown: The iterations of a loop whose trip count is not known.
        """
        product = 1
        for trips in self.trip_counts:
            product *= unknown if trips is None else trips
        return product


@dataclass(frozen=True, slots=True)
class Total:
    """Instructions of one kind and width, of several operations.

    Attributes:
        text: The instructions in the text of a warp, loops counted once.
        requests: The instructions that all warps of a CTA execute.
        wavefronts: Their passes over the banks of shared memory.
        conflicts: The passes that bank conflicts add.
        sectors: The sectors of global memory that they touch.
        ideal_sectors: The sectors that would hold the accessed bytes without gaps.
    """

    text: int = 0
    requests: int = 0
    wavefronts: int = 0
    conflicts: int = 0
    sectors: int = 0
    ideal_sectors: int = 0

    def __add__(self, other: Total) -> Total:
        return Total(
            self.text + other.text,
            self.requests + other.requests,
            self.wavefronts + other.wavefronts,
            self.conflicts + other.conflicts,
            self.sectors + other.sectors,
            self.ideal_sectors + other.ideal_sectors,
        )


@dataclass(frozen=True, slots=True)
class Counts:
    """The instructions of a kernel.

    Attributes:
        kernel: The name of the kernel.
        target: The name of the target: "cuda:90".
        num_warps: The warps of a CTA.
        shared_bytes: The shared memory of a CTA; None if the kernel cannot be lowered.
        operations: The operations with instructions of a kind that is counted.
        module: The IR that is lowered, which has these operations; it may be a copy.
    """

    kernel: str
    target: str
    num_warps: int
    shared_bytes: int | None
    operations: tuple[OperationCount, ...]
    module: ModuleOp

    def total(
        self, kind: str, bits: int | None = None, *, unknown: int = UNKNOWN_ITERATIONS
    ) -> Total:
        """Add up the instructions of a kind.

        Args:
            kind: One of KINDS.
            bits: The width; None for all widths.
            unknown: The iterations of a loop whose trip count is not known.
        """
        return _add(
            _total(each, one.iterations(unknown))
            for one in self.operations
            for each in one.instructions
            if each.kind == kind and bits in (None, each.bits)
        )

    def by_line(
        self, *, unknown: int = UNKNOWN_ITERATIONS
    ) -> dict[int | None, dict[tuple[str, int], Total]]:
        """Add up the instructions of each line of the kernel, by kind and width.

        Args:
            unknown: The iterations of a loop whose trip count is not known.

        Returns:
            Line → (kind, bits) → total. The line is None for operations without a location.
        """
        lines: dict[int | None, dict[tuple[str, int], Total]] = {}
        for one in self.operations:
            number = None if one.location is None else one.location.line
            totals = lines.setdefault(number, {})
            for each in one.instructions:
                key = each.kind, each.bits
                total = _total(each, one.iterations(unknown))
                totals[key] = totals.get(key, Total()) + total
        return lines


def _total(instruction: Instruction, iterations: int) -> Total:
    return Total(
        instruction.count,
        instruction.requests * iterations,
        instruction.wavefronts * iterations,
        instruction.conflicts * iterations,
        instruction.sectors * iterations,
        instruction.ideal_sectors * iterations,
    )


def _add(totals: Iterable[Total]) -> Total:
    result = Total()
    for total in totals:
        result += total
    return result


def count(module: ModuleOp) -> Counts:
    """Count the instructions of a module with layouts, final TTGIR as a rule.

    Before the passes that allocate shared memory, barriers between operations are counted where
    code generation would put them; if the module cannot be lowered, they are left out.

    Args:
        module: The module; its "ttg.target" names the chip.

    Raises:
        UnknownTargetError: The module is for a target that weft does not know.
    """
    launch = launch_attributes(module)
    lowered = _lowered(module)
    context = PlanContext(target(launch.target), axis_info(lowered.module), lowered.scratch_bytes)
    return Counts(
        launch.kernel,
        launch.target,
        launch.num_warps,
        lowered.shared_bytes,
        tuple(_operations(lowered, context)),
        lowered.module,
    )


@dataclass(frozen=True, slots=True)
class _Lowered:
    """The module that is lowered.

    Attributes:
        module: The module, with the changes of passes before code generation.
        shared_bytes: The shared memory of a CTA; None if the module cannot be lowered.
        barriers: Operations that a barrier precedes.
        scratch_bytes: Finds the scratch memory of an operation.
        allocates_columns: Whether the kernel allocates tensor memory.
    """

    module: ModuleOp
    shared_bytes: int | None = None
    barriers: frozenset[Operation] = frozenset()
    scratch_bytes: Callable[[Operation], int | None] = lambda op: None
    allocates_columns: bool = False


def _lowered(module: ModuleOp) -> _Lowered:
    """Find the module that is lowered, its shared memory, barriers and scratch memory."""
    from weft.compiler.machine_code import plan_memory

    try:
        planned = plan_memory(module)
    except WeftError:
        planned = None  # an operation that cannot be lowered
    if planned is None:
        return _Lowered(module)
    prepared, memory = planned
    return _Lowered(
        prepared,
        memory.shared_bytes,
        memory.barriers,
        memory.scratch.get,
        memory.allocates_columns,
    )


def _operations(lowered: _Lowered, context: PlanContext) -> Iterator[OperationCount]:
    """Yield the operations that have instructions, or cannot be counted."""
    labels = Labels(lowered.module)
    for op in walk(lowered.module):
        instructions, error = _instructions(op, lowered, context)
        if instructions or error:
            yield OperationCount(
                op=op.name,
                value=labels.value(op.results[0]) if op.results else "",
                location=labels.line(op),
                trip_counts=trip_counts(op),
                instructions=instructions,
                error=error,
                code_position=code_position(op),
                source=op,
            )


def _instructions(
    op: Operation, lowered: _Lowered, context: PlanContext
) -> tuple[tuple[Instruction, ...], str]:
    """Count an operation and the barrier before it; return why if it cannot be counted."""
    instructions: tuple[Instruction, ...] = ()
    if isinstance(op, tt.FuncOp):
        if op.is_public and lowered.allocates_columns:
            instructions = allocation_instructions(lookup_num_warps(op))
        return instructions, ""
    if op in lowered.barriers:
        warps = lookup_num_warps(op)
        kind = "barrier" if warps > 1 else "warp barrier"
        instructions = (Instruction(kind, 0, 1, warps, name=BETWEEN_OPERATIONS),)
    try:
        return instructions + operation_instructions(op, context), ""
    except LayoutError as problem:
        return instructions, str(problem)
    except WeftError as problem:
        return instructions, problem.message
