"""Convert as late as can be where that spares shared memory.

`tritonamdgpu-sink-layout-conversions`.

Before:  %b = ttg.convert_layout %a : #blocked -> #blocked1
         ttg.local_dealloc %buffer
         … %b …
After:   ttg.local_dealloc %buffer
         %b = ttg.convert_layout %a : #blocked -> #blocked1
         … %b …

A conversion may need shared memory of its own. Behind the last buffer that is given back before
the conversion's first reader, it may take that buffer's place.

Needs: layouts. Keeps: values. Source: measured on Triton 3.7.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from weft.ir import ttg
from weft.ir.builtin import Block, ModuleOp, Operation
from weft.ir.rewriting import walk
from weft.passes.ledger import enabled, record_decision

__all__ = ["SinkLayoutConversions"]


@dataclass(frozen=True, slots=True)
class SinkLayoutConversions:
    """Post: no buffer is given back between a conversion and its first reader in its block."""

    name: ClassVar[str] = "tritonamdgpu-sink-layout-conversions"

    def run(self, module: ModuleOp) -> None:
        """Move conversions in place."""
        for op in [op for op in walk(module) if type(op) is ttg.ConvertLayoutOp]:
            self._sink(op)

    def _sink(self, op: Operation) -> None:
        block = op.parent
        assert block is not None
        readers = _readers(op, block)
        last: Operation | None = None
        current = op.next_op
        while current is not None and current not in readers:
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
                f"behind {last.name}",
                "the conversion may take the shared memory of the buffer that is given back",
            )


def _readers(op: Operation, block: Block) -> set[Operation]:
    """Return the operations of a block that read a conversion, or hold what reads it."""
    found: set[Operation] = set()
    for use in op.results[0].uses:
        current: Operation | None = use.operation
        while current is not None and current.parent is not block:
            current = current.parent_op()
        if current is not None:
            found.add(current)
    return found
