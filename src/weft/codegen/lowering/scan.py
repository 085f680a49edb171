"""Scans: prefix combinations along a dimension, over registers, lanes, warps and CTAs.

By hand, a row of 256 elements over 4 registers (bits 0, 1), 32 lanes (bits 2–6) and 2 warps (bit
7), whose runs along the dimension are registers, lanes, warps (`axis_runs`). On the way up each run
computes prefixes of its elements, and passes the total of a segment to the run above:

    registers   prefixes of 4 neighbours; the last is the thread's total
    lanes       prefixes of the totals in five shuffle steps; the last lane has the warp's total
    warps       totals through shared memory; the prefix of the warps before this one

On the way down each run passes the prefix of everything before a segment to the run below it: the
warps' prefix to the lanes, the lanes' prefix to the registers, where it is combined with each
register's prefix:

    warp 1, lane 3, register 2:   total of warp 0 ∘ total of lanes 0–2 ∘ prefix of registers 0–2

The order of operands is kept, so the region needs to be associative, not commutative. A reversed
scan numbers every run from its end.
"""

from __future__ import annotations

from msgspec import Struct, field
from xdsl.ir import Operation

from weft.codegen.llvm.types import llvm_type
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.lane_exchange import shuffle_value
from weft.codegen.lowering.common.registers import representative_parts
from weft.codegen.lowering.common.scratch import scratch
from weft.codegen.lowering.common.warp_partials import WarpPartials, ctas_along
from weft.codegen.lowering.reduce import Values, inline_region
from weft.codegen.lowering.registry import lowers
from weft.ir import tt
from weft.lowering_plans.axis_runs import AxisRun
from weft.lowering_plans.properties import integer_property
from weft.lowering_plans.scan import ScanPlan, plan_scan, scan_bytes
from weft.targets import Target

Groups = dict[int, Values]  # by the register bits of the runs above
_BY_MEMORY = ("warp", "block")


class Before(Struct, frozen=True):
    """The prefix of everything before a segment.

    Attributes:
        values: The prefix, one value per operand.
        exists: An i1, whether anything is before the segment; "" for true.
    """

    values: Values
    exists: str = ""


class RunPrefixes(Struct, frozen=True):
    """What a run passes to the run below it, per segment.

    Attributes:
        before: Prefix before the segment; None if nothing is before it.
        through: Prefix that includes the segment; segments for which it is unknown are left out.
    """

    before: dict[int, Before | None]
    through: Groups


class Scan(Struct):
    """The state of a scan.

    Attributes:
        ctx: State of the function.
        op: The scan.
        plan: The runs, and the exchanges between warps.
        types: LLVM types of the operands.
        backwards: Whether the scan is reversed.
        prefixes: Prefixes within runs of registers and lanes, by the run's index.
        warps_before: Prefixes of the warps before this one, by the run's index.
    """

    ctx: LoweringContext
    op: Operation
    plan: ScanPlan
    types: tuple[str, ...]
    backwards: bool
    prefixes: dict[int, Groups] = field(default_factory=dict)
    warps_before: dict[int, dict[int, Before]] = field(default_factory=dict)

    def combine(self, earlier: Values, later: Values) -> Values:
        """Combine values in their order."""
        return inline_region(self.ctx, self.op.regions[0].block, (*earlier, *later))

    def choose(self, condition: str, a: Values, b: Values) -> Values:
        """Select a where a condition is true, otherwise b."""
        value = self.ctx.writer.value
        return tuple(
            value(f"select i1 {condition}, {type_} {x}, {type_} {y}")
            for type_, x, y in zip(self.types, a, b, strict=True)
        )

    def after(self, before: Before | None, own: Values) -> Values:
        """Combine values with the prefix before them, if there is one."""
        if before is None:
            return own
        both = self.combine(before.values, own)
        return self.choose(before.exists, both, own) if before.exists else both

    def order(self, run: AxisRun) -> list[int]:
        """List the indices along a run from the first to the last."""
        numbers = list(range(1 << len(run.bits)))
        return numbers[::-1] if self.backwards else numbers

    def last(self, run: AxisRun) -> int:
        """Get the bits of the last index of a run."""
        return 0 if self.backwards else run.mask


@scratch(tt.ScanOp)
def _bytes(op: tt.ScanOp, target: Target) -> int:
    """Count a value for each segment below each run of warps."""
    return scan_bytes(op)


@lowers(tt.ScanOp)
def _scan(ctx: LoweringContext, op: tt.ScanOp) -> None:
    plan = plan_scan(op)
    runs = plan.runs
    scan = Scan(
        ctx,
        op,
        plan,
        tuple(llvm_type(one.type) for one in op.operands),
        bool(integer_property(op, "reverse")),
    )
    firsts = representative_parts(op.operands[0].type)
    rows = list(zip(*(ctx[operand] for operand in op.operands), strict=True))
    elements = {register: rows[register] for register in dict.fromkeys(firsts)}
    # Upwards, each run computes prefixes within its segments, and passes their totals to the next.
    groups = elements
    for index in range(len(runs)):
        groups = _upwards(scan, index, groups)
    # Downwards, each run receives the prefix before its segment, and passes it to the run below.
    prefixes = RunPrefixes(dict.fromkeys(groups), {})
    for index in reversed(range(len(runs))):
        prefixes = _downwards(scan, runs[index], index, prefixes)
    final_values = {
        register: prefixes.through[register]
        if register in prefixes.through
        else scan.after(prefixes.before[register], own)
        for register, own in elements.items()
    }
    for n, result in enumerate(op.results):
        ctx.define(result, [final_values[first][n] for first in firsts])


def _upwards(scan: Scan, index: int, groups: Groups) -> Groups:
    """Compute the total of each segment, and store the prefixes for the downward pass."""
    run = scan.plan.runs[index]
    if run.kind in _BY_MEMORY:
        scan.warps_before[index], totals = _among_warps(scan, index, groups)
    elif run.kind == "register":
        scan.prefixes[index], totals = _in_registers(scan, run, groups)
    else:
        every = scan.plan.broadcasts_total(index)
        scan.prefixes[index], totals = _among_lanes(scan, run, groups, every=every)
    return totals


def _in_registers(scan: Scan, run: AxisRun, groups: Groups) -> tuple[Groups, Groups]:
    """Compute the prefix at each register, and the total of each segment."""
    prefixes: Groups = {}
    totals: Groups = {}
    order = [run.place(index) for index in scan.order(run)]
    for group in groups:
        if group & run.mask:
            continue
        total: Values | None = None
        for place in order:
            own = groups[group | place]
            total = own if total is None else scan.combine(total, own)
            prefixes[group | place] = total
        assert total is not None
        totals[group] = total
    return prefixes, totals


def _among_lanes(scan: Scan, run: AxisRun, groups: Groups, *, every: bool) -> tuple[Groups, Groups]:
    """Compute the prefix at this lane, and the total in the last lane or in every lane.

    Step n combines segments of 2^n lanes: the lanes of the later one read the total of the earlier
    one from its last lane. By hand, for 4 lanes: lane 1 reads lane 0, lane 3 reads lane 2; then
    lanes 2 and 3 read lane 1.
    """
    low, prefixes = scan.ctx, dict(groups)
    below = 0
    for bit in run.bits:
        # The last lane of the earlier half has its total; reversed, the first of the later half.
        own = 1 << bit
        source = own if scan.backwards else below
        below |= own
        later = low.threads.any_bit_set("lane", own)
        for group, values in prefixes.items():
            earlier = _read_lane(scan, values, below, source)
            both = scan.combine(earlier, values)
            pair = (values, both) if scan.backwards else (both, values)
            prefixes[group] = scan.choose(later, *pair)
    if not every:
        return prefixes, prefixes
    totals = {
        group: _read_lane(scan, values, run.mask, scan.last(run))
        for group, values in prefixes.items()
    }
    return prefixes, totals


def _read_lane(scan: Scan, values: Values, mask: int, bits: int) -> Values:
    """Read the values of lane `lane & ~mask | bits`."""
    low = scan.ctx
    return tuple(
        shuffle_value(
            low.writer,
            type_,
            value,
            lambda word: low.hardware.lanes.shuffle_within(low.writer, word, mask, bits),
        )
        for type_, value in zip(scan.types, values, strict=True)
    )


def _among_warps(scan: Scan, index: int, groups: Groups) -> tuple[dict[int, Before], Groups]:
    """Compute the prefix of the warps or CTAs before this one, and the total."""
    run, low, plan = scan.plan.runs[index], scan.ctx, scan.plan.exchanges[index]
    homes = ctas_along(low, run) if run.kind == "block" else []
    parts = WarpPartials(low, scan.op, plan, low.scratch_offset(scan.op), homes)
    read = parts.exchanged(groups)
    first = low.threads.has_bits(run.kind, run.mask, run.mask ^ scan.last(run))
    others = low.writer.value(f"xor i1 {first}, true")
    before: dict[int, Before] = {}
    totals: Groups = {}
    for group, values in read.items():
        order = scan.order(run)
        total = chosen = values[order[0]]
        for n, place in enumerate(order[1:], 2):
            total = scan.combine(total, values[place])
            if n < len(order):
                here = low.threads.has_bits(run.kind, run.mask, run.place(order[n]))
                chosen = scan.choose(here, total, chosen)
        before[group], totals[group] = Before(chosen, others), total
    return before, totals


def _downwards(scan: Scan, run: AxisRun, index: int, handed: RunPrefixes) -> RunPrefixes:
    """Propagate prefixes from a run to the run below it."""
    if run.kind == "register":
        return _to_registers(scan, run, scan.prefixes[index], handed, lowest=index == 0)
    if run.kind == "lane":
        return _to_lanes(scan, run, scan.prefixes[index], handed)
    before: dict[int, Before | None] = {
        group: _both(scan, handed.before[group], earlier)
        for group, earlier in scan.warps_before[index].items()
    }
    return RunPrefixes(before, {})


def _to_registers(
    scan: Scan, run: AxisRun, prefixes: Groups, handed: RunPrefixes, *, lowest: bool
) -> RunPrefixes:
    before: dict[int, Before | None] = {}
    through: Groups = {}
    order = [run.place(index) for index in scan.order(run)]
    for group, earlier in handed.before.items():
        reached = earlier
        for n, place in enumerate(order):
            register = group | place
            before[register] = reached
            if n == len(order) - 1:
                if group in handed.through:
                    through[register] = handed.through[group]
                if not lowest or group in handed.through:
                    continue
            through[register] = scan.after(earlier, prefixes[register])
            reached = Before(through[register])
    return RunPrefixes(before, through)


def _to_lanes(scan: Scan, run: AxisRun, prefixes: Groups, handed: RunPrefixes) -> RunPrefixes:
    """Pass each lane the prefix that includes the lane before it."""
    low = scan.ctx
    first = low.threads.has_bits("lane", run.mask, run.mask ^ scan.last(run))
    others = low.writer.value(f"xor i1 {first}, true")
    source = low.threads.adjacent("lane", run.mask, backwards=scan.backwards)
    before: dict[int, Before | None] = {}
    through: Groups = {}
    for group, earlier in handed.before.items():
        through[group] = scan.after(earlier, prefixes[group])
        previous = tuple(
            shuffle_value(
                low.writer,
                type_,
                value,
                lambda word: low.hardware.lanes.shuffle_index(low.writer, word, source),
            )
            for type_, value in zip(scan.types, through[group], strict=True)
        )
        if earlier is None:
            before[group] = Before(previous, others)
            continue
        exists = earlier.exists and low.writer.value(f"or i1 {others}, {earlier.exists}")
        before[group] = Before(scan.choose(first, earlier.values, previous), exists)
    return RunPrefixes(before, through)


def _both(scan: Scan, earlier: Before | None, later: Before) -> Before:
    """Combine two optional prefixes."""
    if earlier is None:
        return later
    both = scan.choose(later.exists, scan.combine(earlier.values, later.values), earlier.values)
    if not earlier.exists:
        return Before(both)
    value = scan.ctx.writer.value(f"or i1 {earlier.exists}, {later.exists}")
    return Before(scan.choose(earlier.exists, both, later.values), value)
