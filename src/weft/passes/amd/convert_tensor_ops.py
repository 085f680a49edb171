"""Move tiles of descriptors with the tensor data mover (`tritonamdgpu-convert-tensor-ops`).

Before:  %0 = tt.descriptor_load %d[%i, %j]
After:   %1 = ttg.local_alloc : () -> !ttg.memdesc<…, #shared, #smem, mutable>
         %2 = amdg.async_tdm_copy_global_to_local %d[%i, %j] into %1, %true
         %3 = amdg.async_tdm_wait {num = 0}
         %0 = ttg.local_load %1

Before:  tt.descriptor_store %d[%i, %j], %x
After:   %1 = ttg.local_alloc %x
         amdg.async_tdm_copy_local_to_global %d[%i, %j] from %1
         %2 = amdg.async_tdm_wait {num = 0}

The data mover copies between global and shared memory. The buffer has the order of the tensor's
registers and no swizzling: the copy writes rows as they are. Gathers and scatters stay. Then
folds what can be folded.

Needs: a chip with a tensor data mover; elsewhere descriptors are pointers by now.
Keeps: values, the order of effects. Source: measured on Triton 3.7.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from weft.errors import PassError
from weft.ir import amdg, arith, attributes, locations, tt, ttg, types
from weft.ir.builtin import Attribute, ModuleOp, Operation, SSAValue
from weft.ir.folds import FOLDS
from weft.ir.ttg.types import MemDescType, SharedMemoryAttr, async_token
from weft.layouts import SwizzledSharedEncoding
from weft.layouts.cga import cga_bases
from weft.layouts.dimension_order import dimension_order
from weft.passes.ledger import enabled, record_decision, record_remaining_layouts, snapshot_layouts
from weft.passes.rewrite.greedy import RewriteRules, apply_greedily
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["ConvertTensorOps"]


@dataclass(frozen=True, slots=True)
class ConvertTensorOps:
    """Post: no load or store of a descriptor is left.  Raises: PassError: one without a layout."""

    name: ClassVar[str] = "tritonamdgpu-convert-tensor-ops"

    def run(self, module: ModuleOp) -> None:
        """Replace loads and stores of descriptors in place."""

        def load(op: Operation, rewriter: Rewriter) -> bool:
            assert isinstance(op, tt.DescriptorLoadOp)
            self._load(op, rewriter)
            return True

        patterns = {tt.DescriptorLoadOp: (load,), tt.DescriptorStoreOp: (_store,)}
        before = snapshot_layouts(module)
        apply_greedily(module, RewriteRules(FOLDS, patterns, merge_blocks=True))
        record_remaining_layouts(self, module, before, "folded, with the layout of what it folds")

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
        made = rewriter.create(ttg.LocalLoadOp, (buffer,), (type_,), before=op).results[0]
        if enabled():
            why = "a tile of a descriptor comes through shared memory, in the layout of its load"
            place = (("buffer", str(memory.encoding)),)
            record_decision(self, made, str(types.encoding(type_)), why, facts=place)
        rewriter.replace(op, [made])


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
    """Start a copy before an operation, and wait for it."""
    segments = {"operandSegmentSizes": attributes.array_i32(tuple(sizes))}
    rewriter.create(cls, operands, results, segments, before=op)
    none = {"num": attributes.integer(0, types.i32)}
    rewriter.create(amdg.AsyncTDMWaitOp, (), (async_token,), none, before=op)


def _buffer(op: Operation, type_: Attribute) -> MemDescType:
    """Return the type of a buffer in shared memory for a tensor.

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
