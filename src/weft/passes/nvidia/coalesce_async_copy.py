"""Lay copies to shared memory out so that each takes as much at once as both sides allow.

`tritongpu-coalesce-async-copy`.

Before:  ttg.async_copy_global_to_local %p, %b {contiguity = 16}   16 bytes of a thread, where the
             : #blocked[1, 16] -> #ttg.swizzled_shared<{vec = 8, …}>   buffer is swizzled by 8
After:   %q = ttg.convert_layout %p : #blocked[1, 16] -> #blocked[1, 8]
         ttg.async_copy_global_to_local %q, %b : #blocked[1, 8] -> …

A copy that reads more neighbours at once than it may write in a row would take several
instructions, each of which skips what the others read: a thread gets only as many as it may
write. A copy of fewer elements than there are threads took its layout from what reads it, which
now reads the buffer: it gets the layout in which it coalesces.

Source: measured on Triton 3.7.1, which also forgets the contiguity of what it has converted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import ClassVar

from weft.analysis.axis_info import axis_info, write_argument_hints
from weft.analysis.coalescing import (
    PointerAccess,
    coalesced_layout,
    connected_accesses,
    is_pointer_access,
)
from weft.ir import attributes, tt, ttg, types
from weft.ir.builtin import ModuleOp, Operation, SSAValue
from weft.ir.folds import FOLDS
from weft.ir.hardware import threads_per_warp, warps_around
from weft.layouts import BlockedEncoding, Encoding, SwizzledSharedEncoding
from weft.layouts.cga import blocked_like
from weft.layouts.dimension_order import contiguous_per_thread
from weft.passes.ledger import record_decision
from weft.passes.rewrite.greedy import Pattern, RewriteRules, apply_greedily
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["CoalesceAsyncCopy"]

_NARROWEST_BITS = 32  # of an element of a small copy: narrower ones cannot be copied one by one


@dataclass(frozen=True, slots=True)
class CoalesceAsyncCopy:
    """Post: no copy reads more at once than it writes, and small ones coalesce."""

    name: ClassVar[str] = "tritongpu-coalesce-async-copy"

    def run(self, module: ModuleOp) -> None:
        """Convert what copies read, in place.

        Raises: PassError: the module has no layouts.
        """
        copies = [op for op in module.walk() if isinstance(op, ttg.AsyncCopyGlobalToLocalOp)]
        best = _coalesced(module) if copies else {}
        patterns: dict[type[Operation], tuple[Pattern, ...]] = {
            ttg.AsyncCopyGlobalToLocalOp: (
                partial(self._narrow, threads_per_warp(module) if copies else 1),
                partial(self._spread, best),
            )
        }
        apply_greedily(module, RewriteRules(FOLDS, patterns, top_down=False, merge_blocks=True))

    def _narrow(self, lanes: int, op: Operation, rewriter: Rewriter) -> bool:
        """Give a thread no more neighbours than it writes in a row."""
        assert isinstance(op, ttg.AsyncCopyGlobalToLocalOp)
        encoding, shape = types.encoding(op.src.type), types.shape(op.src.type)
        memory = op.result.type
        assert isinstance(memory, ttg.MemDescType)
        buffer = memory.encoding
        if not isinstance(encoding, BlockedEncoding):
            return False
        if not isinstance(buffer, SwizzledSharedEncoding):
            return False
        registers = encoding.linear(shape)
        in_a_row = registers.invert_and_compose(buffer.linear(memory.shape)).num_consecutive()
        held = list(contiguous_per_thread(registers))
        fast = encoding.order[0]
        if held[fast] <= in_a_row:
            return False
        why = f"a thread holds {held[fast]} neighbours, and writes {in_a_row} in a row"
        held[fast] = in_a_row
        warps = warps_around(op)
        narrow = blocked_like(encoding, shape, tuple(held), encoding.order, warps, lanes)
        self._convert(op, narrow, why, rewriter)
        return True

    def _spread(
        self, best: Mapping[SSAValue, BlockedEncoding], op: Operation, rewriter: Rewriter
    ) -> bool:
        """Let a copy of few elements coalesce."""
        assert isinstance(op, ttg.AsyncCopyGlobalToLocalOp)
        encoding, shape = types.encoding(op.src.type), types.shape(op.src.type)
        memory = op.result.type
        assert isinstance(memory, ttg.MemDescType)
        wanted = best.get(op.token)
        if wanted is None or wanted is encoding:
            return False
        threads = prod(wanted.threads_per_warp) * prod(wanted.warps_per_cta)
        if prod(shape) >= threads or types.bit_width(memory.element_type) < _NARROWEST_BITS:
            return False
        self._convert(op, wanted, "what reads it reads the buffer: the copy coalesces", rewriter)
        return True

    def _convert(
        self,
        op: ttg.AsyncCopyGlobalToLocalOp,
        encoding: Encoding,
        why: str,
        rewriter: Rewriter,
    ) -> None:
        """Let a copy read everything in another layout."""
        for index, operand in enumerate(op.operands):
            if not types.is_tensor(operand.type):
                continue
            type_ = types.with_encoding(operand.type, encoding)
            made = rewriter.create(ttg.ConvertLayoutOp, [operand], [type_], before=op).results[0]
            record_decision(self, made, str(encoding), why, anchor=op.name)
            rewriter.set_operand(op, index, made)
        op.properties["contiguity"] = attributes.integer(1, types.i32)
        rewriter.modified(op)


def _coalesced(module: ModuleOp) -> dict[SSAValue, BlockedEncoding]:
    """Return the layout in which each copy coalesces, by its token."""
    facts = axis_info(module)
    write_argument_hints(facts)
    lanes = threads_per_warp(module)
    found: dict[SSAValue, BlockedEncoding] = {}
    for function in module.body.block.ops:
        if not isinstance(function, tt.FuncOp):
            continue
        ways = [PointerAccess.of(op, facts) for op in function.walk() if is_pointer_access(op)]
        for way, others in zip(ways, connected_accesses(function, ways), strict=True):
            if isinstance(way.op, ttg.AsyncCopyGlobalToLocalOp):
                warps = warps_around(way.op)
                found[way.op.token] = coalesced_layout(way, others, warps, lanes).encoding
    return found
