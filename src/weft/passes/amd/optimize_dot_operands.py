"""Keep loop scales in shared memory and fold conversions (tritonamdgpu-optimize-dot-operands).

Before:  %s = tt.load %p : #blocked            After:  %s = tt.load %p : #blocked
         … %s, broadcast … = %t                        %m = ttg.local_alloc %s
         amdg.scaled_upcast_fp8 %x scale %t            %l = ttg.local_load %m : #blocked
                                                       … %l, broadcast … = %t
                                                       amdg.scaled_upcast_fp8 %x scale %t

A scale that is loaded in a loop for a conversion to 16 bits is stored to shared memory and loaded
back, so that the software pipeliner prefetches it as it does the operands. This is done on chips
with `scales_through_lds`, in a loop, if the backward slice of the scale has exactly one load and no
load from shared memory. On every chip, layout conversions are folded as `canonicalize` folds them:
into the defining operation, or with each other.

Needs layouts. Keeps every value. Source: measured with Triton 3.7.1.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.analysis.slices import backward_slice
from weft.ir import amdg, scf, tt, ttg, types
from weft.ir.builtin import ModuleOp, Operation
from weft.ir.folds import FOLDS
from weft.ir.rewriting import ancestors, defining_op
from weft.layouts import SwizzledSharedEncoding
from weft.layouts.cga import cga_bases
from weft.layouts.dimension_order import memory_order
from weft.passes.common.canonicalize import convert_layout
from weft.passes.ledger import (
    enabled,
    record_decision,
    record_remaining_layouts,
    snapshot_layouts,
    source_position,
)
from weft.passes.registry import Pass
from weft.passes.rewrite.greedy import PatternTable, RewriteRules, apply_greedily
from weft.passes.rewrite.rewriter import Rewriter
from weft.targets.matrix_units import matrix_units

__all__ = ["OptimizeDotOperands"]


class OptimizeDotOperands(Struct, frozen=True):
    """Store the scales of loops in shared memory and fold layout conversions.

    Attributes:
        arch_generation_name: the chip.
    """

    arch_generation_name: str

    name: ClassVar[str] = "tritonamdgpu-optimize-dot-operands"

    def run(self, module: ModuleOp) -> None:
        """Rewrite a module in place.

        Raises: UnknownTargetError: the chip is unknown.
        """
        patterns: PatternTable = dict(convert_layout.PATTERNS)
        if matrix_units(self.arch_generation_name).scales_through_lds:
            for cls in (amdg.ScaledUpcastFp8Op, amdg.ScaledUpcastFp4Op):
                patterns[cls] = (self._keep_scale,)
        before = snapshot_layouts(module)
        apply_greedily(module, RewriteRules(FOLDS, patterns, top_down=False, merge_blocks=True))
        reason = "a conversion is folded into the operation that defines the tensor"
        record_remaining_layouts(self, module, before, reason)

    def _keep_scale(self, op: Operation, rewriter: Rewriter) -> bool:
        load = _only_load(op)
        if load is None:
            return False
        type_, follower = load.results[0].type, load.next_op
        encoding, shape = types.encoding(type_), types.shape(type_)
        if encoding is None or follower is None:
            return False
        order = memory_order(encoding, shape)
        plain = SwizzledSharedEncoding(1, 1, 1, order, cga_bases(encoding))
        memory = ttg.MemDescType.of(shape, types.element(type_), plain, ttg.SharedMemoryAttr())
        buffer = rewriter.create(
            ttg.LocalAllocOp, load.results, (memory,), before=follower, location=load.location
        )
        reload = rewriter.create(
            ttg.LocalLoadOp, buffer.results, (type_,), before=follower, location=load.location
        )
        for use in tuple(load.results[0].uses):
            if use.operation is not buffer:
                rewriter.set_operand(use.operation, use.index, reload.results[0])
        _record(self, op, reload)
        return True


def _only_load(op: Operation) -> Operation | None:
    """Return the only load in the backward slice of a scale; None if the scale is not rewritten."""
    if not any(isinstance(ancestor, scf.ForOp) for ancestor in ancestors(op)):
        return None
    backward = backward_slice(op.operands[1], omit_block_arguments=True)
    if any(
        isinstance(producer, ttg.LocalLoadOp)
        for producer in (*backward, defining_op(op.operands[1]))
    ):
        return None
    loads = [producer for producer in backward if isinstance(producer, tt.LoadOp)]
    return loads[0] if len(loads) == 1 else None


def _record(pass_: Pass, op: Operation, reload: Operation) -> None:
    if enabled():
        value = reload.results[0]
        anchor = f"{op.name} at {source_position(op.results[0]) or 'an unknown location'}"
        reason = "a scale in shared memory can be prefetched by the pipeliner"
        record_decision(pass_, value, str(types.encoding(value.type)), reason, anchor=anchor)
