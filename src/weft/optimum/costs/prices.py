"""The prices of counts: the one table for the optimum, for advice and for `weft check`.

    Work(wavefronts=64, barriers=1)   →   64 · 4 + 80 = 336 quarter cycles

The unit is a quarter of a cycle of one SM or CU, all warps of a program together: the time that an
NVIDIA SM takes to issue one instruction of one warp on one of its four schedulers. Resources are
added up, not overlapped, so that a sum is an upper bound of the time of one program alone and a
relative measure of the throughput of many (docs/decisions/029).
"""

from __future__ import annotations

from functools import cache

from msgspec import Struct, structs

from weft.optimum.costs.work import Work
from weft.targets import Target

__all__ = ["Prices", "prices_of"]


class Prices(Struct, frozen=True):
    """Quarter cycles per count; the fields are those of `Work`.

    Attributes:
        instructions: Per instruction.
        special: Per instruction of the special function units.
        shuffles: Per shuffle.
        wavefronts: Per pass.
        barriers: Per barrier.
        cluster_barriers: Per barrier of a cluster.
        requests: Per access.
        sectors: Per sector.
        transferred_sectors: Per transferred sector.
        macs_per_quarter_cycle: Multiply-adds of matrix units in a quarter cycle.
    """

    instructions: int
    special: int
    shuffles: int
    wavefronts: int
    barriers: int
    cluster_barriers: int
    requests: int
    sectors: int
    transferred_sectors: int
    macs_per_quarter_cycle: int

    def cost(self, work: Work) -> int:
        """Price work in quarter cycles."""
        return (
            self.instructions * work.instructions
            + self.special * work.special
            + self.shuffles * work.shuffles
            + self.wavefronts * work.wavefronts
            + self.barriers * work.barriers
            + self.cluster_barriers * work.cluster_barriers
            + self.requests * work.requests
            + self.sectors * work.sectors
            + self.transferred_sectors * work.transferred_sectors
            + -(-work.fused_multiply_adds // self.macs_per_quarter_cycle)
        )


# CUDA C++ Programming Guide, "Arithmetic Instructions", results per cycle and SM: 128 f32 adds,
# 16 special functions, 32 shuffles. Shared memory and L1 move 128 bytes per cycle, a request starts
# per cycle, and L2 sends 64 bytes per cycle and SM. A barrier is assumed to
# take 20 cycles, one of a cluster 200.
_NVIDIA = Prices(
    instructions=1,
    special=8,
    shuffles=4,
    wavefronts=4,
    barriers=80,
    cluster_barriers=800,
    requests=4,
    sectors=1,
    transferred_sectors=2,
    macs_per_quarter_cycle=256,
)
# AMD CDNA3 ISA: four SIMDs of 16 lanes take 4 cycles for a wave of 64; special functions a quarter
# of that rate; the LDS moves 128 bytes per cycle, so a permutation of 64 lanes takes two; the
# address unit takes 16 lanes per cycle; L1 moves 64 bytes per cycle.
_CDNA = Prices(
    instructions=4,
    special=16,
    shuffles=8,
    wavefronts=4,
    barriers=80,
    cluster_barriers=800,
    requests=16,
    sectors=2,
    transferred_sectors=2,
    macs_per_quarter_cycle=256,
)
# AMD RDNA3 ISA: two SIMDs of 32 lanes take a cycle for a wave of 32; the rest as on CDNA.
_RDNA = structs.replace(
    _CDNA, instructions=2, special=8, shuffles=4, requests=8, macs_per_quarter_cycle=128
)


@cache
def prices_of(chip: Target) -> Prices:
    """Look up the prices of a chip."""
    if chip.backend == "cuda":
        return _NVIDIA
    return _CDNA if chip.threads_per_warp == 64 else _RDNA
