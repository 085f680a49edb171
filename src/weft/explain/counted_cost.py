"""The counted cost of a compile: the measure by which an edit of a kernel is better or worse.

    cost = counted_cost(module)              # final TTGIR
    cost.total                               # quarter cycles of one SM, of one program
    cost.quantities["conversions"]           # what text prints as before → after

The counts are those of `weft.explain.counts`, from the plans of code generation. Instructions of
all warps are priced in quarter cycles of one SM or CU and added up: throughput, not the latency of
one warp. The unit is the time in which one of the four schedulers of an NVIDIA SM issues an
instruction of one warp. Resources are added, not overlapped. The sum orders compiles of one kernel;
it does not predict time.

Prices, in quarter cycles (CUDA C++ Programming Guide, "Arithmetic Instructions"; AMD's ISA guides
of CDNA3 and RDNA3; docs/decisions, "The cost of a layout assignment"):

    count                               NVIDIA  CDNA  RDNA
    instruction of a warp                    1     4     2   four schedulers; 4 × 16, 2 × 32 lanes
    shuffle of 32 bits                       4     8     4   32 results per cycle
    pass over the banks                      4     4     4   128 bytes per cycle
    barrier                                 80    80    80   assumed: 20 cycles
    request to global memory                 4    16     8   one per cycle; 16 addresses per cycle
    sector of 32 bytes                       3     4     4   between L2, L1 and registers
    1024 multiply-adds of 16 bits, MMA       4     4     8
    1024 multiply-adds, FMA                 32    64    64   an instruction of a warp, per lane

Arithmetic on tensors, DRAM, occupancy and the overlap of copies with arithmetic are not counted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from xdsl.dialects.builtin import ModuleOp

from weft.explain.counts import OperationCount, count
from weft.explain.dots import DotWork, dot_work
from weft.explain.labels import tensor_bytes
from weft.explain.loop_iterations import LoopIterations
from weft.ir.rewriting import walk
from weft.ir.ttg import ConvertLayoutOp
from weft.lowering_plans.instruction import Instruction
from weft.targets import Target, target

__all__ = ["CountedCost", "Prices", "counted_cost", "prices_of"]

PARTS = ("conversion", "memory", "shared", "dot")
_GLOBAL = ("global load", "global store", "global atomic", "async copy", "tile copy")
_BARRIERS = ("barrier", "cluster barrier")


@dataclass(frozen=True, slots=True)
class Prices:
    """Quarter cycles per count; the fields are the rows of the table above."""

    instruction: int
    shuffle: int
    wavefront: int
    barrier: int
    request: int
    sector: int
    mma: Fraction
    fma: Fraction


_NVIDIA = Prices(1, 4, 4, 80, 4, 3, Fraction(4, 1024), Fraction(32, 1024))
_CDNA = Prices(4, 8, 4, 80, 16, 4, Fraction(4, 1024), Fraction(64, 1024))
_RDNA = Prices(2, 4, 4, 80, 8, 4, Fraction(8, 1024), Fraction(64, 1024))


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

    prices: Prices
    parts: dict[str, Fraction] = field(
        default_factory=lambda: dict.fromkeys((*PARTS, "other"), Fraction(0))
    )
    quantities: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_QUANTITIES, 0))
    loaded: int = 0
    stored: int = 0

    def add(self, one: OperationCount, iterations: int) -> None:
        """Add the instructions of an operation."""
        is_conversion = isinstance(one.source, ConvertLayoutOp)
        if is_conversion and any(each.kind != "barrier" for each in one.instructions):
            size = tensor_bytes(one.source.operands[0].type)
            self.quantities["conversions"] += 1
            self.quantities["bytes converted"] += size
            self.quantities["bytes converted in loops"] += size if one.trip_counts else 0
        for each in one.instructions:
            price = self._price(each) * iterations
            self.parts["conversion" if is_conversion else _part(each)] += price
            self._count(each, iterations)

    def add_dot(self, work: DotWork, iterations: int) -> None:
        """Add the multiply-adds of a dot; larger elements have a lower rate of matrix units."""
        prices = self.prices
        price = prices.mma * Fraction(work.bits, 16) if work.is_matrix else prices.fma
        self.parts["dot"] += work.multiply_adds * iterations * price
        if not work.is_matrix:
            self.quantities["multiply-adds by FMA"] += work.multiply_adds * iterations

    def _price(self, each: Instruction) -> int:
        prices = self.prices
        if each.kind in _BARRIERS:
            return each.count * prices.barrier
        cost = each.requests * prices.instruction + each.wavefronts * prices.wavefront
        if each.kind == "shuffle":
            cost += each.requests * prices.shuffle
        if each.kind in _GLOBAL:
            cost += each.requests * prices.request + each.sectors * prices.sector
        return cost

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
    sum_ = _Sum(prices_of(target(counts.target)))
    for one in counts.operations:
        sum_.add(one, loops.around(one.source))
    for op in walk(module):
        work = dot_work(op)
        if work is not None:
            sum_.add_dot(work, loops.around(op))
    return CountedCost(
        sum(sum_.parts.values(), Fraction(0)),
        sum_.parts,
        sum_.quantities,
        sum_.loaded,
        sum_.stored,
        counts.shared_bytes,
        loops.is_certain,
    )


def prices_of(chip: Target) -> Prices:
    """Look up the prices of a chip."""
    if chip.backend == "cuda":
        return _NVIDIA
    return _CDNA if chip.threads_per_warp == 64 else _RDNA
