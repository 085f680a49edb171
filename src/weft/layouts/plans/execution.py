"""Execute one side of a round trip through shared memory on data.

    memory = numpy.zeros((offsets, blocks))
    store(write, 0, memory, values)        # the stores of the first repetition
    load(read, 0, memory, result)          # its loads, into the registers that they write

The plan gives the addresses. `weft.layouts.plans.instruction_semantics`, which does not know the
plans, gives the meaning of each instruction; if the result is right, both are.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from weft.layouts.plans import instruction_semantics as semantics
from weft.layouts.plans.instruction_semantics import Values
from weft.layouts.plans.shared_access import SharedAccess

__all__ = ["load", "store"]

_Numbers = NDArray[np.int64]


def store(access: SharedAccess, repetition: int, memory: Values, values: Values) -> None:
    """Write the registers of a repetition.

    Args:
        access: how the tensor is stored.
        repetition: the number of the repetition.
        memory: [offset, block], which is changed.
        values: [register, lane, warp, block].
    """
    lane_count: int = values.shape[1]
    warp_count: int = values.shape[2]
    lanes, warps = np.arange(lane_count), np.arange(warp_count)
    active_warps = (warps & access.idle_warps) == 0
    active = ((lanes & access.idle_lanes) == 0)[:, None] & active_warps
    for registers, addresses, ctas in _instructions(access, repetition):
        stored = values[registers]
        if access.tile.grows:
            whole_warps = np.broadcast_to(active_warps, active.shape)[..., None]
            transposed = _is_transposed(access)
            semantics.store_matrices(memory, addresses, ctas, stored, whole_warps, transposed)
        else:
            semantics.store(memory, addresses, ctas, stored, active[..., None])


def load(access: SharedAccess, repetition: int, memory: Values, result: Values) -> None:
    """Read the registers of a repetition.

    Args:
        access: how the tensor is loaded.
        repetition: the number of the repetition.
        memory: [offset, block].
        result: [register, lane, warp, block], which is changed.
    """
    row = 1 << len(access.tile.offset)
    for registers, addresses, ctas in _instructions(access, repetition):
        if access.tile.grows:
            transposed = _is_transposed(access)
            loaded = semantics.load_matrices(memory, addresses, ctas, row, transposed)
        elif access.tile.is_plain:
            loaded = semantics.load(memory, addresses, ctas, row)
        else:
            loaded = semantics.load_transposed(memory, addresses, ctas, row, access.tile.name)
        result[registers] = loaded


def _instructions(
    access: SharedAccess, repetition: int
) -> Iterator[tuple[_Numbers, _Numbers, _Numbers]]:
    """Yield the registers, addresses and CTAs of one instruction after another."""
    addresses, ctas = np.broadcast_arrays(access.addresses(), access.ctas())
    yield from zip(np.array(access.register_numbers()[repetition]), addresses, ctas, strict=True)


def _is_transposed(access: SharedAccess) -> bool:
    return access.tile.name.endswith("trans")
