"""Issue tcgen05 instructions: one thread does, for its block or for a pair of blocks.

With cta_group::2 the first block of a pair issues for both; the instruction then accesses the
memories of both blocks at the same addresses.
Source: PTX ISA 9.0, tcgen05, issue granularity and CTA pair.
"""

from __future__ import annotations

import numpy as np

from weft.errors import CodegenError
from weft.simulator.block import Block
from weft.simulator.matrix.shared_tiles import tile_places
from weft.simulator.matrix.tcgen05_operands import K_BYTES
from weft.simulator.matrix.tensor_memory import tensor_memory_of
from weft.simulator.registry import Call
from weft.simulator.synchronization.accessors import OTHER_BLOCK

__all__ = ["cta_pair", "find_issuer", "integer_argument", "record_tile_read", "warp_of"]


def find_issuer(block: Block, call: Call) -> int | None:
    """Find the thread that issues an instruction, None if there is none.

    Raises:
        CodegenError: There are several.
    """
    threads = np.flatnonzero(block.per_thread(call.arguments[0]) & block.active)
    if len(threads) > 1:
        raise CodegenError("a tcgen05 instruction must be issued by one thread", found=len(threads))
    return int(threads[0]) if len(threads) else None


def cta_pair(block: Block, call: Call, thread: int) -> list[tuple[Block, int]]:
    """List the blocks on which an instruction works, each with the thread that issues it there.

    Raises:
        CodegenError: The second block of a pair issues it, there is no pair, or the cta_group
            differs from that of other instructions.
    """
    tensor_memory_of(block).check_cta_group(call.match["group"])
    if call.match["group"] == "1":
        return [(block, thread)]
    if block.rank & 1 or len(block.cluster) < 2:
        raise CodegenError(
            "cta_group::2 instructions must be issued by the first block of a pair",
            found=f"block {block.rank}",
        )
    other = block.cluster[block.rank | 1]
    if other.finished:
        raise CodegenError(f"cta_group::2 instruction after block {other.rank} of the pair exited")
    return [(block, thread), (other, OTHER_BLOCK)]


def integer_argument(block: Block, call: Call, position: int, thread: int) -> int:
    """Read an argument of the thread that issues."""
    return int(block.per_thread(call.arguments[position])[thread])


def warp_of(block: Block, thread: int) -> int:
    """Compute the warp of a thread; OTHER_BLOCK stays as it is."""
    return OTHER_BLOCK if thread == OTHER_BLOCK else thread // block.warp_size


def record_tile_read(
    block: Block, thread: int, descriptor: int, rows: int, width: int, *, mn_major: bool
) -> None:
    """Record that an instruction reads a tile in shared memory.

    Args:
        block: The block whose shared memory it is.
        thread: The thread that issues the instruction, OTHER_BLOCK if the first block of the pair
            issues it.
        descriptor: Matrix descriptor of the tile.
        rows: Rows of the tile.
        width: Bytes along k; of an MN-major tile, elements along k.
        mn_major: Whether the tile is MN-major.

    Raises:
        CodegenError: Another thread wrote bytes of the tile, with no barrier between.
    """
    if block.shared.races is not None:
        size = 1 if not mn_major else max(1, K_BYTES // width)
        places = tile_places(descriptor, rows, width, size, mn_major=mn_major).reshape(-1, size)
        reader = None
        if thread == OTHER_BLOCK:
            issuer = block.cluster[block.rank - 1].shared.races
            reader = None if issuer is None else issuer.cluster
        number = tensor_memory_of(block).issued + 1
        block.shared.races.read_by_tensor_core(places, thread, number, reader)
