"""What a thread is and where: its number, its program's, and values of other lanes of its warp.

Lanes exchange values here, so these rows check that the warp is whole.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.errors import CodegenError
from weft.simulator.registry import value
from weft.simulator.state import Block

__all__ = ["of_lane"]

_AXES = "xyz"


@value("llvm.nvvm.read.ptx.sreg.tid.x", "llvm.amdgcn.workitem.id.x")
def _thread(block: Block) -> np.ndarray:
    return np.arange(block.threads, dtype=np.int32)


def _scalar(number: int) -> np.ndarray:
    return np.full(1, number, np.int32)


for _n, _axis in enumerate(_AXES):
    value(f"llvm.nvvm.read.ptx.sreg.ctaid.{_axis}", f"llvm.amdgcn.workgroup.id.{_axis}")(
        lambda block, n=_n: _scalar(block.place[n])
    )
    value(f"llvm.nvvm.read.ptx.sreg.nctaid.{_axis}")(lambda block, n=_n: _scalar(block.grid[n]))


def of_lane(block: Block, values: np.ndarray, source: np.ndarray, what: str) -> np.ndarray:
    """Return the value of another lane of the warp, given by its number in the warp."""
    whole = block.mask.reshape(-1, min(block.lanes, block.threads))
    if (whole.any(axis=1) & ~whole.all(axis=1)).any():
        raise CodegenError(
            f"{what} while some lanes of the warp are elsewhere",
            found=f"{int(block.mask.sum())} of {block.threads} threads",
        )
    thread = _thread(block)
    place = thread // block.lanes * block.lanes + source % block.lanes
    return np.broadcast_to(values, block.threads)[place]


@value("llvm.nvvm.shfl.sync.bfly.i32")
def _shuffle_xor(block: Block, members: Any, value: Any, lanes: Any, clamp: Any) -> np.ndarray:
    return of_lane(block, value, (_thread(block) % block.lanes) ^ lanes, "shfl.sync")


@value("llvm.nvvm.shfl.sync.idx.i32")
def _shuffle_index(block: Block, members: Any, value: Any, lane: Any, clamp: Any) -> np.ndarray:
    own = (clamp >> 8) & (block.lanes - 1)  # bits of a lane's number that stay its own
    source = (_thread(block) & own) | (np.broadcast_to(lane, block.threads) & ~own)
    return of_lane(block, value, source, "shfl.sync")


@value("llvm.amdgcn.ds.bpermute")
def _permute(block: Block, place: np.ndarray, value: np.ndarray) -> np.ndarray:
    return of_lane(block, value, np.broadcast_to(place, block.threads) >> 2, "ds_bpermute")


def _lanes_below(block: Block, start: np.ndarray, first: int) -> np.ndarray:
    """Count the lanes with lower numbers among the 32 from `first`, on top of a count."""
    below = np.clip(_thread(block) % block.lanes - first, 0, 32)
    return (below + start).astype(np.int32)


value("llvm.amdgcn.dispatch.ptr")(lambda block: np.full(1, block.dispatch_packet, np.int64))
value("llvm.amdgcn.mbcnt.lo")(lambda block, mask, start: _lanes_below(block, start, 0))
value("llvm.amdgcn.mbcnt.hi")(lambda block, mask, start: _lanes_below(block, start, 32))
