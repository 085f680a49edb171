"""Build the card of a kernel: count its traffic and operations, and compare them with the chip.

    card = build_card(module, RegisterUse(registers=128, spill_bytes=0))
    card.occupancy.blocks, card.occupancy.limited_by          # 2, ("registers",)
    card.loaded_bytes, card.operations                        # per program, loops multiplied
    card.rooflines[0].limit, card.rooflines[0].share          # "memory", 0.41

Bytes are whole sectors that an operation touches; what caches save between operations and programs
is not known here. Loops whose
bounds are not constants count as 16 iterations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import prod

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from weft.errors import UnknownTargetError
from weft.explain.card_model import Card, Occupancy, RegisterUse, Roofline
from weft.explain.counts import UNKNOWN_ITERATIONS, Counts, count
from weft.explain.global_traffic import SECTOR_BYTES, TRAFFIC, writes_memory
from weft.explain.trip_counts import trip_counts
from weft.ir import tt, ttg, ttng, types
from weft.ir.enums import InputPrecision
from weft.ir.rewriting import walk
from weft.lowering_plans.dot import element_bits, operations_of
from weft.targets import Target, target
from weft.targets.boards import Board, boards
from weft.targets.multiprocessor import multiprocessor

__all__ = ["build_card"]

_DOTS = (
    tt.DotOp,
    tt.DotScaledOp,
    ttng.WarpGroupDotOp,
    ttng.TCGen5MMAOp,
    ttng.TCGen5MMAScaledOp,
)
_ARITHMETIC = {
    f"arith.{name}f"
    for name in ("add", "sub", "mul", "div", "maximum", "minimum", "maxnum", "minnum")
}
"""With the operations of `math`, what is counted of a tensor's arithmetic."""


def build_card(
    module: ModuleOp, use: RegisterUse | None = None, *, unknown: int = UNKNOWN_ITERATIONS
) -> Card:
    """Build the card of a module with layouts, final TTGIR as a rule.

    Args:
        module: The module; its "ttg.target" names the chip.
        use: Its registers, None if it was not assembled.
        unknown: The iterations of a loop whose trip count is not known.

    Raises:
        UnknownTargetError: The module is for a target that weft does not know.
    """
    counts = count(module)
    chip = target(counts.target)
    operations = tuple(sorted(_operations(module, unknown).items()))
    traffic = [
        (one, each, one.iterations(unknown))
        for one in counts.operations
        for each in one.instructions
        if each.kind in TRAFFIC
    ]
    moved = [0, 0]  # sectors that are loaded, and stored
    for one, each, times in traffic:
        moved[writes_memory(one, each)] += each.distinct_sectors * times
    requested = sum(each.sectors * times for _, each, times in traffic)
    shared = [
        (each, one.iterations(unknown))
        for one in counts.operations
        for each in one.instructions
        if each.wavefronts
    ]
    moved_bytes = SECTOR_BYTES * sum(moved)
    return Card(
        registers=None if use is None else use.registers,
        spill_bytes=None if use is None else use.spill_bytes,
        shared_bytes=counts.shared_bytes,
        occupancy=_occupancy(chip, counts, use),
        loaded_bytes=SECTOR_BYTES * moved[0],
        stored_bytes=SECTOR_BYTES * moved[1],
        requested_bytes=SECTOR_BYTES * requested,
        wavefronts=sum(each.wavefronts * times for each, times in shared),
        conflicts=sum(each.conflicts * times for each, times in shared),
        operations=operations,
        rooflines=tuple(
            _roofline(each, operations, moved_bytes)
            for each in boards(chip.name)
            if moved_bytes or operations
        ),
    )


def _iterations(op: Operation, unknown: int) -> int:
    return prod(unknown if trips is None else trips for trips in trip_counts(op))


def _operations(module: ModuleOp, unknown: int) -> Counter[str]:
    """Count the operations of a program: those of dots by operand type, and arithmetic."""
    totals: Counter[str] = Counter()
    for op in walk(module):
        if isinstance(op, _DOTS):
            totals[_operand_kind(op)] += operations_of(op) * _iterations(op, unknown)
        else:
            totals["f32"] += _arithmetic(op) * _iterations(op, unknown)
    return +totals


def _arithmetic(op: Operation) -> int:
    """Count the operations on floats of an elementwise operation or a reduction."""
    if isinstance(op, tt.ReduceOp | tt.ScanOp):
        return prod(types.shape(op.operands[0].type))
    if op.name not in _ARITHMETIC and not op.name.startswith("math."):
        return 0
    result = op.results[0].type
    factor = 2 if op.name == "math.fma" else 1
    return factor * prod(types.shape(result)) if types.is_tensor(result) else 0


def _operand_kind(op: Operation) -> str:
    """Find the kind of a dot, as the rates of boards are named."""
    if isinstance(op, tt.DotScaledOp | ttng.TCGen5MMAScaledOp):
        return {4: "f4", 16: "f16"}.get(element_bits(op), "f8")
    type_ = op.operands[0].type
    kind = type_.element_type if isinstance(type_, ttg.MemDescType) else types.element(type_)
    bits, element = types.bit_width(kind), str(kind)
    if bits == 32:
        precision = op.properties.get("inputPrecision")
        is_exact = precision is None or InputPrecision.of(precision).keyword == "ieee"
        return "f32" if is_exact else "tf32"
    if bits == 8:
        return "i8" if element.startswith("i") else "f8"
    return element


def _occupancy(chip: Target, counts: Counts, use: RegisterUse | None) -> Occupancy | None:
    """Compute how many blocks run at once."""
    shared, warps = counts.shared_bytes or 0, counts.num_warps
    registers = None if use is None else use.registers
    if chip.backend == "cuda":
        try:
            sm = multiprocessor(chip.name)
        except UnknownTargetError:
            return None
        limits = sm.resident_blocks(registers=registers, warps=warps, shared_bytes=shared)
        blocks = min(limits.values())
        return Occupancy(blocks, blocks * warps, sm.max_warps, "SM", tuple(limits.items()))
    if chip.backend != "hip" or not chip.simds_per_cu:
        return None
    return _amd_occupancy(chip, warps, shared, registers)


def _amd_occupancy(chip: Target, warps: int, shared: int, registers: int | None) -> Occupancy:
    """Compute how many blocks run at once on a compute unit; its SIMDs take warps in turn."""
    simds = chip.simds_per_cu
    limits: dict[str, int] = {}
    if registers:
        limits["registers"] = chip.warps_per_simd(registers) * simds // warps
    if shared:
        limits["shared memory"] = chip.lds_bytes // shared
    limits["warps"] = chip.max_warps_per_simd * simds // warps
    blocks = min(limits.values())
    of_simd = -(-blocks * warps // simds)
    return Occupancy(blocks, of_simd, chip.max_warps_per_simd, "SIMD", tuple(limits.items()))


def _roofline(board: Board, operations: Sequence[tuple[str, int]], moved_bytes: int) -> Roofline:
    """Compare the times of a program's bytes and operations at a board's peak rates."""
    memory = moved_bytes / (board.memory_gb_per_s * 1e9)
    times = dict(_times(board, operations))
    arithmetic = sum(times.values())
    total = sum(number for kind, number in operations if kind in times)
    balance = total / arithmetic / (board.memory_gb_per_s * 1e9) if arithmetic else 0.0
    is_memory = memory >= arithmetic
    return Roofline(
        board=board.name,
        balance=balance,
        limit="memory" if is_memory else max(times, key=lambda kind: times[kind]),
        share=arithmetic / memory if is_memory and memory else 1.0,
        assumed=board.assumed,
    )


def _times(board: Board, operations: Sequence[tuple[str, int]]) -> Iterator[tuple[str, float]]:
    """Yield the seconds of each kind of operations, of those that the board has a rate for."""
    for kind, number in operations:
        rate = board.tera(kind)
        if rate is not None:
            yield kind, number / (rate * 1e12)
