"""Insert fences between threads and async proxy (triton-nvidia-gpu-proxy-fence-insertion).

Before:  ttg.async_copy_global_to_local %p, %a     After:  ttg.async_copy_global_to_local %p, %a
         ttg.async_wait                                    ttg.async_wait
         ttng.warp_group_dot %a, …                         ttng.fence_async_shared
                                                           ttng.warp_group_dot %a, …

Threads access shared memory through the generic proxy; MMAs and the TMA access it through the
async proxy. Only a fence orders the two. A forward dataflow analysis collects the bytes that
threads read and wrote since the last fence. A fence is inserted before an asynchronous read of
written bytes, and before an asynchronous write of bytes that were read or written. It finds also
the conflicts of buffers that share an offset, after the allocation of shared memory.

Needs `allocation.offset` on allocations and on operations with scratch memory. Keeps: values.
Source: Triton, ProxyFenceInsertion.cpp; PTX ISA, "Async proxy". The code generation does not need
the pass: `weft.analysis.hazards` finds its fences together with its barriers, on its own offsets.
"""

from __future__ import annotations

from math import prod
from typing import ClassVar

from msgspec import Struct

from weft.analysis.allocation import ByteRange
from weft.analysis.buffer_aliases import Aliases, buffer_aliases
from weft.analysis.buffer_size import buffer_bytes
from weft.analysis.dataflow import DenseForwardAnalysis
from weft.analysis.dataflow.call_graph import callees_first
from weft.analysis.shared_memory_effects import SharedMemoryEffects, shared_memory_effects
from weft.ir import attributes, tt, ttg, ttng, types
from weft.ir.attributes import number
from weft.ir.builtin import ModuleOp, Operation, SSAValue
from weft.ir.interfaces import CallOpInterface
from weft.ir.rewriting import Builder

__all__ = ["ProxyFenceInsertion"]

_HOPPER = 90  # the first compute capability with an async proxy
_OFFSET = "allocation.offset"
# Bytes of scratch memory of an operation on no tensors: a descriptor of 128 bytes, or less.
_SMALL_SCRATCH = 128
_ASYNC_READS = (
    ttng.AsyncTMACopyLocalToGlobalOp,
    ttng.AsyncTMAReduceOp,
    ttng.AsyncTMAScatterOp,
    ttng.TCGen5MMAOp,
    ttng.TCGen5MMAScaledOp,
    ttng.TMEMCopyOp,
    ttng.WarpGroupDotOp,
)
_ASYNC_WRITES = (ttng.AsyncTMACopyGlobalToLocalOp, ttng.AsyncTMAGatherOp)
# Operations on mbarriers, which order themselves.
_MBARRIERS = (
    ttng.ArriveBarrierOp,
    ttng.InitBarrierOp,
    ttng.InvalBarrierOp,
    ttng.WaitBarrierOp,
)


class ProxyFenceInsertion(Struct, frozen=True):
    """Insert proxy fences between accesses of threads and of the async proxy.

    Attributes:
        compute_capability: Of the chip; nothing is inserted below 90.
    """

    compute_capability: int = 90

    name: ClassVar[str] = "triton-nvidia-gpu-proxy-fence-insertion"

    def run(self, module: ModuleOp) -> None:
        """Insert fences in place."""
        if self.compute_capability < _HOPPER:
            return
        functions = [op for op in module.body.block.ops if isinstance(op, tt.FuncOp)]
        unfenced_after: dict[str, _Unfenced] = {}
        for function in callees_first(functions):
            if not function.body.blocks:
                continue
            analysis = _UnfencedAccesses(buffer_aliases(function), unfenced_after)
            unfenced_after[function.symbol] = analysis.visit_region(function.body, _Unfenced())
            for op in analysis.fenced:
                properties = {"bCluster": attributes.boolean(False)}
                Builder().before(op).create(ttng.FenceAsyncSharedOp, (), (), properties)


class _Unfenced(Struct, frozen=True):
    """The bytes that threads accessed since the last proxy fence."""

    reads: frozenset[ByteRange] = frozenset()
    writes: frozenset[ByteRange] = frozenset()

    def union(self, other: _Unfenced) -> _Unfenced:
        return _Unfenced(self.reads | other.reads, self.writes | other.writes)


class _UnfencedAccesses(DenseForwardAnalysis[_Unfenced]):
    """The accesses of one function.

    Attributes:
        fenced: The operations that need a fence before them.
    """

    def __init__(self, aliases: Aliases, unfenced_after: dict[str, _Unfenced]) -> None:
        self.fenced: dict[Operation, None] = {}
        self._aliases = aliases
        self._unfenced_after = unfenced_after

    def join(self, first: _Unfenced, second: _Unfenced) -> _Unfenced:
        return first.union(second)

    def visit_operation(self, op: Operation, before: _Unfenced) -> _Unfenced:
        if isinstance(op, ttng.FenceAsyncSharedOp):
            return _Unfenced()
        if isinstance(op, (*_ASYNC_READS, *_ASYNC_WRITES)):
            effects = shared_memory_effects(op)
            if not self._conflicts(op, effects, before):
                # An earlier visit, before the fixpoint, may have decided otherwise.
                self.fenced.pop(op, None)
                return before
            self.fenced[op] = None
            return _Unfenced()
        if isinstance(op, _MBARRIERS):
            return before
        return before.union(self._accesses(op))

    def _conflicts(self, op: Operation, effects: SharedMemoryEffects, before: _Unfenced) -> bool:
        """Check whether the async proxy may access what threads did, out of order."""
        if isinstance(op, _ASYNC_WRITES):
            return _overlap(self._bytes_of(*effects.writes), before.reads | before.writes)
        return _overlap(self._bytes_of(*effects.reads), before.writes)

    def _accesses(self, op: Operation) -> _Unfenced:
        if isinstance(op, CallOpInterface):
            return self._unfenced_after.get(op.callee_name, _Unfenced())
        effects = shared_memory_effects(op)
        reads = self._bytes_of(*effects.reads)
        writes = self._bytes_of(*effects.writes, *effects.signals)
        offset = number(op.attributes.get(_OFFSET))
        if offset is not None and not isinstance(op, ttg.LocalAllocOp):
            # Scratch memory counts as read: the operation itself orders its write before.
            reads |= {ByteRange(int(offset), _scratch_bytes(op))}
        return _Unfenced(reads, writes)

    def _bytes_of(self, *values: SSAValue) -> frozenset[ByteRange]:
        """Collect the bytes that memory descriptors may refer to."""
        ranges: set[ByteRange] = set()
        for buffer in {buffer for value in values for buffer in self._aliases.get(value, ())}:
            owner, type_ = buffer.owner, buffer.type
            assert isinstance(owner, Operation)
            assert isinstance(type_, ttg.MemDescType)
            offset = number(owner.attributes.get(_OFFSET))
            if offset is not None:
                ranges.add(ByteRange(int(offset), buffer_bytes(type_)))
        return frozenset(ranges)


def _overlap(some: frozenset[ByteRange], others: frozenset[ByteRange]) -> bool:
    return any(a.overlaps(b) for a in some for b in others)


def _scratch_bytes(op: Operation) -> int:
    """Bound the scratch memory of an operation by the largest tensor that it reads or makes."""
    sizes = [
        prod(types.shape(value.type)) * types.bit_width(value.type) // 8
        for value in (*op.operands, *op.results)
        if types.is_tensor(value.type)
    ]
    return max(sizes, default=_SMALL_SCRATCH)
