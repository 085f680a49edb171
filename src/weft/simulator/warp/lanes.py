"""What a thread is and where: its number, its program's, and values of other lanes of its warp.

Lanes exchange values here, so these rows check that the warp is whole.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.errors import CodegenError
from weft.simulator.block import Block
from weft.simulator.registry import value

__all__ = ["first_of_warps", "of_lane", "require_every_lane", "require_whole_warps"]

_AXES = "xyz"


@value("llvm.nvvm.read.ptx.sreg.tid.x", "llvm.amdgcn.workitem.id.x")
def _thread(block: Block) -> np.ndarray:
    return np.arange(block.threads, dtype=np.int32)


def _scalar(number: int) -> np.ndarray:
    return np.full(1, number, np.int32)


def _block(block: Block, axis: int) -> np.ndarray:
    """Return where a block is in the grid: those of a cluster stand side by side along x."""
    return _scalar(block.place[axis] if axis else block.place[0] * _beside(block, 0) + block.rank)


def _beside(block: Block, axis: int) -> int:
    return 1 if axis else max(1, len(block.cluster))


_SREG = "llvm.nvvm.read.ptx.sreg"
for _n, _axis in enumerate(_AXES):
    value(f"{_SREG}.ctaid.{_axis}", f"llvm.amdgcn.workgroup.id.{_axis}")(
        lambda block, n=_n: _block(block, n)
    )
    value(f"{_SREG}.nctaid.{_axis}")(lambda block, n=_n: _scalar(block.grid[n] * _beside(block, n)))
    value(f"{_SREG}.clusterid.{_axis}")(lambda block, n=_n: _scalar(block.place[n]))
    value(f"{_SREG}.nclusterid.{_axis}")(lambda block, n=_n: _scalar(block.grid[n]))


def first_of_warps(block: Block, values: np.ndarray) -> np.ndarray:
    """Return for every thread what the first one of its warp that runs has."""
    whole = np.broadcast_to(values, block.threads).reshape(-1, block.lanes)
    first = block.mask.reshape(-1, block.lanes).argmax(axis=1)
    return np.repeat(whole[np.arange(len(whole)), first], block.lanes)


def require_whole_warps(block: Block, what: str) -> None:
    """Refuse warps of which some lanes run and others do not.

    Raises: CodegenError.
    """
    whole = block.mask.reshape(-1, min(block.lanes, block.threads))
    if (whole.any(axis=1) & ~whole.all(axis=1)).any():
        raise CodegenError(
            f"{what} while some lanes of the warp are elsewhere",
            found=f"{int(block.mask.sum())} of {block.threads} threads",
        )


def of_lane(block: Block, values: np.ndarray, source: np.ndarray, what: str) -> np.ndarray:
    """Return the value of another lane of the warp, given by its number in the warp."""
    require_whole_warps(block, what)
    thread = _thread(block)
    place = thread // block.lanes * block.lanes + source % block.lanes
    return np.broadcast_to(values, block.threads)[place]


def require_every_lane(members: np.ndarray, what: str) -> None:
    """Refuse an instruction of which only some lanes of a warp are to take part.

    Raises: CodegenError.
    """
    if (members != -1).any():
        raise CodegenError(f"{what} of some lanes is not simulated", found=hex(int(members[0])))


@value("llvm.nvvm.shfl.sync.bfly.i32")
def _shuffle_xor(block: Block, members: Any, value: Any, lanes: Any, clamp: Any) -> np.ndarray:
    require_every_lane(members, "shfl.sync")
    if (clamp != block.lanes - 1).any():
        raise CodegenError("shfl.sync within parts of a warp is not simulated", found=clamp[0])
    return of_lane(block, value, (_thread(block) % block.lanes) ^ lanes, "shfl.sync")


@value("llvm.nvvm.shfl.sync.idx.i32")
def _shuffle_index(block: Block, members: Any, value: Any, lane: Any, clamp: Any) -> np.ndarray:
    require_every_lane(members, "shfl.sync")
    if (clamp & 0xFF != block.lanes - 1).any():
        raise CodegenError("shfl.sync that clamps is not simulated", found=hex(int(clamp[0])))
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


def _reduction(function: np.ufunc, unsigned: bool = False) -> Any:
    def run(block: Block, given: np.ndarray, members: Any) -> np.ndarray:
        require_every_lane(members, "redux.sync")
        own = of_lane(block, given, _thread(block) % block.lanes, "redux.sync")
        kind = f"u{own.dtype.itemsize}" if unsigned else own.dtype
        rows = own.view(kind).reshape(-1, min(block.lanes, block.threads))
        found = function.reduce(rows, axis=1, dtype=rows.dtype)
        return np.repeat(found, rows.shape[1]).view(own.dtype)

    return run


@value("llvm.nvvm.vote.any.sync")
def _vote(block: Block, members: Any, given: np.ndarray) -> np.ndarray:
    require_every_lane(members, "vote.sync")
    own = of_lane(block, given, _thread(block) % block.lanes, "vote.sync")
    rows = own.reshape(-1, min(block.lanes, block.threads))
    return np.repeat(rows.any(axis=1), rows.shape[1])


for _name, _function, _unsigned in (
    ("add", np.add, False),
    ("and", np.bitwise_and, False),
    ("or", np.bitwise_or, False),
    ("xor", np.bitwise_xor, False),
    ("max", np.maximum, False),
    ("min", np.minimum, False),
    ("umax", np.maximum, True),
    ("umin", np.minimum, True),
    ("fmax", np.fmax, False),
    ("fmin", np.fmin, False),
    ("fmax.NaN", np.maximum, False),
    ("fmin.NaN", np.minimum, False),
):
    value(f"llvm.nvvm.redux.sync.{_name}")(_reduction(_function, _unsigned))
