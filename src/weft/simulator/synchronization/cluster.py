"""Blocks of a cluster: who they are, how they wait for each other, and read each other's memory.

    mapa 512, 1               the byte 512 of block 1: its address there, and the block's number
    load ptr addrspace(7)     of the block that the address names
    arrive, wait              a wait passes once every block has arrived as often

A byte of another block may be read once that block wrote it, arrived, and the reader waited; it may
be written again once the reader arrived and its owner waited. Lock step hides what breaks these
rules from the result, so every byte keeps when it was written and read (`meetings`).
Source: PTX ISA 9.0, barrier.cluster and mapa; LLVM 22.1, llvm.amdgcn.s.barrier.signal.
"""

from __future__ import annotations

import numpy as np

from weft.errors import CodegenError
from weft.simulator.block import Block, NotYet, Step
from weft.simulator.llvm_ir.types import Type, dtype_of
from weft.simulator.registry import Call, intrinsic, value
from weft.simulator.synchronization.cluster_order import Meetings

__all__ = ["CLUSTER_SPACE", "home_of", "load_remote", "members"]

CLUSTER_SPACE = 7
_CLUSTER_BARRIER, _JOINED = -3, 1  # of AMD's
_BLOCK_SHIFT = 24  # an address in a cluster has the block's number, and one, above this bit


@value("llvm.nvvm.read.ptx.sreg.cluster.ctarank", "llvm.amdgcn.cluster.workgroup.id.x")
def _rank(block: Block) -> np.ndarray:
    return np.full(1, block.rank, np.int32)


@value("llvm.nvvm.mapa.shared.cluster")
def _map(block: Block, address: np.ndarray, rank: np.ndarray) -> np.ndarray:
    """Return an address of the cluster's memory.

    Raises: CodegenError: the cluster has no such block.
    """
    asked = np.broadcast_to(rank, block.threads)[block.mask]
    if ((asked < 0) | (asked >= len(block.cluster))).any():
        raise CodegenError(
            "an address in a block that the cluster has not",
            found=sorted(set(asked.tolist())),
            accepted=list(range(len(block.cluster))),
        )
    return np.asarray(address) + ((np.asarray(rank, np.int64) + 1) << _BLOCK_SHIFT)


def _meetings(block: Block) -> Meetings:
    """Return a block's meetings.

    Raises: CodegenError: it is in no cluster, or some lanes of a warp are elsewhere.
    """
    races = block.shared.races
    if races is None or races.meetings is None:
        raise CodegenError("a block that is in no cluster has none to wait for")
    warps = block.mask.reshape(-1, min(block.lanes, block.threads))
    if (warps.any(axis=1) & ~warps.all(axis=1)).any():
        raise CodegenError(
            "some threads of a block are elsewhere while the others wait for the cluster",
            found=f"{int(block.mask.sum())} of {block.threads} threads",
        )
    return races.meetings


def _arrive(block: Block, *, releases: bool) -> None:
    own = _meetings(block)
    own.come(block.mask, ~block.gone, releases=releases)
    if block.tensor is not None and releases and not own.here.any():
        block.tensor.meet()


value("llvm.nvvm.barrier.cluster.arrive.aligned")(lambda block: _arrive(block, releases=True))
value("llvm.nvvm.barrier.cluster.arrive.relaxed.aligned")(
    lambda block: _arrive(block, releases=False)
)


@value("llvm.nvvm.barrier.cluster.wait.aligned")
def _wait(block: Block) -> None:
    """Wait, or raise NotYet while a block has not arrived that still runs."""
    own, races = _meetings(block), block.shared.races
    own.settle(~block.gone)
    if (block.mask & own.here).any():
        raise NotYet("some threads of a block are elsewhere while the others wait for the cluster")
    if not (block.mask & own.awaited)[block.mask].all():
        raise CodegenError("a block waits for its cluster before it has arrived")
    for other in block.cluster:
        if not other.ended and _arrivals(other) < own.arrived:
            raise NotYet(f"block {other.rank} of the cluster has not arrived")
    own.go_on(block.mask)
    assert races is not None
    races.barrier(block.mask)
    if block.tensor is not None and block.mask.all():
        block.tensor.barrier()


@intrinsic(r"llvm\.amdgcn\.cluster\.id\.([xyz])")
def _cluster(call: Call) -> Step:
    axis = "xyz".index(call.match[1])
    return lambda block: block.set(call.result, np.full(1, block.place[axis], np.int32))


@value("llvm.amdgcn.s.barrier.signal")
def _signal(block: Block, number: np.ndarray) -> None:
    """Arrive: the block's first warp does for all."""
    own = _own(block, number)
    if np.flatnonzero(block.mask).max() >= block.lanes:
        raise CodegenError("more warps than one signal the cluster's barrier")
    if own.arrived != own.waited:
        raise CodegenError("a block arrives at its cluster's barrier twice without a wait")
    own.arrived += 1


@value("llvm.amdgcn.s.barrier.wait")
def _wait_for_signals(block: Block, number: np.ndarray) -> None:
    """Wait, or raise NotYet while a block has not arrived that still runs.

    At a barrier that warps have joined, they have met where they signalled it.
    """
    if int(number[0]) == _JOINED:
        return
    own = _own(block, number)
    if not block.mask.all():
        raise NotYet("some threads of a block are elsewhere while the others wait for the cluster")
    if own.waited == own.arrived:
        raise CodegenError("a block waits for its cluster before it has arrived")
    for other in block.cluster:
        if not other.ended and _arrivals(other) < own.arrived:
            raise NotYet(f"block {other.rank} of the cluster has not arrived")
    own.waited += 1


@intrinsic(r"llvm\.amdgcn\.s\.barrier\.join")
def _join(call: Call) -> Step:
    """Return nothing to do: signals name the barrier."""
    return lambda block: None


def _own(block: Block, number: np.ndarray) -> Meetings:
    """Return a block's meetings.

    Raises: CodegenError: it is in no cluster, or the barrier is another one than the cluster's.
    """
    races = block.shared.races
    if int(number[0]) != _CLUSTER_BARRIER or races is None or races.meetings is None:
        raise CodegenError("no barrier of a cluster", found=int(number[0]))
    return races.meetings


def _arrivals(block: Block) -> int:
    assert block.shared.races is not None
    assert block.shared.races.meetings is not None
    return block.shared.races.meetings.arrived


def home_of(block: Block, address: int) -> tuple[Block, int]:
    """Return the block that an address means, and the address there; plain ones are its own."""
    home = (address >> _BLOCK_SHIFT) - 1
    return (block if home < 0 else block.cluster[home]), address & ((1 << _BLOCK_SHIFT) - 1)


def members(block: Block, mask: int) -> list[Block]:
    """Return the blocks of a cluster that a mask names by a bit each.

    Raises: CodegenError: it names none, one that the cluster has not, or one that has ended.
    """
    found = [other for other in block.cluster if mask >> other.rank & 1]
    if not mask or mask >> len(block.cluster):
        raise CodegenError(
            "a mask of blocks that the cluster has not",
            found=bin(mask),
            accepted=[f"bits 0 to {len(block.cluster) - 1}"],
        )
    for other in found:
        if other.ended:
            raise CodegenError(f"block {other.rank} has ended, and its shared memory is written")
    return found


def load_remote(block: Block, type_: Type, addresses: np.ndarray) -> np.ndarray:
    """Return what lies at addresses of the cluster's memory; zero for threads outside the mask.

    Raises: CodegenError: of a block that has ended, or that may still be writing it.
    """
    places = np.broadcast_to(addresses, block.threads)
    shape = (block.threads, type_.count) if type_.count else (block.threads,)
    found = np.zeros(shape, dtype_of(type_))
    homes = (places >> _BLOCK_SHIFT) - 1
    size = type_.bytes_each * max(1, type_.count)
    block.shared.traffic.add("load of the cluster", size, block.warps)
    races = block.shared.races
    own = None if races is None else races.meetings
    for home in np.unique(homes[block.mask]).tolist():
        other, mine = block.cluster[home], block.mask & (homes == home)
        if other.ended:
            raise CodegenError(f"block {home} has ended, and its shared memory is read")
        local = places & ((1 << _BLOCK_SHIFT) - 1)
        reader = None if other is block else own
        found[mine] = other.shared.load(type_, local, mine, reader)[mine]
    return found
