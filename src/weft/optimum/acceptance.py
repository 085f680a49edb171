"""Decide whether another layout assignment is likely to take less time.

                     on-chip   DRAM   requests   barriers
    heuristics          4001   4032         42          1
    optimum             2951   4032         74          0     max(4001, 4032) = max(2951, 4032): no

Costs are a sum of on-chip work (`weft.optimum.costs`). The sum differs from time in three ways:

- Traffic to DRAM is the same in all assignments. Work that takes less time than it is hidden, so
  the time of a program is at least that of its distinct sectors.
- The same holds for atomics, which L2 carries out.
- A barrier, or an access of fewer bytes, adds latency, which a sum of throughput does not have.

The gains that are required were measured on an H200 (docs/decisions/029).
"""

from __future__ import annotations

from math import prod

from msgspec import Struct

from weft.ir import tt, ttg, types
from weft.ir.builtin import Block, ModuleOp, Operation
from weft.ir.rewriting import walk
from weft.optimum.alternatives import layouts_of_member
from weft.optimum.costs import OperationCosts
from weft.optimum.costs.conversions import conversion_work
from weft.optimum.costs.work import NOTHING, Work
from weft.optimum.trip_counts import block_weight
from weft.targets import Target

__all__ = ["LEAST_GAIN", "LEAST_GAIN_WITH_LATENCY", "Totals", "Verdict", "measure_module"]

LEAST_GAIN = 0.05
"""How much more the heuristics' layouts must take for others to be chosen."""

LEAST_GAIN_WITH_LATENCY = 0.25
"""The same if the other ones have more barriers, or more requests to global memory."""

_MORE_REQUESTS = 1.05
_SECTOR_BITS = 256
# Quarter cycles of an SM per 32-byte sector: 4.8 TB/s among 132 SMs of 1.76 GHz, NVIDIA's H200 data
# sheet. AMD's chips were not measured, and have no floor.
_DRAM_PRICES = {"cuda": 6}
# Quarter cycles of an SM per element of an atomic: a kernel with four atomics of 1,024 elements
# took 9.3 of them on an H200, and half the time with the masks of two false.
_ATOMIC_PRICES = {"cuda": 8}


class Totals(Struct, frozen=True):
    """What one program does, loops by their trip counts.

    Attributes:
        cost: On-chip work, in quarter cycles.
        dram: The time of its traffic to DRAM, in quarter cycles.
        atomics: The time of its atomics in L2, in quarter cycles.
        requests: Accesses of warps to global memory.
        barriers: Barriers of the CTA.
    """

    cost: int
    dram: int
    atomics: int
    requests: int
    barriers: int

    @property
    def time(self) -> int:
        """The longest of the three."""
        return max(self.cost, self.dram, self.atomics)


class Verdict(Struct, frozen=True):
    """Whether other layouts save enough to be chosen.

    Attributes:
        before: What a program does with the layouts that it has.
        after: The same with the other ones.
    """

    before: Totals
    after: Totals

    @property
    def least_gain(self) -> float:
        """The gain that is required, as a fraction of the time with the other layouts."""
        return LEAST_GAIN_WITH_LATENCY if self._added_latency() else LEAST_GAIN

    @property
    def is_accepted(self) -> bool:
        """Whether the other layouts are chosen."""
        return self.before.time > self.after.time * (1 + self.least_gain)

    @property
    def reason(self) -> str:
        """The rule that decides, with its numbers."""
        before, after = self.before.time, self.after.time
        required = f"{self.least_gain:.0%} is required{self._added_latency()}"
        if before == after and self.after.cost < self.before.cost:
            hidden = "traffic to DRAM takes" if self.before.dram == before else "atomics in L2 take"
            return f"the optimum saves no time, as {hidden} {before} quarter cycles; {required}"
        gain = f", a gain of {before / after - 1:.1%}" if after else ""
        return f"the optimum takes {after} quarter cycles instead of {before}{gain}; {required}"

    def _added_latency(self) -> str:
        """Describe the latency that the other layouts add; "" for none."""
        before, after = self.before, self.after
        if after.barriers > before.barriers:
            return f", as barriers rise from {before.barriers} to {after.barriers}"
        if after.requests > before.requests * _MORE_REQUESTS:
            return f", as requests rise from {before.requests} to {after.requests}"
        return ""


def measure_module(module: ModuleOp, chip: Target) -> Totals:
    """Count what a program of a module does.

    Args:
        module: TTGIR.
        chip: The target.
    """
    costs = OperationCosts.of(module, chip)
    price = _DRAM_PRICES.get(chip.backend, 0)
    atomic_price = _ATOMIC_PRICES.get(chip.backend, 0)
    weights: dict[Block, int] = {}
    totals = [0, 0, 0, 0, 0]
    in_functions = (
        op for each in module.body.block.ops if isinstance(each, tt.FuncOp) for op in walk(each)
    )
    for op in in_functions:
        block = op.parent
        assert block is not None
        if block not in weights:
            weights[block] = block_weight(block)
        addresses = costs.addresses.get(op)
        sectors = atomics = 0
        if addresses is not None:
            sizes = zip(addresses.shape, addresses.info.constancy, strict=True)
            distinct = prod(size for size, constancy in sizes if constancy < size)
            sectors = -(-distinct * addresses.bits // _SECTOR_BITS)
            if isinstance(op, tt.AtomicRMWOp | tt.AtomicCASOp):
                atomics = prod(addresses.shape)
        work = _work_of(op, costs)
        times = (costs.prices.cost(work), sectors * price, atomics * atomic_price)
        counts = (*times, work.requests, work.barriers)
        for index, count in enumerate(counts):
            totals[index] += count * weights[block]
    return Totals(*totals)


def _work_of(op: Operation, costs: OperationCosts) -> Work:
    if isinstance(op, ttg.ConvertLayoutOp):
        source, result = types.encoding(op.src.type), types.encoding(op.result.type)
        assert source is not None
        assert result is not None
        bits = types.bit_width(types.element(op.src.type))
        shape = types.shape(op.src.type)
        return conversion_work(source, result, shape, bits, costs.context.target) or NOTHING
    if op.regions and not isinstance(op, tt.ReduceOp | tt.ScanOp):
        return NOTHING
    return costs.work(op, *layouts_of_member(op)) or NOTHING
