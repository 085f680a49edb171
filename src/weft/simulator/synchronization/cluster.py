"""Clusters: ranks, cluster barriers, and access to the shared memory of other blocks.

    mapa 512, 1               the address of byte 512 of block 1, in the cluster's address space
    load ptr addrspace(7)     from the block that the address names
    arrive, wait              a wait passes once every block has arrived as often

A byte of another block may be read once that block wrote it, arrived, and the reader waited. It may
be written again once the reader arrived and the owner waited (see `cluster_order`).
Source: PTX ISA 9.0, barrier.cluster and mapa; LLVM 22.1, llvm.amdgcn.s.barrier.signal.
"""

from __future__ import annotations

import numpy as np

from weft.errors import CodegenError
from weft.simulator.block import Block, NotReady, Step
from weft.simulator.llvm_ir.types import Type, dtype_of
from weft.simulator.registry import Call, array_intrinsic, intrinsic
from weft.simulator.synchronization.cluster_order import ClusterOrder

__all__ = ["CLUSTER_SPACE", "blocks_of_mask", "load_remote", "owner_of"]

CLUSTER_SPACE = 7
"""Address space of the cluster's shared memory in LLVM IR."""
_AMD_CLUSTER_BARRIER, _AMD_NAMED_BARRIER = -3, 1
_RANK_SHIFT = 24  # a cluster address is (rank + 1) << _RANK_SHIFT | address in the block
_DIVERGED = "a cluster barrier that only some threads of the block reach"


@array_intrinsic("llvm.nvvm.read.ptx.sreg.cluster.ctarank", "llvm.amdgcn.cluster.workgroup.id.x")
def _rank(block: Block) -> np.ndarray:
    return np.full(1, block.rank, np.int32)


@array_intrinsic("llvm.nvvm.mapa.shared.cluster")
def _map_address(block: Block, addresses: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """Compute addresses in the cluster's address space.

    Raises:
        CodegenError: The cluster has no such block.
    """
    used = np.broadcast_to(ranks, block.threads)[block.active]
    if ((used < 0) | (used >= len(block.cluster))).any():
        raise CodegenError(
            "an address of a block outside of the cluster",
            found=sorted(set(used.tolist())),
            accepted=list(range(len(block.cluster))),
        )
    return np.asarray(addresses) + ((np.asarray(ranks, np.int64) + 1) << _RANK_SHIFT)


def _order_of(block: Block) -> ClusterOrder:
    """Find a block's record of cluster barriers.

    Raises:
        CodegenError: The block is not in a cluster, or its warps have diverged.
    """
    races = block.shared.races
    if races is None or races.cluster is None:
        raise CodegenError("a cluster barrier in a kernel without clusters")
    warps = block.by_warp(block.active)
    if (warps.any(axis=1) & ~warps.all(axis=1)).any():
        raise CodegenError(
            "a cluster barrier that only some threads of a warp reach",
            found=f"{int(block.active.sum())} of {block.threads} threads",
        )
    return races.cluster


def _arrive(block: Block, *, releases: bool) -> None:
    order = _order_of(block)
    order.arrive_threads(block.active, ~block.exited, releases=releases)
    races = block.shared.races
    if releases and races is not None and races.order is not None:
        races.order.arrive_at_cluster_barrier(block.active)
    if block.tensor_memory is not None and releases and not order.arriving.any():
        block.tensor_memory.arrive_at_cluster_barrier()


array_intrinsic("llvm.nvvm.barrier.cluster.arrive.aligned")(
    lambda block: _arrive(block, releases=True)
)
array_intrinsic("llvm.nvvm.barrier.cluster.arrive.relaxed.aligned")(
    lambda block: _arrive(block, releases=False)
)


@array_intrinsic("llvm.nvvm.barrier.cluster.wait.aligned")
def _wait(block: Block) -> None:
    """Wait until every block that has not finished has arrived.

    Raises:
        NotReady: A block has not.
        CodegenError: The block has not arrived itself.
    """
    order, races = _order_of(block), block.shared.races
    order.complete_arrival(~block.exited)
    if (block.active & order.arriving).any():
        raise NotReady(_DIVERGED)
    if not (block.active & order.must_wait)[block.active].all():
        raise CodegenError("a block waits at the cluster barrier before it has arrived")
    _check_arrivals(block, order)
    order.complete_wait(block.active)
    assert races is not None
    races.barrier(block.active)
    if races.order is not None:
        races.order.wait_for_cluster_barrier(block.active)
    if block.tensor_memory is not None and block.active.all():
        block.tensor_memory.barrier()


def _check_arrivals(block: Block, order: ClusterOrder) -> None:
    """Check that every other block has arrived as often as this one, or is finished.

    Raises:
        NotReady: One has not.
    """
    for other in block.cluster:
        races = other.shared.races
        assert races is not None
        assert races.cluster is not None
        if not other.finished and races.cluster.arrivals < order.arrivals:
            raise NotReady(f"block {other.rank} of the cluster has not arrived")


@intrinsic(r"llvm\.amdgcn\.cluster\.id\.([xyz])")
def _cluster_id(call: Call) -> Step:
    axis = "xyz".index(call.match[1])
    return lambda block: block.set(call.result, np.full(1, block.program[axis], np.int32))


@array_intrinsic("llvm.amdgcn.s.barrier.signal")
def _signal(block: Block, barrier: np.ndarray) -> None:
    """Arrive at AMD's cluster barrier: one warp does for the block.

    Raises:
        CodegenError: Several warps signal, or the block has not waited since the last signal.
    """
    order = _amd_order_of(block, barrier)
    if np.flatnonzero(block.active).max() >= block.warp_size:
        raise CodegenError("more than one warp signals the cluster barrier")
    if order.arrivals != order.waits:
        raise CodegenError("a block arrives at the cluster barrier twice without a wait")
    order.arrivals += 1


@array_intrinsic("llvm.amdgcn.s.barrier.wait")
def _wait_for_signals(block: Block, barrier: np.ndarray) -> None:
    """Wait until every block that has not finished has signalled AMD's cluster barrier.

    A wait at a named barrier has no effect: the signal was a barrier of its warps.

    Raises:
        NotReady: A block has not signalled.
        CodegenError: The block has not signalled itself.
    """
    if int(barrier[0]) == _AMD_NAMED_BARRIER:
        return
    order = _amd_order_of(block, barrier)
    if not block.active.all():
        raise NotReady(_DIVERGED)
    if order.waits == order.arrivals:
        raise CodegenError("a block waits at the cluster barrier before it has arrived")
    _check_arrivals(block, order)
    order.waits += 1


@intrinsic(r"llvm\.amdgcn\.s\.barrier\.join")
def _join(call: Call) -> Step:
    """Compile to nothing: signals name their barrier."""
    return lambda block: None


def _amd_order_of(block: Block, barrier: np.ndarray) -> ClusterOrder:
    """Find a block's record of cluster barriers.

    Raises:
        CodegenError: The block is not in a cluster, or the barrier is not the cluster's.
    """
    races = block.shared.races
    if int(barrier[0]) != _AMD_CLUSTER_BARRIER or races is None or races.cluster is None:
        raise CodegenError("not a cluster barrier", found=int(barrier[0]))
    return races.cluster


def owner_of(block: Block, address: int) -> tuple[Block, int]:
    """Find the block that a cluster address names, and the address there.

    An address that `mapa` did not compute is of the block itself.
    """
    rank = (address >> _RANK_SHIFT) - 1
    return (block if rank < 0 else block.cluster[rank]), address & ((1 << _RANK_SHIFT) - 1)


def blocks_of_mask(block: Block, mask: int) -> list[Block]:
    """List the blocks of the cluster whose bit is set in a mask.

    Raises:
        CodegenError: There is none; the cluster has no such block; or one has finished.
    """
    if not mask or mask >> len(block.cluster):
        raise CodegenError(
            "a multicast mask with blocks outside of the cluster",
            found=bin(mask),
            accepted=[f"bits 0 to {len(block.cluster) - 1}"],
        )
    blocks = [other for other in block.cluster if mask >> other.rank & 1]
    for other in blocks:
        if other.finished:
            raise CodegenError(
                f"shared memory of block {other.rank} is written after the block has exited"
            )
    return blocks


def load_remote(block: Block, type_: Type, pointers: np.ndarray) -> np.ndarray:
    """Load a value per active thread from the cluster's shared memory; others get zero.

    Raises:
        CodegenError: The owner has exited, or may still write what is read.
    """
    addresses = np.broadcast_to(pointers, block.threads)
    shape = (block.threads, type_.count) if type_.count else (block.threads,)
    values = np.zeros(shape, dtype_of(type_))
    ranks = (addresses >> _RANK_SHIFT) - 1
    block.shared.traffic.add("load of the cluster", type_.size, block.active_warps)
    block.count("cluster load", 8 * type_.size)
    races = block.shared.races
    order = None if races is None else races.cluster
    for rank in np.unique(ranks[block.active]).tolist():
        owner, mask = block.cluster[rank], block.active & (ranks == rank)
        if owner.finished:
            raise CodegenError(f"shared memory of block {rank} is read after the block has exited")
        local = addresses & ((1 << _RANK_SHIFT) - 1)
        reader = None if owner is block else order
        values[mask] = owner.shared.load(type_, local, mask, reader)[mask]
    return values
