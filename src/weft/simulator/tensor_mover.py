"""The tensor data mover of gfx1250: each warp's tile, which lands when it is waited for.

tensor.load.to.lds, tensor.store.from.lds     four words of addresses, eight of sizes; see below
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from weft.simulator.direct_copies import land, later
from weft.simulator.registry import Call, intrinsic
from weft.simulator.state import Block, Step
from weft.simulator.types import Type

__all__: list[str] = []


def _places(
    addresses: np.ndarray, sizes: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Return for each element of a tile its place in both memories, and whether it is there; its
    bytes.

    Args: addresses, sizes: the words, as unsigned numbers.
    """
    a, s = [int(each) for each in addresses], [int(each) for each in sizes]
    size = 1 << (s[0] >> 16 & 3)
    columns, rows = s[3] >> 16, s[4] & 0xFFFF
    left = [s[1] >> 16 | (s[2] & 0xFFFF) << 16, s[2] >> 16 | (s[3] & 0xFFFF) << 16]
    stride = s[5] | (s[6] & 0xFFFF) << 32
    row, column = np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij")
    source = (a[2] | (a[3] & 0x1FFFFFF) << 32) + (row * stride + column) * size
    offset = (row * columns + column) * size
    if s[0] >> 20 & 1:
        interval, amount = 8 << (s[0] >> 22 & 7), 4 * ((s[0] >> 25 & 127) + 1)
        offset = offset + offset // interval * amount
    inside = (column < left[0]) & (row < left[1])
    return source.reshape(-1), a[1] + offset.reshape(-1), inside.reshape(-1), size


@intrinsic(r"llvm\.amdgcn\.tensor\.(load\.to|store\.from)\.lds\.d2")
def _move(call: Call) -> Step:
    """Return a copy of a tile as a step."""
    loads = call.match[1] == "load.to"
    addresses, sizes, _ = call.arguments

    def step(block: Block) -> None:
        words = [
            np.broadcast_to(block.get(each), (block.threads, count)).view(np.uint32)
            for each, count in ((addresses, 4), (sizes, 8))
        ]
        running = block.mask.reshape(-1, block.lanes).any(axis=1)
        for warp in np.flatnonzero(running):
            first = int(warp) * block.lanes
            if not words[0][first, 0]:
                continue
            source, target, inside, size = _places(words[0][first], words[1][first])
            later(block, "tensor", int(warp), _copy(block, source, target, inside, size, loads))

    return step


def _copy(
    block: Block,
    source: np.ndarray,
    target: np.ndarray,
    inside: np.ndarray,
    size: int,
    loads: bool,
) -> Callable[[], None]:
    """Return what copies a tile, element by element."""
    type_ = Type(f"i{8 * size}")

    def copy() -> None:
        if loads:
            found = block.memory.load(type_, source, inside)
            block.shared.store(type_, target, found, np.ones(len(target), bool))
        else:
            found = block.shared.load(type_, target, np.ones(len(target), bool))
            block.memory.store(type_, source, found, inside)

    return copy


@intrinsic(r"llvm\.amdgcn\.s\.wait\.tensorcnt")
def _wait(call: Call) -> Step:
    """Return a wait until at most so many tiles of each warp are under way."""

    def step(block: Block) -> None:
        land(block, "tensor", int(block.get(call.arguments[0])[0]))

    return step
