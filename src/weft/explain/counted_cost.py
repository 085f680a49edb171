"""The counted cost of a compile: the measure by which an edit of a kernel is better or worse.

    cost = counted_cost(module)              # final TTGIR
    cost.total                               # quarter cycles of one SM, of one program
    cost.quantities["conversions"]           # what text prints as before → after

The counts are those of the plans of code generation (`weft.explain.counts`), and of the arithmetic
of tensors, which plans leave out. Counts and prices are those of the optimum
(`weft.optimum.costs`): the instructions of all warps in quarter cycles of one SM or CU, added up,
throughput and not the latency of one warp. The sum orders compiles of one kernel; it does not
predict time. It differs from `weft.optimum.module_cost` in three counts, which no choice of layouts
can use: barriers between operations, which are placed after it; copies of tiles and dots in tensor
memory, which have no layouts; and loops with bounds that follow from assumed arguments.

DRAM, occupancy and the overlap of copies with arithmetic are not counted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from weft.explain.counts import OperationCount, count
from weft.explain.dots import dot_work
from weft.explain.labels import tensor_bytes
from weft.explain.loop_iterations import LoopIterations
from weft.ir import types
from weft.ir.rewriting import walk
from weft.ir.ttg import ConvertLayoutOp
from weft.lowering_plans.instruction import Instruction
from weft.optimum.alternatives import layouts_of_member
from weft.optimum.costs import OperationCosts, Work
from weft.optimum.costs.conversions import conversion_arithmetic
from weft.optimum.costs.dots import matrix_unit_work
from weft.targets import target

__all__ = ["CountedCost", "counted_cost"]

PARTS = ("conversion", "memory", "shared", "dot")
_GLOBAL = ("global load", "global store", "global atomic", "async copy", "tile copy")
_BARRIERS = ("barrier", "cluster barrier")


@dataclass(frozen=True, slots=True)
class CountedCost:
    """What one program of a compile does, loops multiplied.

    Attributes:
        total: The sum of all priced counts, in quarter cycles of one SM or CU.
        parts: The share of what findings are about: "conversion", "memory" (global), "shared"
            (without conversions) and "dot".
        quantities: The counts by name, in the order in which they are printed.
        loaded: Sectors that would hold what the program loads from global memory.
        stored: Sectors that would hold what it stores, atomically or not.
        shared_bytes: The shared memory of a CTA; None if the kernel cannot be lowered.
        is_certain: Whether the trip counts of all loops follow from the arguments.
    """

    total: Fraction
    parts: dict[str, Fraction]
    quantities: dict[str, int]
    loaded: int
    stored: int
    shared_bytes: int | None
    is_certain: bool


@dataclass
class _Sum:
    """A sum under construction."""

    costs: OperationCosts
    parts: dict[str, int] = field(default_factory=lambda: dict.fromkeys((*PARTS, "other"), 0))
    quantities: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_QUANTITIES, 0))
    loaded: int = 0
    stored: int = 0

    def add(self, one: OperationCount, iterations: int) -> None:
        """Add the instructions of an operation."""
        op = one.source
        is_conversion = isinstance(op, ConvertLayoutOp)
        if is_conversion and any(each.kind != "barrier" for each in one.instructions):
            size = tensor_bytes(op.operands[0].type)
            self.quantities["conversions"] += 1
            self.quantities["bytes converted"] += size
            self.quantities["bytes converted in loops"] += size if one.trip_counts else 0
        for each in one.instructions:
            self._price(
                "conversion" if is_conversion else _part(each),
                self.costs.instruction(op, each),
                iterations,
            )
            self._count(each, iterations)

    def add_arithmetic(self, op: Operation, iterations: int) -> None:
        """Add the work that the instructions of an operation leave out."""
        if isinstance(op, ConvertLayoutOp):
            self._price("conversion", self._selects(op), iterations)
            return
        work, dot = self.costs.arithmetic(op, *layouts_of_member(op)), dot_work(op)
        if dot is None:
            self._price("other", work, iterations)
            return
        if not any(types.is_tensor(result.type) for result in op.results):
            work = matrix_unit_work(dot.multiply_adds, dot.bits)  # in tensor memory
        self._price("dot", work, iterations)
        if not dot.is_matrix:
            self.quantities["multiply-adds by FMA"] += dot.multiply_adds * iterations

    def _price(self, part: str, work: Work, iterations: int) -> None:
        self.parts[part] += self.costs.prices.cost(work) * iterations

    def _selects(self, op: ConvertLayoutOp) -> Work:
        before, after = types.encoding(op.src.type), types.encoding(op.result.type)
        assert before is not None
        assert after is not None
        shape, bits = types.shape(op.src.type), types.bit_width(types.element(op.src.type))
        return conversion_arithmetic(before, after, shape, bits, self.costs.context.target)

    def _count(self, each: Instruction, iterations: int) -> None:
        def add(name: str, number: int) -> None:
            self.quantities[name] += number * iterations

        add("shared wavefronts", each.wavefronts)
        add("bank conflicts", each.conflicts)
        add("global sectors", each.sectors)
        if each.kind in _GLOBAL:
            add("global instructions", each.requests)
            if each.kind in ("global store", "global atomic") or each.name == "store":
                self.stored += each.ideal_sectors * iterations
            else:
                self.loaded += each.ideal_sectors * iterations
        if each.kind == "shuffle":
            add("shuffles", each.requests)
        if each.kind in _BARRIERS:
            add("barriers", each.count)
        if each.kind == "mma":
            add("MMA instructions", each.requests)


_QUANTITIES = (
    "conversions",
    "bytes converted",
    "bytes converted in loops",
    "global sectors",
    "global instructions",
    "shared wavefronts",
    "bank conflicts",
    "shuffles",
    "barriers",
    "MMA instructions",
    "multiply-adds by FMA",
)


def _part(each: Instruction) -> str:
    if each.kind in _GLOBAL:
        return "memory"
    if each.wavefronts:
        return "shared"
    return "dot" if each.kind == "mma" else "other"


def counted_cost(module: ModuleOp, iterations: LoopIterations | None = None) -> CountedCost:
    """Count and price a module with layouts.

    Args:
        module: Final TTGIR.
        iterations: The iterations of its loops; None for those of `LoopIterations()`.

    Raises:
        UnknownTargetError: The module is for a target that weft does not know.
    """
    loops = LoopIterations() if iterations is None else iterations
    counts = count(module)
    sum_ = _Sum(OperationCosts.of(counts.module, target(counts.target)))
    for one in counts.operations:
        sum_.add(one, loops.around(one.source))
    for op in walk(counts.module):
        sum_.add_arithmetic(op, loops.around(op))
    parts = {name: Fraction(part) for name, part in sum_.parts.items()}
    return CountedCost(
        sum(parts.values(), Fraction(0)),
        parts,
        sum_.quantities,
        sum_.loaded,
        sum_.stored,
        counts.shared_bytes,
        loops.is_certain,
    )
