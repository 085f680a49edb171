"""Sink conversions below deallocations (tritonamdgpu-sink-layout-conversions).

Before:  %b = ttg.convert_layout %a : #blocked -> #blocked1
         ttg.local_dealloc %buffer
         … %b …
After:   ttg.local_dealloc %buffer
         %b = ttg.convert_layout %a : #blocked -> #blocked1
         … %b …

A conversion may need scratch shared memory. After the last deallocation before its first user, it
can reuse the memory of that buffer.

Needs: layouts. Keeps: values. Source: measured with Triton 3.7.1.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir import ttg
from weft.ir.builtin import Block, ModuleOp, Operation
from weft.ir.rewriting import walk
from weft.passes.ledger import enabled, record_decision

__all__ = ["SinkLayoutConversions"]


class SinkLayoutConversions(Struct, frozen=True):
    """Move conversions after the last ttg.local_dealloc before their first user in the block."""

    name: ClassVar[str] = "tritonamdgpu-sink-layout-conversions"

    def run(self, module: ModuleOp) -> None:
        """Move conversions in place."""
        for op in [op for op in walk(module) if type(op) is ttg.ConvertLayoutOp]:
            self._sink(op)

    def _sink(self, op: Operation) -> None:
        block = op.parent
        assert block is not None
        users = _users(op, block)
        last: Operation | None = None
        current = op.next_op
        while current is not None and current not in users:
            if type(current) is ttg.LocalDeallocOp:
                last = current
            current = current.next_op
        if last is None:
            return
        op.detach()
        block.insert_op_after(op, last)
        if enabled():
            record_decision(
                self,
                op.results[0],
                f"after {last.name}",
                "the conversion can reuse the shared memory of the deallocated buffer",
            )


def _users(op: Operation, block: Block) -> set[Operation]:
    """Collect the operations of a block that use a conversion, also in nested regions."""
    result: set[Operation] = set()
    for use in op.results[0].uses:
        current: Operation | None = use.operation
        while current is not None and current.parent is not block:
            current = current.parent_op()
        if current is not None:
            result.add(current)
    return result
