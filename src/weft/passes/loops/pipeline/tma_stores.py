"""Overlap the TMA stores of a loop with its next iteration.

Before:  scf.for … {                           After:  %m = ttg.local_alloc
           tt.descriptor_store %d[%i], %x              scf.for … {
         }                                               ttng.async_tma_store_wait {pendings = 0}
                                                         ttg.local_store %x, %m
                                                         ttng.fence_async_shared
                                                         ttng.async_tma_copy_local_to_global %d, %m
                                                       }
                                                       ttng.async_tma_store_wait {pendings = 0}
                                                       ttg.local_dealloc %m

The wait is before the buffer is written again, not after the copy. Stores of one shape and element
type share a buffer.
"""

from __future__ import annotations

from collections.abc import Iterator

from weft.ir import attributes, scf, tt, ttg, ttng, types
from weft.ir.builtin import Attribute, BlockArgument, Operation, OpResult, SSAValue
from weft.ir.rewriting import Builder, erase
from weft.passes.pipelining.buffers.tma_descriptors import lower_tma_descriptors
from weft.passes.pipelining.loads.shared_encodings import tile_encoding
from weft.passes.pipelining.schedule.loop_schedule import LoopSchedule

__all__ = ["pipeline_tma_stores"]

_Store = tt.DescriptorStoreOp | tt.DescriptorReduceOp | tt.DescriptorScatterOp

_DESCRIPTOR_STAGES = 3  # two buffers for each descriptor


def pipeline_tma_stores(loop: scf.ForOp) -> None:
    """Make the stores through descriptors of a loop, without inner loops, asynchronous."""
    stores = list(_stores(loop))
    if not stores:
        return
    buffers: dict[tuple[tuple[int, ...], Attribute], OpResult] = {}
    for store in stores:
        key = types.shape(store.src.type), types.element(store.src.type)
        if key not in buffers:
            buffers[key] = _allocate(loop, store)
    made_on_device = any(not _is_kernel_argument(store.desc) for store in stores)
    allocations = [
        buffers[types.shape(store.src.type), types.element(store.src.type)] for store in stores
    ]
    for store, buffer in zip(stores, allocations, strict=True):
        _lower(store, buffer)
    builder = Builder().after(loop)
    _wait(builder)
    for buffer in allocations:
        builder.create(ttg.LocalDeallocOp, [buffer])
    if made_on_device:
        lower_tma_descriptors(loop, LoopSchedule(_DESCRIPTOR_STAGES))


def _stores(root: Operation) -> Iterator[_Store]:
    """Yield the stores through descriptors inside an operation, but not inside inner loops."""
    for region in root.regions:
        for block in region.blocks:
            for op in block.ops:
                if isinstance(op, _Store):
                    yield op
                elif not isinstance(op, scf.ForOp):
                    yield from _stores(op)


def _is_kernel_argument(descriptor: SSAValue) -> bool:
    """Check whether a descriptor is made on the host."""
    if not isinstance(descriptor, BlockArgument):
        return False
    function = descriptor.block.parent_op()
    return isinstance(function, tt.FuncOp) and function.is_public


def _allocate(loop: scf.ForOp, store: _Store) -> OpResult:
    """Allocate a buffer for a tile before a loop."""
    type_ = store.src.type
    encoding = tile_encoding(store, store.desc, type_)
    memory = ttg.MemDescType.of(
        types.shape(type_), types.element(type_), encoding, ttg.SharedMemoryAttr(), mutable=True
    )
    builder = Builder().before(loop)
    builder.location = store.location
    return builder.value(ttg.LocalAllocOp, (), memory)


def _lower(store: _Store, buffer: SSAValue) -> None:
    """Replace a store by a copy from a buffer."""
    builder = Builder().before(store)
    _wait(builder)
    builder.create(ttg.LocalStoreOp, [store.src, buffer])
    builder.create(ttng.FenceAsyncSharedOp, (), (), {"bCluster": attributes.boolean(False)})
    if isinstance(store, tt.DescriptorStoreOp):
        builder.create(ttng.AsyncTMACopyLocalToGlobalOp, [store.desc, *store.indices, buffer])
    elif isinstance(store, tt.DescriptorReduceOp):
        operands = [store.desc, *store.indices, buffer]
        properties = {"kind": store.properties["kind"]}
        builder.create(ttng.AsyncTMAReduceOp, operands, (), properties)
    else:
        operands = [store.desc, store.x_offsets, store.y_offset, buffer]
        builder.create(ttng.AsyncTMAScatterOp, operands)
    erase(store)


def _wait(builder: Builder) -> None:
    pendings = {"pendings": attributes.integer(0, types.i32)}
    builder.create(ttng.TMAStoreWaitOp, (), (), pendings)
