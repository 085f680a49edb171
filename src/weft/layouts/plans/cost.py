"""What a conversion costs."""

from __future__ import annotations

from msgspec import Struct

__all__ = ["Cost", "exchange_price"]


class Cost(Struct, frozen=True):
    """The work of one conversion, per warp unless stated otherwise.

    Attributes:
        moves: registers that get another number; a compiler renames them at no cost.
        selects: selections between two registers by lane.
        shuffles: exchanges of 32 bits between lanes.
        swaps: instructions that exchange halves of two registers between lanes.
        stores: stores to shared memory.
        loads: loads from shared memory.
        store_bits: bits of a row of a store.
        load_bits: bits of a row of a load.
        barriers: barriers of the CTA, or of the cluster.
        shared_bytes: shared memory of one CTA.
        write_passes: passes of all stores of a CTA over the banks.
        read_passes: passes of all loads of a CTA over the banks.
        write_conflicts: passes of stores that bank conflicts add.
        read_conflicts: passes of loads that bank conflicts add.
    """

    moves: int = 0
    selects: int = 0
    shuffles: int = 0
    swaps: int = 0
    stores: int = 0
    loads: int = 0
    store_bits: int = 0
    load_bits: int = 0
    barriers: int = 0
    shared_bytes: int = 0
    write_passes: int = 0
    read_passes: int = 0
    write_conflicts: int = 0
    read_conflicts: int = 0

    @property
    def instructions(self) -> int:
        """The instructions of a warp, without those for addresses and renamed registers."""
        exchanges = self.selects + self.shuffles + self.swaps
        return exchanges + self.stores + self.loads + self.barriers


def exchange_price(cost: Cost) -> tuple[int, int]:
    """Return the price of an exchange between lanes; of equal ones, that of the fewest shuffles.

    A shuffle takes as long as two selects. Source: CUDA C++ Programming Guide, arithmetic
    throughput: 32 shuffles, or 64 other instructions, per clock cycle.
    """
    return 2 * cost.shuffles + cost.selects + cost.swaps, cost.shuffles
