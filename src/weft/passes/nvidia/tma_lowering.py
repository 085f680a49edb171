"""Lower descriptor operations to asynchronous TMA copies (triton-nvidia-tma-lowering).

Before:  %x = tt.descriptor_load %d[%i, %j] : … -> tensor<64x64xf16, #blocked>

After:   %m = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
         %bar = ttg.local_alloc                         an mbarrier of one arrival
         ttng.init_barrier %bar, 1
         ttng.barrier_expect %bar, 8192, %true          and 8192 bytes
         ttng.async_tma_copy_global_to_local %d[%i, %j] %m, %bar, %true
         ttng.wait_barrier %bar, %c0
         ttng.inval_barrier %bar
         %x = ttg.local_load %m

A store writes the tile to a buffer, then a proxy fence, the copy, and a wait until the buffer was
read. A descriptor created in the kernel is written to global scratch memory, as a tensor map
(`weft.passes.rewrite.tensor_map`).

Needs: descriptors with encodings. Keeps: values. Source: measured with Triton 3.7.1; CUDA driver
API, cuTensorMapEncodeTiled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import ClassVar

from msgspec import Struct

from weft.ir import attributes, tt, ttg, ttng, types
from weft.ir.builtin import Attribute, ModuleOp, Operation, SSAValue
from weft.ir.folds import FOLDS
from weft.ir.rewriting import set_type
from weft.ir.ttg import memdesc_views
from weft.layouts import NvmmaSharedEncoding
from weft.passes.ledger import enabled, record_decision, record_remaining_layouts, snapshot_layouts
from weft.passes.rewrite.greedy import PatternTable, RewriteRules, apply_greedily
from weft.passes.rewrite.mbarrier import mbarrier_type
from weft.passes.rewrite.rewriter import Rewriter
from weft.passes.rewrite.tensor_map import (
    DESCRIPTOR_BYTES,
    create_tensor_map,
    cta_shape,
    encoding_of_descriptor,
    multiply,
)

__all__ = ["TmaLowering"]


class TmaLowering(Struct, frozen=True):
    """Replace every tt.descriptor_* and tt.make_tensor_descriptor operation."""

    name: ClassVar[str] = "triton-nvidia-tma-lowering"

    def run(self, module: ModuleOp) -> None:
        """Rewrite descriptor operations in place.

        Raises:
            PassError: A descriptor has no encoding, or TMA does not support its element type.
        """
        patterns: PatternTable = {
            tt.DescriptorLoadOp: (self._load,),
            tt.DescriptorGatherOp: (self._gather,),
            tt.DescriptorStoreOp: (self._store,),
            tt.DescriptorReduceOp: (self._reduce,),
            tt.DescriptorScatterOp: (self._scatter,),
            tt.MakeTensorDescOp: (_make,),
        }
        before = snapshot_layouts(module)
        apply_greedily(module, RewriteRules(FOLDS, patterns, top_down=False))
        record_remaining_layouts(self, module, before, "the layout of the value that it replaces")

    # ----------------------------------------------------------------------------------- loads
    def _load(self, op: Operation, rewriter: Rewriter) -> bool:
        assert isinstance(op, tt.DescriptorLoadOp)

        def copy(buffer: SSAValue, barrier: SSAValue, true: SSAValue) -> None:
            indices = _indices(op, op.indices, rewriter)
            properties = {
                "cache": op.properties["cache"],
                "evict": op.properties["evict"],
                "operandSegmentSizes": attributes.array_i32((1, len(indices), 0, 1, 1, 1)),
            }
            operands = (op.desc, *indices, barrier, buffer, true)
            rewriter.create(ttng.AsyncTMACopyGlobalToLocalOp, operands, (), properties, before=op)

        self._fetch(op, copy, rewriter)
        return True

    def _gather(self, op: Operation, rewriter: Rewriter) -> bool:
        assert isinstance(op, tt.DescriptorGatherOp)

        def copy(buffer: SSAValue, barrier: SSAValue, true: SSAValue) -> None:
            operands = (op.desc, op.x_offsets, op.y_offset, barrier, buffer, true)
            rewriter.create(ttng.AsyncTMAGatherOp, operands, before=op)

        self._fetch(op, copy, rewriter)
        return True

    def _fetch(
        self,
        op: Operation,
        copy: Callable[[SSAValue, SSAValue, SSAValue], None],
        rewriter: Rewriter,
    ) -> None:
        """Copy a tile to a buffer, wait on the mbarrier, and load the tile."""
        type_ = op.results[0].type
        memory = _memory(op, type_, mutable=True)
        buffer = rewriter.create(ttg.LocalAllocOp, (), (memory,), before=op).results[0]
        word = (mbarrier_type(op),)
        barrier = rewriter.create(ttg.LocalAllocOp, (), word, before=op).results[0]
        count = {"count": attributes.integer(1, types.i32)}
        rewriter.create(ttng.InitBarrierOp, (barrier,), (), count, before=op)
        true = rewriter.constant(attributes.boolean(True), types.i1, op)
        assert isinstance(memory.encoding, NvmmaSharedEncoding)
        size = prod(cta_shape(memory.shape, memory.encoding)) * types.bit_width(type_) // 8
        expected = {"size": attributes.integer(size, types.i32)}
        rewriter.create(ttng.BarrierExpectOp, (barrier, true), (), expected, before=op)
        copy(buffer, barrier, true)
        zero = rewriter.constant(attributes.integer(0, types.i32), types.i32, op)
        sizes = {"operandSegmentSizes": attributes.array_i32((1, 1, 0, 0))}
        rewriter.create(ttng.WaitBarrierOp, (barrier, zero), (), sizes, before=op)
        rewriter.create(ttng.InvalBarrierOp, (barrier,), before=op)
        self._record(buffer, "the layout of the descriptor, in which TMA writes the tile")
        self._replace_uses(op, buffer, rewriter)

    def _replace_uses(self, op: Operation, buffer: SSAValue, rewriter: Rewriter) -> None:
        """Replace allocations for the tile by the buffer; load the tile for other users."""
        tile, buffer_type = op.results[0], buffer.type
        assert isinstance(buffer_type, ttg.MemDescType)
        for use in tuple(tile.uses):
            alloc = use.operation
            if isinstance(alloc, ttg.LocalAllocOp):
                type_of_alloc = alloc.result.type
                assert isinstance(type_of_alloc, ttg.MemDescType)
                if type_of_alloc.encoding is buffer_type.encoding:
                    _replace_buffer(alloc, buffer, rewriter)
        if tile.first_use is None:
            rewriter.erase(op)
            return
        load = rewriter.create(ttg.LocalLoadOp, (buffer,), (tile.type,), before=op)
        self._record(load.results[0], "the layout of the load that it replaces")
        rewriter.replace(op, load.results)

    # ---------------------------------------------------------------------------------- stores
    def _store(self, op: Operation, rewriter: Rewriter) -> bool:
        assert isinstance(op, tt.DescriptorStoreOp)
        buffer = self._stage(op, op.src, rewriter)
        operands = (op.desc, *_indices(op, op.indices, rewriter), buffer)
        rewriter.create(ttng.AsyncTMACopyLocalToGlobalOp, operands, before=op)
        return _finish(op, rewriter)

    def _reduce(self, op: Operation, rewriter: Rewriter) -> bool:
        assert isinstance(op, tt.DescriptorReduceOp)
        buffer = self._stage(op, op.src, rewriter)
        operands = (op.desc, *_indices(op, op.indices, rewriter), buffer)
        kind = {"kind": op.properties["kind"]}
        rewriter.create(ttng.AsyncTMAReduceOp, operands, (), kind, before=op)
        return _finish(op, rewriter)

    def _scatter(self, op: Operation, rewriter: Rewriter) -> bool:
        assert isinstance(op, tt.DescriptorScatterOp)
        buffer = self._stage(op, op.src, rewriter)
        operands = (op.desc, op.x_offsets, op.y_offset, buffer)
        rewriter.create(ttng.AsyncTMAScatterOp, operands, before=op)
        return _finish(op, rewriter)

    def _stage(self, op: Operation, source: SSAValue, rewriter: Rewriter) -> SSAValue:
        """Store a tile to a buffer, followed by a proxy fence."""
        memory = _memory(op, source.type)
        buffer = rewriter.create(ttg.LocalAllocOp, (source,), (memory,), before=op).results[0]
        fence = {"bCluster": attributes.boolean(False)}
        rewriter.create(ttng.FenceAsyncSharedOp, (), (), fence, before=op)
        self._record(buffer, "the layout of the descriptor, in which TMA reads the tile")
        return buffer

    def _record(self, value: SSAValue, reason: str) -> None:
        if enabled():
            type_ = value.type
            layout = type_.encoding if isinstance(type_, ttg.MemDescType) else types.encoding(type_)
            record_decision(self, value, str(layout), reason)


def _replace_buffer(old: Operation, buffer: SSAValue, rewriter: Rewriter) -> None:
    """Replace an immutable buffer by a mutable one, also in its views."""
    for use in tuple(old.results[0].uses):
        user = use.operation
        if isinstance(user, ttg.WarpSpecializePartitionsOp):
            for region in user.regions:
                set_type(region.block.args[use.index], buffer.type)
        if not isinstance(user, memdesc_views.OPERATIONS):
            rewriter.set_operand(user, use.index, buffer)
            if isinstance(user, ttng.WarpGroupDotWaitOp):
                set_type(user.results[use.index], buffer.type)
            continue
        type_ = user.results[0].type
        assert isinstance(type_, ttg.MemDescType)
        assert type_.encoding is not None
        writable = ttg.MemDescType.of(
            type_.shape,
            type_.element_type,
            type_.encoding,
            type_.memory_space,
            mutable=True,
            allocated=type_.allocated,
        )
        operands = [buffer, *user.operands[1:]]
        new_op = rewriter.create(type(user), operands, (writable,), user.properties, before=user)
        _replace_buffer(user, new_op.results[0], rewriter)
    rewriter.erase(old)


def _finish(op: Operation, rewriter: Rewriter) -> bool:
    """Create the wait until TMA has read the buffer, and erase the store."""
    pendings = {"pendings": attributes.integer(0, types.i32)}
    rewriter.create(ttng.TMAStoreWaitOp, (), (), pendings, before=op)
    rewriter.erase(op)
    return True


def _memory(op: Operation, tensor: Attribute, *, mutable: bool = False) -> ttg.MemDescType:
    """Create the type of a buffer for a tile, whose descriptor may have more dimensions."""
    encoding = encoding_of_descriptor(op, op.operands[0])
    shape = types.shape(tensor)
    buffer_encoding = NvmmaSharedEncoding(
        encoding.swizzling_byte_width,
        encoding.element_bit_width,
        encoding.transposed,
        encoding.fp4_padded,
        tuple(vector[-len(shape) :] for vector in encoding.cga_layout),
        len(shape),
    )
    return ttg.MemDescType.of(
        shape, types.element(tensor), buffer_encoding, ttg.SharedMemoryAttr(), mutable=mutable
    )


def _indices(op: Operation, indices: Sequence[SSAValue], rewriter: Rewriter) -> list[SSAValue]:
    """Convert indices to what TMA counts: 4-bit elements where pairs of them are padded."""
    encoding = list(indices)
    if encoding_of_descriptor(op, op.operands[0]).fp4_padded:
        two = rewriter.constant(attributes.integer(2, types.i32), types.i32, op)
        encoding[-1] = multiply(encoding[-1], two, op, rewriter)
    return encoding


def _make(op: Operation, rewriter: Rewriter) -> bool:
    """Write a descriptor to scratch memory in global memory."""
    assert isinstance(op, tt.MakeTensorDescOp)
    properties = {
        "nbytes": attributes.integer(DESCRIPTOR_BYTES, types.i32),
        "alignment": attributes.integer(DESCRIPTOR_BYTES, types.i32),
    }
    type_ = types.pointer(types.i8)
    memory = rewriter.create(ttg.GlobalScratchAllocOp, (), (type_,), properties, before=op).results[
        0
    ]
    create_tensor_map(op, memory, rewriter)
    rewriter.create(ttng.TensormapFenceproxyAcquireOp, (memory,), before=op)
    new_op = rewriter.create(ttng.ReinterpretTensorDescOp, (memory,), (op.result.type,), before=op)
    rewriter.replace(op, new_op.results)
    return True
