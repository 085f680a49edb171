"""Lower descriptor loads and stores to TDM copies (tritonamdgpu-convert-tensor-ops).

Before:  %0 = tt.descriptor_load %d[%i, %j]
After:   %1 = ttg.local_alloc : () -> !ttg.memdesc<…, #shared, #smem, mutable>
         %2 = amdg.async_tdm_copy_global_to_local %d[%i, %j] into %1, %true
         %3 = amdg.async_tdm_wait {num = 0}
         %0 = ttg.local_load %1

Before:  tt.descriptor_store %d[%i, %j], %x
After:   %1 = ttg.local_alloc %x
         amdg.async_tdm_copy_local_to_global %d[%i, %j] from %1
         %2 = amdg.async_tdm_wait {num = 0}

The TDM (tensor data mover) copies between global and shared memory. The buffer has the dimension
order of the tensor's layout and no swizzle. Gathers and scatters are not changed. Folds run after
the conversion.

Needs: a chip with a TDM; on other chips descriptors were rewritten to pointers before.
Keeps: values, the order of effects. Source: measured with Triton 3.7.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from msgspec import Struct

from weft.errors import PassError
from weft.ir import amdg, arith, attributes, locations, tt, ttg, types
from weft.ir.builtin import Attribute, ModuleOp, Operation, SSAValue
from weft.ir.folds import FOLDS
from weft.ir.ttg.types import MemDescType, SharedMemoryAttr, async_token
from weft.layouts import SwizzledSharedEncoding
from weft.layouts.cga import cga_bases
from weft.layouts.dimension_order import dimension_order
from weft.passes.ledger import enabled, record_decision, record_remaining_layouts, snapshot_layouts
from weft.passes.rewrite.greedy import PatternTable, RewriteRules, apply_greedily
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["ConvertTensorOps"]


class ConvertTensorOps(Struct, frozen=True):
    """Replace every tt.descriptor_load and tt.descriptor_store."""

    name: ClassVar[str] = "tritonamdgpu-convert-tensor-ops"

    def run(self, module: ModuleOp) -> None:
        """Rewrite a module in place.

        Raises: PassError: a tensor has no layout.
        """

        def load(op: Operation, rewriter: Rewriter) -> bool:
            assert isinstance(op, tt.DescriptorLoadOp)
            self._load(op, rewriter)
            return True

        patterns: PatternTable = {tt.DescriptorLoadOp: (load,), tt.DescriptorStoreOp: (_store,)}
        before = snapshot_layouts(module)
        apply_greedily(module, RewriteRules(FOLDS, patterns, merge_blocks=True))
        record_remaining_layouts(self, module, before, "folded, in the same layout")

    def _load(self, op: tt.DescriptorLoadOp, rewriter: Rewriter) -> None:
        type_ = op.result.type
        memory = _buffer(op, type_)
        (buffer,) = rewriter.create(ttg.LocalAllocOp, (), (memory,), before=op).results
        always = attributes.integer(1, types.i32)
        pred = rewriter.create(arith.ConstantOp, (), (types.i32,), {"value": always}, before=op)
        desc, *indices = op.operands
        operands = [desc, *indices, buffer, pred.results[0]]
        sizes = (1, len(indices), 1, 1, 0)
        _copy(amdg.AsyncTDMCopyGlobalToLocalOp, operands, sizes, (async_token,), op, rewriter)
        result = rewriter.create(ttg.LocalLoadOp, (buffer,), (type_,), before=op).results[0]
        if enabled():
            reason = "TDM copies the tile through shared memory; the load keeps its layout"
            facts = (("buffer", str(memory.encoding)),)
            record_decision(self, result, str(types.encoding(type_)), reason, facts=facts)
        rewriter.replace(op, [result])


def _store(op: Operation, rewriter: Rewriter) -> bool:
    assert isinstance(op, tt.DescriptorStoreOp)
    desc, *indices = (operand for operand in op.operands if operand is not op.src)
    memory = _buffer(op, op.src.type)
    (buffer,) = rewriter.create(ttg.LocalAllocOp, (op.src,), (memory,), before=op).results
    sizes = (1, len(indices), 1, 0)
    operands = [desc, *indices, buffer]
    _copy(amdg.AsyncTDMCopyLocalToGlobalOp, operands, sizes, (), op, rewriter)
    rewriter.erase(op)
    return True


def _copy(
    cls: type[Operation],
    operands: Sequence[SSAValue],
    sizes: Sequence[int],
    results: Sequence[Attribute],
    op: Operation,
    rewriter: Rewriter,
) -> None:
    """Create a copy and its wait before an operation."""
    segments = {"operandSegmentSizes": attributes.array_i32(tuple(sizes))}
    rewriter.create(cls, operands, results, segments, before=op)
    none = {"num": attributes.integer(0, types.i32)}
    rewriter.create(amdg.AsyncTDMWaitOp, (), (async_token,), none, before=op)


def _buffer(op: Operation, type_: Attribute) -> MemDescType:
    """Create the type of a shared-memory buffer for a tensor.

    Raises: PassError: the tensor has no layout.
    """
    layout, shape = types.encoding(type_), types.shape(type_)
    if layout is None:
        raise PassError(
            f"{op.name}: a tensor with a layout expected",
            location=locations.position(op.location),
            found=type_,
            hint="run convert-triton-to-tritongpu first",
        )
    order = dimension_order(layout.linear(shape))
    plain = SwizzledSharedEncoding(1, 1, 1, order, cga_bases(layout))
    return MemDescType.of(shape, types.element(type_), plain, SharedMemoryAttr(), mutable=True)
