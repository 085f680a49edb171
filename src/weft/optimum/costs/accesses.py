"""The sectors of global memory that L2 serves.

tt.load of 64x64xf16, rows contiguous      256 sectors, however the threads share them
tt.store of the same by single elements    512: each request sends its sectors to L2
"""

from __future__ import annotations

from math import prod

from weft.analysis.access_width import Addresses
from weft.lowering_plans.instruction import Instruction
from weft.optimum.costs.work import Work

__all__ = ["transferred_sectors"]

_SECTOR_BITS = 256
_READS = ("global load", "async copy")


def transferred_sectors(addresses: Addresses, instruction: Instruction) -> Work:
    """Count the sectors between L1 and L2 of an access to a tensor of addresses.

    L1 serves a sector that several requests of a load touch; a store sends each to L2.

    Args:
        addresses: What is known of its addresses.
        instruction: The instructions of the access.
    """
    if instruction.kind not in _READS:
        return Work(transferred_sectors=instruction.sectors)
    sizes = zip(addresses.shape, addresses.info.constancy, strict=True)
    distinct = prod(size for size, constancy in sizes if constancy < size)
    ideal = -(-distinct * addresses.bits // _SECTOR_BITS)
    return Work(transferred_sectors=min(ideal, instruction.sectors))
