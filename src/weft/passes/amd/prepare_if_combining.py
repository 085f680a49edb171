"""Make scf.if operations on one condition adjacent (tritonamdgpu-prepare-if-combining).

Before:  %1 = scf.if %c -> … { … }           After:  %2 = tt.trans %0
         %2 = tt.trans %0                            %1 = scf.if %c -> … { … }
         %3 = scf.if %c -> … { … }                   %3 = scf.if %c -> … { … }

Canonicalization merges adjacent scf.if on one condition. The operations between two of them are
moved before the first if all of them are pure and none uses its results.

Keeps: values, the order of the moved operations. Source: measured with Triton 3.7.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import ClassVar

from msgspec import Struct

from weft.ir import scf
from weft.ir.builtin import Block, ModuleOp, Operation, OpResult
from weft.ir.interfaces import Effect, get_effects
from weft.ir.rewriting import move_before, walk
from weft.passes.common.licm import is_speculatable
from weft.passes.ledger import enabled, record_decision

__all__ = ["PrepareIfCombining"]


class PrepareIfCombining(Struct, frozen=True):
    """Move pure operations between two scf.if on one condition before the first."""

    name: ClassVar[str] = "tritonamdgpu-prepare-if-combining"

    def run(self, module: ModuleOp) -> None:
        """Move operations in place."""
        in_blocks: dict[Block, list[scf.IfOp]] = {}
        for op in walk(module):
            if isinstance(op, scf.IfOp) and op.parent is not None:
                in_blocks.setdefault(op.parent, []).append(op)
        for conditionals in in_blocks.values():
            for first, second in pairwise(conditionals):
                if first.condition is second.condition:
                    self._clear(first, second)

    def _clear(self, first: scf.IfOp, second: scf.IfOp) -> None:
        between = list(_between(first, second))
        results = set(first.results)
        for op in between:
            if get_effects(op) is not Effect.NONE or not is_speculatable(op):
                return
            reads = (operand for inner in op.walk() for operand in inner.operands)
            if any(isinstance(value, OpResult) and value in results for value in reads):
                return
        for op in between:
            move_before(op, first)
            if enabled() and op.results:
                reason = "the scf.if before and after it have one condition and may be merged"
                record_decision(self, op.results[0], "moved before both", reason)


def _between(first: Operation, second: Operation) -> Iterator[Operation]:
    current = first.next_op
    while current is not None and current is not second:
        yield current
        current = current.next_op
