"""What an operation does, as counts.

Work(wavefronts=64, barriers=1)   →   64 · 4 + 80 = 336 quarter cycles (`weft.optimum.costs.prices`)
"""

from __future__ import annotations

from msgspec import Struct, structs

__all__ = ["NOTHING", "Work"]


class Work(Struct, frozen=True):
    """The work of one execution of an operation, of all warps of a program.

    Attributes:
        instructions: Instructions of a warp.
        special: Instructions of the special function units (exp, sqrt, …).
        shuffles: Exchanges of 32 bits between lanes.
        wavefronts: Passes over the banks of shared memory.
        barriers: Barriers of the CTA.
        cluster_barriers: Barriers of the CTAs of a cluster.
        requests: Accesses of a warp to global memory.
        sectors: 32-byte sectors between registers and L1.
        transferred_sectors: 32-byte sectors between L1 and L2.
        fused_multiply_adds: Multiply-adds of matrix units.
    """

    instructions: int = 0
    special: int = 0
    shuffles: int = 0
    wavefronts: int = 0
    barriers: int = 0
    cluster_barriers: int = 0
    requests: int = 0
    sectors: int = 0
    transferred_sectors: int = 0
    fused_multiply_adds: int = 0

    def __add__(self, other: Work) -> Work:
        sums = (a + b for a, b in zip(structs.astuple(self), structs.astuple(other), strict=True))
        return Work(*sums)


NOTHING = Work()
