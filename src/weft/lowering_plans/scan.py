"""Plan a scan: shuffles between lanes, and an exchange for each run of warps or CTAs.

By hand, a row of 256 elements over 4 registers, 32 lanes and 2 warps:

    upwards     lanes: five steps of one shuffle for the thread's total
                warps: an exchange of two totals per row
    downwards   lanes: one shuffle, of the prefix of the lane before

`weft.codegen.lowering.scan` carries the plan out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod

from msgspec import Struct
from xdsl.ir import Operation

from weft.ir import types
from weft.layouts.cga import cta_tile_layout, cta_tile_shape
from weft.lowering_plans import lane_moves
from weft.lowering_plans.axis_runs import AxisRun, axis_runs, segment_bases
from weft.lowering_plans.instruction import Instruction
from weft.lowering_plans.partials import PartialsPlan, plan_partials
from weft.lowering_plans.properties import integer_property
from weft.lowering_plans.registers import layout_of, representative_registers
from weft.targets import Target

__all__ = ["ScanPlan", "plan_scan", "scan_bytes"]

_ALIGNMENT = 16
_BY_MEMORY = ("warp", "block")


class ScanPlan(Struct, frozen=True):
    """How a scan is carried out.

    Attributes:
        runs: The runs of the dimension, from the lowest bits up.
        groups: For each run the registers that hold its segments' totals when it begins.
        exchanges: The exchange of each run of warps or CTAs, by the index of the run.
        words: Words of 32 bits of the values of an element.
    """

    runs: tuple[AxisRun, ...]
    groups: tuple[tuple[int, ...], ...]
    exchanges: Mapping[int, PartialsPlan]
    words: int

    def broadcasts_total(self, index: int) -> bool:
        """Check whether every lane needs the total of a run of lanes: registers are above it."""
        return index + 1 < len(self.runs) and self.runs[index + 1].kind == "register"

    def instructions(self, target: Target, num_warps: int) -> Iterator[Instruction]:
        """Yield the instructions, with the barriers that the exchanges contain."""
        shuffles = 0
        for index, (run, groups) in enumerate(zip(self.runs, self.groups, strict=True)):
            if run.kind == "lane":
                # A step per lane bit, the total for every lane, and the prefix downwards.
                steps = len(run.bits) + self.broadcasts_total(index) + 1
                shuffles += len(groups) * steps
        if shuffles:
            yield Instruction("shuffle", 32, shuffles * self.words, num_warps)
        for index, exchange in self.exchanges.items():
            yield from exchange.instructions(self.groups[index], target.shared_memory)
            is_cluster = exchange.ctas > 1
            kind = "cluster barrier" if is_cluster else "barrier"
            yield Instruction(kind, 0, 2 if is_cluster else 1, num_warps)


def plan_scan(op: Operation) -> ScanPlan:
    """Plan a tt.scan.

    Raises:
        CodegenError: The layout of its operand cannot be scanned along the axis.
    """
    source = op.operands[0].type
    runs = axis_runs(source, integer_property(op, "axis"))
    groups = tuple(dict.fromkeys(representative_registers(layout_of(source))))
    groups_of_run: list[tuple[int, ...]] = []
    for run in runs:
        groups_of_run.append(groups)
        if run.kind == "register":
            groups = tuple(group for group in groups if not group & run.mask)
    words = sum(lane_moves.count_words(operand.type) for operand in op.operands)
    return ScanPlan(runs, tuple(groups_of_run), _plan_exchanges(op, runs), words)


def scan_bytes(op: Operation) -> int:
    """Count the bytes of a scan's exchanges: a value for each segment below each run of warps."""
    plans = plan_scan(op).exchanges.values()
    return max((plan.start + plan.slots * sum(plan.sizes) for plan in plans), default=0)


def _plan_exchanges(op: Operation, runs: tuple[AxisRun, ...]) -> dict[int, PartialsPlan]:
    """Plan the exchange of each run of warps or CTAs."""
    layout = layout_of(op.operands[0].type)
    sizes = [types.storage_bytes(operand.type) for operand in op.operands]
    elements = prod(cta_tile_shape(layout))
    table: dict[int, PartialsPlan] = {}
    start = dropped = 0
    for index, run in enumerate(runs):
        if run.kind in _BY_MEMORY:
            slots = elements >> dropped
            table[index] = plan_partials(
                sizes,
                slots,
                1 << len(run.bits) if run.kind == "warp" else 1,
                segment_bases(cta_tile_layout(layout), integer_property(op, "axis"), dropped),
                _holders(op, runs, index),
                start,
                1 << len(run.bits) if run.kind == "block" else 1,
            )
            start += -(-slots * sum(sizes) // _ALIGNMENT) * _ALIGNMENT
        dropped += len(run.bits)
    return table


def _holders(op: Operation, runs: tuple[AxisRun, ...], index: int) -> dict[str, tuple[int, int]]:
    """Find the threads that hold the totals of a run's segments: (mask, bits) per coordinate."""
    backwards = bool(integer_property(op, "reverse"))
    holders = {"lane": (0, 0), "warp": (0, 0)}
    for number, run in enumerate(runs[:index]):
        if run.kind in holders:
            mask, bits = holders[run.kind]
            # The lanes of the run just below have prefixes, so that the last has the total.
            last = (0 if backwards else run.mask) if number == index - 1 else 0
            holders[run.kind] = mask | run.mask, bits | last
    free = layout_of(op.operands[0].type).free_variable_masks()
    return {name: (mask | free.get(name, 0), bits) for name, (mask, bits) in holders.items()}
