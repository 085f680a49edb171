"""Plan direct-to-LDS copies: from global memory to LDS without registers, on AMD's CDNA 3 and 4.

The lanes of a wave write contiguously: lane l to base + l · bytes, where the base is uniform. A
copy whose lanes would not do so goes through registers. Lanes may exchange their vectors within
what the wave writes, since a lane can load what another one points to:

    lane bit      0  1  2  3 …         the vector of lane 4 belongs to position 5: `lane_positions`
    position      1  2  5  8 …         is 1, 2, 5, 8, …, a basis, so each position is written once
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.layouts import gf2
from weft.layouts.linear_layout import LinearLayout
from weft.layouts.plans.local_access import local_access
from weft.layouts.plans.shared_access import SharedAccess
from weft.layouts.shared_memory import SharedMemory

__all__ = ["direct_to_lds_access", "lane_positions"]


def direct_to_lds_access(
    tensor: LinearLayout,
    memory: LinearLayout,
    bits: int,
    most: int,
    widths: Sequence[int],
    shared_memory: SharedMemory,
    *,
    interval: int = 0,
) -> SharedAccess | None:
    """Find the plan of a copy to LDS by the widest load that the chip has.

    Args:
        tensor: Layout of the tensor of pointers or offsets.
        memory: Layout of the buffer.
        bits: Bits of an element.
        most: Contiguous elements that one lane can copy.
        widths: Bits that a lane can load directly to LDS.
        shared_memory: The banks of LDS.
        interval: Elements of the buffer between paddings, 0 for none.

    Returns:
        None if the lanes of a wave would not write contiguously.
    """
    most = min(most, interval or most)
    for wide in sorted(widths, reverse=True):
        count = wide // bits
        if not 0 < count <= most:
            continue
        access = local_access(tensor, memory, bits, shared_memory, "write", count, plain=True)
        positions = lane_positions(access, count)
        if access.tile.bits != wide or positions is None:
            continue
        if not interval or count << len(positions) <= interval:
            return access
    return None


def lane_positions(access: SharedAccess, count: int) -> list[int] | None:
    """List the position of each lane bit among the lanes' vectors; None if they are not contiguous.

    Lanes without distinct elements follow the others.

    Args:
        access: The plan.
        count: Elements of a vector.
    """
    positions = [image // count if image % count == 0 else -1 for image in access.lane_offsets()]
    active = [position for position in positions if position]
    last = len(active)
    if any(positions[last:]) or any(not 0 < position < 1 << last for position in active):
        return None
    return active if gf2.rank(active) == last else None
