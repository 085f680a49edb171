"""Run one side of a trip through shared memory on data: what each lane stores, what each one loads.

    memory = numpy.zeros((offsets, blocks))
    store(write, 0, memory, values)        # as the write side says, its first repetition
    load(read, 0, memory, out)             # likewise, into the registers that it reads

The addresses are the plan's, and what an instruction does with them is told by
`weft.layouts.plans.machine`, which knows nothing of plans: where both agree, the plan is right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.layouts.plans import machine
from weft.layouts.plans.accesses import Access

if TYPE_CHECKING:
    import numpy as np

__all__ = ["load", "store"]


def store(access: Access, repetition: int, memory: np.ndarray, values: np.ndarray) -> None:
    """Write the registers of a repetition.

    Args: memory: [offset, block], written to.  values: [register, lane, warp, block].
    """
    import numpy as np

    lanes, warps = np.arange(values.shape[1]), np.arange(values.shape[2])
    awake = (warps & access.idle_warps) == 0
    busy = ((lanes & access.idle_lanes) == 0)[:, None] & awake
    for registers, address, home in _instructions(access, repetition):
        given = values[registers]
        if access.tile.grows:
            active = np.broadcast_to(awake, busy.shape)[..., None]
            machine.store_matrices(memory, address, home, given, active, _transposes(access))
        else:
            machine.store(memory, address, home, given, busy[..., None])


def load(access: Access, repetition: int, memory: np.ndarray, out: np.ndarray) -> None:
    """Read the registers of a repetition.

    Args: memory: [offset, block].  out: [register, lane, warp, block], written to.
    """
    row = 1 << len(access.tile.offset)
    for registers, address, home in _instructions(access, repetition):
        if access.tile.grows:
            found = machine.load_matrices(memory, address, home, row, _transposes(access))
        elif access.tile.is_plain:
            found = machine.load(memory, address, home, row)
        else:
            found = machine.load_transposed(memory, address, home, row, access.tile.name)
        out[registers] = found


def _instructions(access: Access, repetition: int) -> zip[tuple[np.ndarray, ...]]:
    """Return registers, addresses and the blocks they mean, of one instruction after another."""
    import numpy as np

    places = np.broadcast_arrays(access.addresses(), access.homes())
    return zip(access.numbers()[repetition], *places, strict=True)


def _transposes(access: Access) -> bool:
    return access.tile.name.endswith("trans")
