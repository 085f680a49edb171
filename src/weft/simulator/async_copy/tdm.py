"""TDM, the tensor data mover of gfx1250: a tile per warp between global memory and LDS.

    tensor.load.to.lds, tensor.store.from.lds     the descriptor is in four groups of words
    tensor.load.to.lds.d2, …                      the first two groups, for 2-D tiles

A warp executes the instruction once, whatever its lanes' predicates are. Blocks of a cluster that
load the same tile with a multicast mask each issue the load; here each gets the tile on its own.
Source: AMD's CDNA5 ISA, tensor data mover, D#.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from weft.errors import CodegenError
from weft.simulator.async_copy.lds_copy import add_copy, complete_copies
from weft.simulator.block import Block, Step
from weft.simulator.llvm_ir.types import Type
from weft.simulator.registry import Call, intrinsic
from weft.simulator.synchronization.lds_barrier import arrive, expect_copy

__all__: list[str] = []

_KIND = "tensor"
_GROUP_WORDS = (4, 8, 4, 4)
_MAX_INDEX_BITS = 256  # of the row indices in groups 2 and 3

# Fields of the descriptor: group, first bit, bits.
_COUNT = (0, 0, 2)
_LONG_INDICES, _GATHERS = (0, 30, 1), (0, 31, 1)
_LDS_ADDRESS, _GLOBAL_ADDRESS = (0, 32, 32), (0, 64, 57)
_BLOCK_MASK, _LOG2_ELEMENT_SIZE = (1, 0, 16), (1, 16, 2)
_HAS_BARRIER, _BARRIER_ADDRESS = (1, 18, 1), (1, 32, 16)
_HAS_PADDING, _PADDING_INTERVAL, _PADDING_AMOUNT = (1, 20, 1), (1, 22, 3), (1, 25, 7)
# The same of each dimension, the fastest first.
_TENSOR_SIZES = ((1, 48, 32), (1, 80, 32), (2, 0, 32), (2, 32, 32), (3, 48, 32))
_TILE_SIZES = ((1, 112, 16), (1, 128, 16), (1, 144, 16), (2, 112, 16), (3, 80, 16))
_STRIDES = ((1, 160, 48), (1, 208, 48), (2, 64, 48), (3, 0, 48))


class _Descriptor:
    """The descriptor of one warp.

    Attributes:
        groups: Each group of words as one number.
    """

    def __init__(self, groups: Sequence[np.ndarray]) -> None:
        self.groups = [sum(int(word) << 32 * n for n, word in enumerate(words)) for words in groups]

    def field(self, group: int, bit: int, width: int) -> int:
        """Read a field; 0 in a group that the instruction does not have."""
        if group >= len(self.groups):
            return 0
        return self.groups[group] >> bit & (1 << width) - 1

    def row_indices(self) -> np.ndarray | None:
        """Read the indices of rows to gather or scatter, None for contiguous rows.

        Raises:
            CodegenError: There are more than fit into the descriptor.
        """
        if not self.field(*_GATHERS):
            return None
        bits = 32 if self.field(*_LONG_INDICES) else 16
        indices = self.groups[2] | self.groups[3] << 128
        count = self.field(*_TILE_SIZES[1])
        if count * bits > _MAX_INDEX_BITS:
            raise CodegenError("more row indices than a TDM descriptor holds", found=count)
        return np.array([indices >> bits * n & (1 << bits) - 1 for n in range(count)], np.int64)


@dataclass(frozen=True, slots=True)
class _Tile:
    """The elements of a tile.

    Attributes:
        addresses: Address of each element in global memory.
        lds_addresses: Address of each element in LDS.
        inside: Whether it is inside of the tensor.
        size: Bytes of an element.
    """

    addresses: np.ndarray
    lds_addresses: np.ndarray
    inside: np.ndarray
    size: int

    @property
    def lds_places(self) -> np.ndarray:
        """Addresses [element, byte] in LDS."""
        return self.lds_addresses[:, None] + np.arange(self.size)


def _decode_tile(descriptor: _Descriptor) -> _Tile:
    """Compute the addresses of a tile's elements."""
    size = 1 << descriptor.field(*_LOG2_ELEMENT_SIZE)
    rows = descriptor.row_indices()
    # With row indices in groups 2 and 3, only two dimensions have fields.
    tile_fields = _TILE_SIZES if rows is None else _TILE_SIZES[:2]
    tile_sizes = [descriptor.field(*field) for field in tile_fields]
    counts = [max(1, tile_size) for tile_size in tile_sizes]
    tensor_sizes = [descriptor.field(*field) for field in _TENSOR_SIZES]
    strides = [1, *(descriptor.field(*field) for field in _STRIDES)]
    grid = np.meshgrid(*(np.arange(count) for count in counts[::-1]), indexing="ij")
    indices = list(grid)[::-1]
    lds_offset, offset = np.zeros_like(indices[0]), np.zeros_like(indices[0])
    for n, index in enumerate(indices):
        lds_offset = lds_offset + index * (int(np.prod(counts[:n])) * size)
    if descriptor.field(*_HAS_PADDING):
        interval = 8 << descriptor.field(*_PADDING_INTERVAL)
        amount = 4 * (descriptor.field(*_PADDING_AMOUNT) + 1)
        lds_offset = lds_offset + lds_offset // interval * amount
    if rows is not None:
        indices[1] = rows[indices[1]]
    dims = [n for n in range(len(counts)) if n < 2 or tile_sizes[n]]
    inside = np.all([indices[n] < tensor_sizes[n] for n in dims], axis=0)
    for n in dims:
        offset = offset + indices[n] * (strides[n] * size)
    return _Tile(
        (descriptor.field(*_GLOBAL_ADDRESS) + offset).reshape(-1),
        (descriptor.field(*_LDS_ADDRESS) + lds_offset).reshape(-1),
        inside.reshape(-1),
        size,
    )


@intrinsic(r"llvm\.amdgcn\.tensor\.(load\.to|store\.from)\.lds(?:\.d2)?")
def _copy(call: Call) -> Step:
    """Compile the copy of a tile per active warp."""
    is_load = call.match[1] == "load.to"
    *group_operands, _ = call.arguments

    def step(block: Block) -> None:
        groups = [
            np.broadcast_to(block.get(operand), (block.threads, count)).view(np.uint32)
            for operand, count in zip(group_operands, _GROUP_WORDS, strict=False)
        ]
        active = block.active.reshape(-1, block.warp_size)
        for warp in np.flatnonzero(active.any(axis=1)).tolist():
            thread = warp * block.warp_size + int(active[warp].argmax())
            descriptor = _Descriptor([words[thread] for words in groups])
            if not descriptor.field(*_COUNT):  # disabled, but counted
                add_copy(block, _KIND, warp, lambda: None)
                continue
            _check_block_mask(block, descriptor.field(*_BLOCK_MASK))
            barrier = None
            if descriptor.field(*_HAS_BARRIER):
                barrier = descriptor.field(*_BARRIER_ADDRESS) * 8
            complete = _start(block, _decode_tile(descriptor), warp, barrier, is_load=is_load)
            add_copy(block, _KIND, warp, complete)
            if barrier is not None:
                expect_copy(block, barrier, _KIND, warp, complete)

    return step


def _check_block_mask(block: Block, mask: int) -> None:
    """Check that a block is among those that receive its tile, if there is a multicast mask.

    Raises:
        CodegenError: It is not, or the mask names blocks outside of the cluster.
    """
    if mask and (mask >> len(block.cluster) or not mask >> block.rank & 1):
        raise CodegenError(
            "the multicast mask of a TDM load does not fit the block's rank and cluster",
            found=f"block {block.rank} of {len(block.cluster)}",
            accepted=[bin(mask)],
        )


def _start(
    block: Block, tile: _Tile, warp: int, barrier: int | None, *, is_load: bool
) -> Callable[[], None]:
    """Start a copy.

    Args:
        block: The block.
        tile: The tile.
        warp: The warp that issues the copy.
        barrier: Address of the LDS barrier at which the copy arrives, None for none.
        is_load: Whether the copy writes to LDS.

    Returns:
        What completes the copy.
    """
    races, thread = block.shared.races, warp * block.warp_size
    block.shared.check_range(tile.lds_places)
    block.count_tile(thread, tile.addresses, tile.inside, tile.size)
    if races is not None:
        begin = races.begin_async_write if is_load else races.begin_async_read
        begin(tile.lds_places, thread, needs_fence=False)

    def complete() -> None:
        type_ = Type(f"i{8 * tile.size}")
        if is_load:
            values = block.global_memory.load(type_, tile.addresses, tile.inside)
            block.shared.bytes[tile.lds_places] = values[:, None].view(np.uint8)
        else:
            raw = np.ascontiguousarray(block.shared.bytes[tile.lds_places])
            values = raw.view(f"i{tile.size}")[:, 0]
            block.global_memory.store(type_, tile.addresses, values, tile.inside)
        visible = None
        if races is not None and is_load:
            visible = races.copies.end_write(tile.lds_places, block.threads)
            visible[thread : thread + block.warp_size] = True
        elif races is not None:
            races.end_async_read(tile.lds_places, thread)
        if barrier is not None:
            arrive(block, barrier, np.array([thread]), 1, visible)

    return complete


@intrinsic(r"llvm\.amdgcn\.s\.wait\.tensorcnt")
def _wait(call: Call) -> Step:
    """Compile a wait until at most so many copies of each active warp are outstanding."""

    def step(block: Block) -> None:
        complete_copies(block, _KIND, int(block.get(call.arguments[0])[0]))

    return step


@intrinsic(r"llvm\.amdgcn\.global\.prefetch")
def _prefetch(call: Call) -> Step:
    """Compile a prefetch to a check of its address; a speculative one may have any address."""
    pointer, policy = call.arguments

    def step(block: Block) -> None:
        addresses = block.per_thread(pointer)
        is_speculative = bool(int(block.get(policy)[0]) & 1)
        if not is_speculative:
            block.global_memory.check("prefetches", addresses, 1, block.active)
        block.global_memory.traffic.add("prefetch", 1, block.active_warps)

    return step
