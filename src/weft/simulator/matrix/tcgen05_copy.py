"""tcgen05.cp and tcgen05.commit: copies to tensor memory, and arrival at mbarriers.

A commit arrives once all tcgen05 operations that its block issued before are complete. It arrives
at one mbarrier, or at those of several blocks of the cluster at the same address.
Source: PTX ISA 9.0, tcgen05.cp and tcgen05.commit.
"""

from __future__ import annotations

import numpy as np

from weft.simulator.block import Block, Step
from weft.simulator.matrix.shared_tiles import read_tile
from weft.simulator.matrix.tcgen05_issue import (
    cta_pair,
    find_issuer,
    integer_argument,
    record_tile_read,
    warp_of,
)
from weft.simulator.matrix.tcgen05_operands import tmem_columns
from weft.simulator.matrix.tensor_memory import tensor_memory_of
from weft.simulator.registry import Call, assembly
from weft.simulator.synchronization.cluster import blocks_of_mask
from weft.simulator.synchronization.mbarrier import mbarrier_at

__all__: list[str] = []


@assembly(
    r"@\$0 tcgen05\.cp\.cta_group::(?P<group>[12])\.(?P<shape>warpx4\.32x128b|128x256b)"
    r" \[\$1\], \$2;"
)
def _copy(call: Call) -> Step:
    """Compile tcgen05.cp: of 128 rows, or of 32 rows of scales that are replicated four times."""
    is_replicated = call.match["shape"].startswith("warpx4")
    rows, words_per_row, replicas = (32, 4, 4) if is_replicated else (128, 8, 1)

    def step(block: Block) -> None:
        thread = find_issuer(block, call)
        if thread is None:
            return
        target, source = (integer_argument(block, call, n, thread) for n in (1, 2))
        columns = tmem_columns(target, words_per_row)[None]
        targets = [
            (((target >> 16) + 32 * replica + np.arange(rows))[:, None], columns)
            for replica in range(replicas)
        ]
        pair = cta_pair(block, call, thread)
        for each, issuer in pair:
            record_tile_read(each, issuer, source, rows, 4 * words_per_row, mn_major=False)
            for words in targets:
                tensor_memory_of(each).check_issue(*words, warp_of(block, issuer), writes=True)

        def execute() -> None:
            dtype = np.dtype(np.uint32)
            for each, _ in pair:
                values = read_tile(each.shared, source, rows, words_per_row, dtype, mn_major=False)
                for words in targets:
                    tensor_memory_of(each).write(*words, values)

        tensor_memory_of(block).issue(execute)

    return step


@assembly(
    r"@\$0 tcgen05\.commit\.cta_group::(?P<group>[12])\.mbarrier::arrive::one\.shared::cluster"
    r"(?P<multicast>\.multicast::cluster)?\.b64 \[\$1\](?:, \$2)?;"
)
def _commit(call: Call) -> Step:
    """Compile tcgen05.commit, which takes effect when a thread waits on one of its mbarriers."""
    multicasts = call.match["multicast"] is not None

    def step(block: Block) -> None:
        thread = find_issuer(block, call)
        if thread is None:
            return
        cta_pair(block, call, thread)
        memory, races = tensor_memory_of(block), block.shared.races
        receivers = [block]
        if multicasts:
            receivers = blocks_of_mask(block, integer_argument(block, call, 2, thread) & 0xFFFF)
        address = integer_argument(block, call, 1, thread)
        barriers = [mbarrier_at(receiver, address) for receiver in receivers]
        first_lane = thread // block.warp_size * block.warp_size
        warp = np.arange(first_lane, first_lane + block.warp_size)
        order = None if races is None else races.order
        clock = None if order is None else order.release(thread)

        def complete() -> np.ndarray:
            memory.complete(number)
            return np.ones(block.threads, bool)

        def arrive() -> None:
            if races is not None:
                races.release(warp)
            for receiver, barrier in zip(receivers, barriers, strict=True):
                if complete in barrier.commits:
                    barrier.commits.remove(complete)
                if receiver is not block and receiver.shared.races is not None:
                    # The MMAs read tiles whose copies were complete.
                    barrier.earlier_copies = list(receiver.shared.races.copies.visible_to)
                if receiver is block and order is not None and clock is not None:
                    barrier.observe(order.release_of_tensor_core(number, clock))
                barrier.arrive(1)

        number = memory.issue(arrive)
        for barrier in barriers:
            barrier.commits.append(complete)

    return step
