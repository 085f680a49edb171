"""What a conversion costs."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Cost"]


@dataclass(frozen=True, slots=True)
class Cost:
    """Count the work of one conversion, per warp where nothing else is said.

    Fields: moves: registers that change their place.  selects: choices between registers by lane.
    shuffles: exchanges of 32 bits between lanes.  swaps: of halves of two registers between lanes.
    stores, loads: instructions to shared memory.  store_bits, load_bits: of a row of each.
    barriers: of the block, or of the cluster.  shared_bytes: of shared memory, of one block.
    write_passes, read_passes: that stores and loads take over the banks, of all warps of a block.
    write_conflicts, read_conflicts: those of them that conflicts add.
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
        """Return what a warp executes, but for addresses and renamed registers."""
        exchanged = self.selects + self.shuffles + self.swaps
        return exchanged + self.stores + self.loads + self.barriers
