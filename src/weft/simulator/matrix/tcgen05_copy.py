"""tcgen05.cp and tcgen05.commit: copies to tensor memory, and barriers that are told of the end.

A commit arrives once all is done that its block has issued before, for a pair of blocks or for
itself, on one barrier or on those of several blocks of the cluster at the same address.
Source: PTX ISA 9.0, tcgen05.cp and tcgen05.commit.
"""

from __future__ import annotations

import numpy as np

from weft.simulator.block import Block, Step
from weft.simulator.matrix.shared_tiles import tile
from weft.simulator.matrix.tcgen05_mma import claim, columns_at, issuer, operand_of, working_for
from weft.simulator.matrix.tensor_memory import tensor_of
from weft.simulator.registry import Call, assembly
from weft.simulator.synchronization.cluster import members
from weft.simulator.synchronization.mbarrier import barrier_at
from weft.simulator.synchronization.races import ELSEWHERE

__all__: list[str] = []


@assembly(
    r"@\$0 tcgen05\.cp\.cta_group::(?P<group>[12])\.(?P<shape>warpx4\.32x128b|128x256b)"
    r" \[\$1\], \$2;"
)
def _copy(call: Call) -> Step:
    scales = call.match["shape"].startswith("warpx4")

    def step(block: Block) -> None:
        thread = issuer(block, call)
        if thread is None:
            return
        target, source = (operand_of(block, call, n, thread) for n in (1, 2))
        rows, width = (32, 4) if scales else (128, 8)
        columns = columns_at(target, width)[None]
        every = [(target >> 16) + 32 * part for part in range(4)] if scales else [target >> 16]
        places = [((first + np.arange(rows))[:, None], columns) for first in every]
        group = working_for(block, call, thread)
        for one, who in group:
            claim(one, who, source, rows, 4 * width, turned=False)
            for place in places:
                warp = ELSEWHERE if who == ELSEWHERE else who // block.lanes
                tensor_of(one).claim(*place, warp, writes=True)

        def work() -> None:
            for one, _ in group:
                words = tile(one.shared, source, rows, width, np.dtype(np.uint32), turned=False)
                for place in places:
                    tensor_of(one).write(*place, words)

        tensor_of(block).issue(work)

    return step


@assembly(
    r"@\$0 tcgen05\.commit\.cta_group::(?P<group>[12])\.mbarrier::arrive::one\.shared::cluster"
    r"(?P<several>\.multicast::cluster)?\.b64 \[\$1\](?:, \$2)?;"
)
def _commit(call: Call) -> Step:
    """Arrive once all that was issued before is done, which is when somebody waits for it."""
    several = call.match["several"] is not None

    def step(block: Block) -> None:
        thread = issuer(block, call)
        if thread is None:
            return
        working_for(block, call, thread)
        tensor, races = tensor_of(block), block.shared.races
        told = members(block, operand_of(block, call, 2, thread) & 0xFFFF) if several else [block]
        address = operand_of(block, call, 1, thread)
        barriers = [barrier_at(one, address) for one in told]
        first = thread // block.lanes * block.lanes
        warp = np.arange(first, first + block.lanes)

        def land() -> np.ndarray:
            tensor.finish(ticket)
            return np.ones(block.threads, bool)

        def arrive() -> None:
            if races is not None:
                races.told_of(warp)
            for one, barrier in zip(told, barriers, strict=True):
                if land in barrier.owed:
                    barrier.owed.remove(land)
                if one is not block and one.shared.races is not None:
                    barrier.known = list(one.shared.races.told)  # what was multiplied had landed
                barrier.arrive(1)

        ticket = tensor.issue(arrive)
        for barrier in barriers:
            barrier.owed.append(land)

    return step
