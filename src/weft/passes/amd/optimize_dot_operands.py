"""Keep a loop's scales in shared memory, fold conversions (tritonamdgpu-optimize-dot-operands).

Before:  %s = tt.load %p : #blocked            After:  %s = tt.load %p : #blocked
         … %s, broadcast … = %t                        %m = ttg.local_alloc %s
         amdg.scaled_upcast_fp8 %x scale %t            %l = ttg.local_load %m : #blocked
                                                       … %l, broadcast … = %t
                                                       amdg.scaled_upcast_fp8 %x scale %t

A scale that a loop loads for a conversion to 16 bits is written to shared memory and read back: the
software pipeliner then loads it ahead, as it does with the operands. Only on chips that say so
(`scales_through_lds`), in a loop, where exactly one load leads to the scale, something is computed
in between, and nothing on the way reads shared memory yet. On every chip conversions of layouts are
folded as `canonicalize` folds them: into what makes the tensor, or into one another.

Needs layouts; keeps every value. Source: measured on Triton 3.7.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

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
from weft.passes.rewrite.greedy import Pattern, RewriteRules, apply_greedily
from weft.passes.rewrite.rewriter import Rewriter
from weft.targets.matrix_units import matrix_units

__all__ = ["OptimizeDotOperands"]


@dataclass(frozen=True, slots=True)
class OptimizeDotOperands:
    """Post: no conversion of layouts can be folded, and scales of loops are in shared memory.

    arch_generation_name: the chip.
    """

    arch_generation_name: str

    name: ClassVar[str] = "tritonamdgpu-optimize-dot-operands"

    def run(self, module: ModuleOp) -> None:
        """Rewrite a module in place.

        Raises: UnknownTargetError: no such chip.
        """
        patterns: dict[type[Operation], tuple[Pattern, ...]] = dict(convert_layout.PATTERNS)
        if matrix_units(self.arch_generation_name).scales_through_lds:
            for cls in (amdg.ScaledUpcastFp8Op, amdg.ScaledUpcastFp4Op):
                patterns[cls] = (self._keep_scale,)
        before = snapshot_layouts(module)
        apply_greedily(module, RewriteRules(FOLDS, patterns, top_down=False, merge_blocks=True))
        why = "a conversion is folded into what makes the tensor: made in the layout asked for"
        record_remaining_layouts(self, module, before, why)

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
        held = rewriter.create(
            ttg.LocalAllocOp, load.results, (memory,), before=follower, location=load.location
        )
        read = rewriter.create(
            ttg.LocalLoadOp, held.results, (type_,), before=follower, location=load.location
        )
        for use in tuple(load.results[0].uses):
            if use.operation is not held:
                rewriter.set_operand(use.operation, use.index, read.results[0])
        _tell(self, op, read)
        return True


def _only_load(op: Operation) -> Operation | None:
    """Return the one load that a conversion's scale comes from; None if it is not to be kept."""
    if not any(isinstance(around, scf.ForOp) for around in ancestors(op)):
        return None
    made = backward_slice(op.operands[1], omit_block_arguments=True)
    if any(isinstance(one, ttg.LocalLoadOp) for one in (*made, defining_op(op.operands[1]))):
        return None
    loads = [one for one in made if isinstance(one, tt.LoadOp)]
    return loads[0] if len(loads) == 1 else None


def _tell(by: Pass, op: Operation, read: Operation) -> None:
    if enabled():
        value = read.results[0]
        anchor = f"{op.name} at {source_position(op.results[0]) or 'an unknown place'}"
        why = "a loop's scale is kept in shared memory, so that it is loaded ahead"
        record_decision(by, value, str(types.encoding(value.type)), why, anchor=anchor)
