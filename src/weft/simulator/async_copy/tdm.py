"""The tensor data mover of gfx1250: each warp's tile, which lands when it is waited for.

tensor.load.to.lds, tensor.store.from.lds     groups of words; where numbers stand in them, below
tensor.load.to.lds.d2, …                      the first two groups, for tiles of two dimensions

A warp runs the instruction once, whatever its lanes do. Blocks of a cluster that say that they read
the same get it each for itself. Source: AMD's CDNA5 ISA, tensor data mover.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from weft.errors import CodegenError
from weft.simulator.async_copy.lds_copy import land, later
from weft.simulator.block import Block, Step
from weft.simulator.llvm_ir.types import Type
from weft.simulator.registry import Call, intrinsic
from weft.simulator.synchronization.lds_barrier import arrive, expect

__all__: list[str] = []

_KIND = "tensor"
_GROUPS = (4, 8, 4, 4)  # words of each
# (group, first bit, bits) of each dimension, the fastest first.
_LEFT = ((1, 48, 32), (1, 80, 32), (2, 0, 32), (2, 32, 32), (3, 48, 32))
_MOVED = ((1, 112, 16), (1, 128, 16), (1, 144, 16), (2, 112, 16), (3, 80, 16))
_STRIDES = ((1, 160, 48), (1, 208, 48), (2, 64, 48), (3, 0, 48))


class _Words:
    """The groups of one warp, as numbers."""

    def __init__(self, groups: Sequence[np.ndarray]) -> None:
        self.groups = [sum(int(word) << 32 * n for n, word in enumerate(g)) for g in groups]

    def at(self, group: int, bit: int, width: int) -> int:
        """Return a field; 0 of a group that there is not."""
        if group >= len(self.groups):
            return 0
        return self.groups[group] >> bit & (1 << width) - 1

    def rows(self) -> np.ndarray | None:
        """Return the indices of rows to gather; None where rows follow one another."""
        if not self.at(0, 31, 1):
            return None
        bits = 32 if self.at(0, 30, 1) else 16
        both = self.groups[2] | self.groups[3] << 128
        count = self.at(*_MOVED[1])
        if count * bits > 256:
            raise CodegenError("more rows than an instruction gathers", found=count)
        return np.array([both >> bits * n & (1 << bits) - 1 for n in range(count)], np.int64)


@dataclass(frozen=True, slots=True)
class _Tile:
    """Places of the elements of a tile in both memories, and whether they are in the tensor."""

    source: np.ndarray
    target: np.ndarray
    inside: np.ndarray
    size: int

    @property
    def bytes(self) -> np.ndarray:
        """Every byte in shared memory."""
        return self.target[:, None] + np.arange(self.size)


def _tile(words: _Words) -> _Tile:
    """Return what the words say."""
    size = 1 << words.at(1, 16, 2)
    rows = words.rows()
    said = [words.at(*field) for field in (_MOVED if rows is None else _MOVED[:2])]
    moved = [max(1, count) for count in said]
    left = [words.at(*field) for field in _LEFT]
    strides = [1, *(words.at(*field) for field in _STRIDES)]
    grid = np.meshgrid(*(np.arange(count) for count in moved[::-1]), indexing="ij")
    indices = list(grid)[::-1]
    offset, place = np.zeros_like(indices[0]), np.zeros_like(indices[0])
    for n, index in enumerate(indices):
        offset = offset + index * (int(np.prod(moved[:n])) * size)
    if words.at(1, 20, 1):
        interval, amount = 8 << words.at(1, 22, 3), 4 * (words.at(1, 25, 7) + 1)
        offset = offset + offset // interval * amount
    if rows is not None:
        indices[1] = rows[indices[1]]
    used = [n for n in range(len(moved)) if n < 2 or said[n]]
    inside = np.all([indices[n] < left[n] for n in used], axis=0)
    for n in used:
        place = place + indices[n] * (strides[n] * size)
    return _Tile(
        (words.at(0, 64, 57) + place).reshape(-1),
        (words.at(0, 32, 32) + offset).reshape(-1),
        inside.reshape(-1),
        size,
    )


@intrinsic(r"llvm\.amdgcn\.tensor\.(load\.to|store\.from)\.lds(?:\.d2)?")
def _move(call: Call) -> Step:
    """Return a copy of a tile as a step."""
    loads = call.match[1] == "load.to"
    *groups, _ = call.arguments

    def step(block: Block) -> None:
        words = [
            np.broadcast_to(block.get(each), (block.threads, count)).view(np.uint32)
            for each, count in zip(groups, _GROUPS, strict=False)
        ]
        running = block.mask.reshape(-1, block.lanes)
        for warp in np.flatnonzero(running.any(axis=1)):
            first = int(warp) * block.lanes + int(running[warp].argmax())
            told = _Words([group[first] for group in words])
            if not told.at(0, 0, 2):
                later(block, _KIND, int(warp), lambda: None)
                continue
            _require_among(block, told.at(1, 0, 16))
            barrier = told.at(1, 32, 16) * 8 if told.at(1, 18, 1) else None
            copy = _copy(block, _tile(told), int(warp), barrier, loads=loads)
            later(block, _KIND, int(warp), copy)
            if barrier is not None:
                expect(block, barrier, _KIND, int(warp), copy)

    return step


def _require_among(block: Block, mask: int) -> None:
    """Require that a block is one of those that ask for the same, if there are others.

    Raises: CodegenError: it is not, or the cluster has no such blocks.
    """
    if mask and (mask >> len(block.cluster) or not mask >> block.rank & 1):
        raise CodegenError(
            "a block asks for a tile that others get",
            found=f"block {block.rank} of {len(block.cluster)}",
            accepted=[bin(mask)],
        )


def _copy(
    block: Block, tile: _Tile, warp: int, barrier: int | None, *, loads: bool
) -> Callable[[], None]:
    """Begin a copy; return what ends it.

    Args: barrier: where it arrives.
    """
    races, thread = block.shared.races, warp * block.lanes
    block.shared.require(tile.bytes)
    if races is not None:
        begin = races.begin_arriving if loads else races.begin_leaving
        begin(tile.bytes, thread, fences=False)

    def copy() -> None:
        type_ = Type(f"i{8 * tile.size}")
        if loads:
            found = block.memory.load(type_, tile.source, tile.inside)
            block.shared.bytes[tile.bytes] = found[:, None].view(np.uint8)
        else:
            found = np.ascontiguousarray(block.shared.bytes[tile.bytes]).view(f"i{tile.size}")
            block.memory.store(type_, tile.source, found[:, 0], tile.inside)
        told = None
        if races is not None and loads:
            told = races.arrived(tile.bytes, block.threads)
            told[thread : thread + block.lanes] = True
        elif races is not None:
            races.left(tile.bytes, thread)
        if barrier is not None:
            arrive(block, barrier, np.array([thread]), 1, told)

    return copy


@intrinsic(r"llvm\.amdgcn\.s\.wait\.tensorcnt")
def _wait(call: Call) -> Step:
    """Return a wait until at most so many tiles of each warp are under way."""

    def step(block: Block) -> None:
        land(block, _KIND, int(block.get(call.arguments[0])[0]))

    return step


@intrinsic(r"llvm\.amdgcn\.global\.prefetch")
def _prefetch(call: Call) -> Step:
    """Return a prefetch, which changes nothing; it must be of bytes that are there."""
    pointer, policy = call.arguments

    def step(block: Block) -> None:
        places = np.broadcast_to(block.get(pointer), block.threads)
        once = bool(int(block.get(policy)[0]) & 1)
        if not once:
            block.memory.check("prefetches", places, 1, block.mask)
        block.memory.traffic.add("prefetch", 1, block.warps)

    return step
