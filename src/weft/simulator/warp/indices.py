"""Indices of threads, blocks and clusters, and the sizes of the grid."""

from __future__ import annotations

import numpy as np

from weft.simulator.block import Block
from weft.simulator.registry import array_intrinsic

__all__: list[str] = []

_SREG = "llvm.nvvm.read.ptx.sreg"


@array_intrinsic(f"{_SREG}.tid.x", "llvm.amdgcn.workitem.id.x")
def _thread(block: Block) -> np.ndarray:
    return np.arange(block.threads, dtype=np.int32)


@array_intrinsic("llvm.amdgcn.workitem.id.y", "llvm.amdgcn.workitem.id.z")
def _thread_on_other_axes(block: Block) -> np.ndarray:
    """Return 0: blocks have one thread along y and z."""
    return np.zeros(1, np.int32)


@array_intrinsic("llvm.amdgcn.dispatch.ptr")
def _dispatch_pointer(block: Block) -> np.ndarray:
    return np.full(1, block.launch.dispatch_packet, np.int64)


def _scalar(number: int) -> np.ndarray:
    return np.full(1, number, np.int32)


def _blocks_per_program(block: Block, axis: int) -> int:
    """Find the number of blocks of a cluster along an axis: they are adjacent along x."""
    return 1 if axis else max(1, len(block.cluster))


def _block_id(block: Block, axis: int) -> np.ndarray:
    number = block.program[axis] * _blocks_per_program(block, axis)
    return _scalar(number if axis else number + block.rank)


def _register_axis(axis: int, letter: str) -> None:
    array_intrinsic(f"{_SREG}.ctaid.{letter}", f"llvm.amdgcn.workgroup.id.{letter}")(
        lambda block: _block_id(block, axis)
    )
    array_intrinsic(f"{_SREG}.nctaid.{letter}")(
        lambda block: _scalar(block.launch.grid[axis] * _blocks_per_program(block, axis))
    )
    array_intrinsic(f"{_SREG}.clusterid.{letter}")(lambda block: _scalar(block.program[axis]))
    array_intrinsic(f"{_SREG}.nclusterid.{letter}")(lambda block: _scalar(block.launch.grid[axis]))


for _axis, _letter in enumerate("xyz"):
    _register_axis(_axis, _letter)


def _lanes_below(block: Block, start: np.ndarray, first: int) -> np.ndarray:
    """Count the lanes below each lane among the 32 from `first` on, added to a count."""
    below = np.clip(_thread(block) % block.warp_size - first, 0, 32)
    return (below + start).astype(np.int32)


array_intrinsic("llvm.amdgcn.mbcnt.lo")(lambda block, mask, start: _lanes_below(block, start, 0))
array_intrinsic("llvm.amdgcn.mbcnt.hi")(lambda block, mask, start: _lanes_below(block, start, 32))
