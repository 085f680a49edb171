"""Run one side of a trip through shared memory on data: what each lane stores, what each one loads.

    memory = numpy.zeros((offsets, blocks))
    store(write, 0, memory, values)        # as the write side says, its first repetition
    load(read, 0, memory, out)             # likewise, into the registers that it reads

The plan gives the addresses. `instruction_semantics`, which is independent of the
plans, defines what each instruction does with them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.layouts.plans import instruction_semantics
from weft.layouts.plans.shared_access import SharedAccess

if TYPE_CHECKING:
    import numpy as np

__all__ = ["load", "store"]


def store(access: SharedAccess, repetition: int, memory: np.ndarray, values: np.ndarray) -> None:
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
            instruction_semantics.store_matrices(
                memory, address, home, given, active, _transposes(access)
            )
        else:
            instruction_semantics.store(memory, address, home, given, busy[..., None])


def load(access: SharedAccess, repetition: int, memory: np.ndarray, out: np.ndarray) -> None:
    """Read the registers of a repetition.

    Args: memory: [offset, block].  out: [register, lane, warp, block], written to.
    """
    row = 1 << len(access.tile.offset)
    for registers, address, home in _instructions(access, repetition):
        if access.tile.grows:
            found = instruction_semantics.load_matrices(
                memory, address, home, row, _transposes(access)
            )
        elif access.tile.is_plain:
            found = instruction_semantics.load(memory, address, home, row)
        else:
            found = instruction_semantics.load_transposed(
                memory, address, home, row, access.tile.name
            )
        out[registers] = found


def _instructions(access: SharedAccess, repetition: int) -> zip[tuple[np.ndarray, ...]]:
    """Return registers, addresses and the blocks they mean, of one instruction after another."""
    import numpy as np

    places = np.broadcast_arrays(access.addresses(), access.homes())
    return zip(access.numbers()[repetition], *places, strict=True)


def _transposes(access: SharedAccess) -> bool:
    return access.tile.name.endswith("trans")
