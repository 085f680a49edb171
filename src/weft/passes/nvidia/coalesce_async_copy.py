"""Choose layouts of cp.async that vectorize on both sides (tritongpu-coalesce-async-copy).

Before:  ttg.async_copy_global_to_local %p, %b {contiguity = 16}   16 bytes per thread; the buffer
             : #blocked[1, 16] -> #ttg.swizzled_shared<{vec = 8, …}>   is swizzled by 8
After:   %q = ttg.convert_layout %p : #blocked[1, 16] -> #blocked[1, 8]
         ttg.async_copy_global_to_local %q, %b : #blocked[1, 8] -> …

A copy with a longer contiguous run in global memory than in shared memory would need several
instructions with strided accesses, so a thread gets only as many elements as it can write
contiguously. A copy of fewer elements than threads still has the layout of its former user, which
now loads from the buffer, so it gets the coalesced layout.

Source: measured with Triton 3.7.1, which also resets the contiguity of a converted copy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from math import prod
from typing import ClassVar

from msgspec import Struct

from weft.analysis.axis_info import axis_info, write_argument_hints
from weft.analysis.coalescing import (
    PointerAccess,
    coalesced_layout,
    connected_accesses,
    is_pointer_access,
)
from weft.analysis.dataflow.call_graph import function_of, functions_of
from weft.ir import attributes, ttg, types
from weft.ir.builtin import ModuleOp, Operation, SSAValue
from weft.ir.folds import FOLDS
from weft.ir.locations import location_of
from weft.ir.module_attributes import lookup_num_warps, lookup_threads_per_warp
from weft.layouts import BlockedEncoding, Encoding, SwizzledSharedEncoding
from weft.layouts.cga import blocked_like
from weft.layouts.dimension_order import contiguous_per_thread
from weft.passes.ledger import record_decision
from weft.passes.rewrite.greedy import PatternTable, RewriteRules, apply_greedily
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["CoalesceAsyncCopy"]

_MIN_COPY_BITS = 32  # smallest cp.async; narrower elements cannot be copied one by one


class CoalesceAsyncCopy(Struct, frozen=True):
    """Limit each copy to its contiguous run in shared memory, and coalesce small copies."""

    name: ClassVar[str] = "tritongpu-coalesce-async-copy"

    def run(self, module: ModuleOp) -> None:
        """Convert the operands of copies in place.

        Raises: PassError: the module has no layouts.
        """
        copies = [op for op in module.walk() if isinstance(op, ttg.AsyncCopyGlobalToLocalOp)]
        lanes = lookup_threads_per_warp(module) if copies else 1
        small = [copy for copy in copies if _can_coalesce(copy, lanes)]
        best: Mapping[SSAValue, BlockedEncoding] = {}
        # Triton analyses the module in any case, and writes what it finds into called functions.
        if small or (copies and len(functions_of(module)) > 1):
            best = _coalesced_layouts(module, small, lanes)
        patterns: PatternTable = {
            ttg.AsyncCopyGlobalToLocalOp: (
                partial(self._narrow, lanes),
                partial(self._coalesce, best),
            )
        }
        apply_greedily(module, RewriteRules(FOLDS, patterns, top_down=False, merge_blocks=True))

    def _narrow(self, lanes: int, op: Operation, rewriter: Rewriter) -> bool:
        """Limit the contiguous elements of a thread to those it can write contiguously."""
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
        run = registers.invert_and_compose(buffer.linear(memory.shape)).num_consecutive()
        size_per_thread = list(contiguous_per_thread(registers))
        fast = encoding.order[0]
        if size_per_thread[fast] <= run:
            return False
        reason = f"a thread can write {run} of {size_per_thread[fast]} elements contiguously"
        size_per_thread[fast] = run
        warps = lookup_num_warps(op)
        narrow = blocked_like(encoding, shape, tuple(size_per_thread), encoding.order, warps, lanes)
        self._convert(op, narrow, reason, rewriter)
        return True

    def _coalesce(
        self, best: Mapping[SSAValue, BlockedEncoding], op: Operation, rewriter: Rewriter
    ) -> bool:
        """Coalesce a copy with fewer elements than threads."""
        assert isinstance(op, ttg.AsyncCopyGlobalToLocalOp)
        layout = best.get(op.token)
        if layout is None or layout is types.encoding(op.src.type):
            return False
        self._convert(
            op,
            layout,
            "its former user loads from the buffer, so the copy can be coalesced",
            rewriter,
        )
        return True

    def _convert(
        self,
        op: ttg.AsyncCopyGlobalToLocalOp,
        encoding: Encoding,
        reason: str,
        rewriter: Rewriter,
    ) -> None:
        """Convert the tensor operands of a copy to another layout."""
        for index, operand in enumerate(op.operands):
            if not types.is_tensor(operand.type):
                continue
            type_ = types.with_encoding(operand.type, encoding)
            location = location_of(operand)
            conversion = rewriter.create(
                ttg.ConvertLayoutOp, [operand], [type_], before=op, location=location
            )
            converted = conversion.results[0]
            record_decision(self, converted, str(encoding), reason, anchor=op.name)
            rewriter.set_operand(op, index, converted)
        op.properties["contiguity"] = attributes.integer(1, types.i32)
        rewriter.modified(op)


def _can_coalesce(copy: ttg.AsyncCopyGlobalToLocalOp, lanes: int) -> bool:
    """Check for a copy of fewer elements than threads, wide enough for cp.async."""
    memory = copy.result.type
    assert isinstance(memory, ttg.MemDescType)
    is_small = prod(types.shape(copy.src.type)) < lookup_num_warps(copy) * lanes
    return is_small and types.bit_width(memory.element_type) >= _MIN_COPY_BITS


def _coalesced_layouts(
    module: ModuleOp, copies: Sequence[ttg.AsyncCopyGlobalToLocalOp], lanes: int
) -> dict[SSAValue, BlockedEncoding]:
    """Map the token of each of some copies to its coalesced layout."""
    facts = axis_info(module)
    write_argument_hints(facts)
    layouts: dict[SSAValue, BlockedEncoding] = {}
    for function in {function_of(copy): None for copy in copies}:
        accesses = [PointerAccess.of(op, facts) for op in function.walk() if is_pointer_access(op)]
        for access, others in zip(accesses, connected_accesses(function, accesses), strict=True):
            copy = access.op
            if isinstance(copy, ttg.AsyncCopyGlobalToLocalOp) and copy in copies:
                warps = lookup_num_warps(copy)
                layouts[copy.token] = coalesced_layout(access, others, warps, lanes).encoding
    return layouts
