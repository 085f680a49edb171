"""Keep the left operand of an MMA in tensor memory (tritongpu-promote-lhs-to-tmem).

Before:  %a = ttg.local_alloc %x               After:  %a = ttng.tmem_alloc %x
         ttng.tc_gen5_mma %a, %b, %m                   ttng.tc_gen5_mma %a, %b, %m

tcgen05.mma reads its left operand from shared or tensor memory. A tile that is computed in
registers saves shared memory this way, such as the probabilities of attention. A tile that is
loaded stays in shared memory, unless its layout fits tensor memory already: the load can write to
shared memory directly.

Elements have 16 or 32 bits. Source: Triton, PromoteLHSToTMem.cpp.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir import tt, ttg, ttng, types
from weft.ir.builtin import BlockArgument, ModuleOp, Operation, SSAValue
from weft.ir.folds import FOLDS
from weft.ir.module_attributes import lookup_num_warps
from weft.ir.rewriting import defining_op
from weft.layouts import Encoding, LinearEncoding, TensorMemoryEncoding
from weft.layouts.cga import shape_per_cta
from weft.layouts.tensor_memory import is_tensor_memory_compatible, tensor_memory_access_encoding
from weft.passes.ledger import enabled, record_decision
from weft.passes.pipelining.blackwell.mma_v5 import MMAS, Mma
from weft.passes.pipelining.loop_queries import is_memdesc_view
from weft.passes.rewrite.greedy import PatternTable, RewriteRules, apply_greedily
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["PromoteLhsToTmem"]

_LOADS = (tt.LoadOp, tt.DescriptorLoadOp, tt.DescriptorGatherOp)
_ELEMENT_BITS = (16, 32)


class PromoteLhsToTmem(Struct, frozen=True):
    """Moves left operands of MMAs from shared to tensor memory."""

    name: ClassVar[str] = "tritongpu-promote-lhs-to-tmem"

    def run(self, module: ModuleOp) -> None:
        """Rewrite the MMAs of a module in place."""
        patterns: PatternTable = {
            ttng.TCGen5MMAOp: (self._promote,),
            ttng.TCGen5MMAScaledOp: (self._promote,),
        }
        rules = RewriteRules(FOLDS, patterns, top_down=False, merge_blocks=True)
        apply_greedily(module, rules)

    def _promote(self, op: Operation, rewriter: Rewriter) -> bool:
        assert isinstance(op, MMAS)
        allocation = defining_op(op.a, ttg.LocalAllocOp)
        if allocation is None or allocation.parent_region() is not op.parent_region():
            return False
        source = allocation.src
        if source is None or types.bit_width(source.type) not in _ELEMENT_BITS:
            return False
        memory = _memory_type(op, source)
        old = types.encoding(source.type)
        following = allocation.next_op
        assert old is not None
        assert following is not None
        shape, bits = types.shape(source.type), types.bit_width(source.type)
        assert memory.encoding is not None
        if not is_tensor_memory_compatible(old, memory.encoding, shape, bits):
            if _is_loaded(source):
                return False
            encoding = _register_encoding(old, memory, lookup_num_warps(op))
            type_ = types.with_encoding(source.type, encoding)
            source = rewriter.create(
                ttg.ConvertLayoutOp, (source,), (type_,), before=following, location=op.location
            ).result
        promoted = rewriter.create(
            ttng.TMEMAllocOp, (source,), (memory,), before=following, location=op.location
        ).results[0]
        if enabled():
            reason = "tcgen05.mma reads its left operand from tensor memory"
            record_decision(self, promoted, str(memory.encoding), reason)
        op.operands[0] = promoted
        return True


def _memory_type(op: Mma, source: SSAValue) -> ttg.MemDescType:
    """Compute the type of the left operand in tensor memory."""
    accumulator, shared = op.d.type, op.a.type
    assert isinstance(accumulator, ttg.MemDescType)
    assert isinstance(shared, ttg.MemDescType)
    encoding = accumulator.encoding
    assert isinstance(encoding, TensorMemoryEncoding)
    registers = types.encoding(source.type)
    assert registers is not None
    per_cta = shape_per_cta(registers, shared.shape)
    splits = [size // part for size, part in zip(shared.shape, per_cta, strict=True)]
    memory = TensorMemoryEncoding(
        encoding.block_m, shared.shape[1], 1, splits[0], splits[1], encoding.two_ctas
    )
    return ttg.MemDescType.of(shared.shape, shared.element_type, memory, ttng.TensorMemoryAttr())


def _register_encoding(old: Encoding, memory: ttg.MemDescType, warps: int) -> LinearEncoding:
    """Compute the encoding in which warps store a tile to tensor memory.

    Args:
        old: The encoding of the tile, whose distribution over CTAs stays.
        memory: The buffer.
        warps: The number of warps.
    """
    encoding = memory.encoding
    assert isinstance(encoding, TensorMemoryEncoding)
    return tensor_memory_access_encoding(encoding, old, memory.shape, warps)


def _is_loaded(value: SSAValue) -> bool:
    """Check whether a tile comes from a load or a block argument, through changes of layout."""
    op = defining_op(value)
    while op is not None and (
        isinstance(op, ttg.ConvertLayoutOp | tt.TransOp) or is_memdesc_view(op)
    ):
        value = op.operands[0]
        op = defining_op(value)
    return isinstance(value, BlockArgument) or isinstance(op, _LOADS)
