"""Print the regions of memory that operations access (test-print-buffer-region).

Before:  %b = ttg.memdesc_index %a[%i]           After:  the same IR; and remarks
         ttg.local_load %b                               …:2:1: remark: Buffers: [0, 64], [64, 64]

An operation with the attribute `test.print_all_used_regions` prints those of the whole module:
"All Shared Regions: …", "All Tensor Regions: …", "All Barrier Regions: …".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from msgspec import Struct

from weft.analysis.buffer_regions import BufferRegion, Memory, buffer_regions, is_memory_access
from weft.ir.builtin import ModuleOp
from weft.ir.rewriting import walk_inner_first
from weft.ir.ttg import MemDescType
from weft.passes.diagnostics import emit_remark

__all__ = ["PrintBufferRegion"]

_PRINT_ALL = "test.print_all_used_regions"


class PrintBufferRegion(Struct, frozen=True):
    """Prints the regions of the first buffer of each operation that accesses memory."""

    name: ClassVar[str] = "test-print-buffer-region"

    def run(self, module: ModuleOp) -> None:
        """Print the remarks; do not change the module.

        Raises:
            PassError: An allocation has no offset, or an operation uses memory in an unknown way.
        """
        regions = buffer_regions(module)
        operations = list(walk_inner_first(module))
        for op in operations:
            buffers = [value for value in op.operands if isinstance(value.type, MemDescType)]
            if buffers and is_memory_access(op):
                emit_remark(op.location, f"Buffers: {_format(regions[buffers[0]])}")
        for op in operations:
            if _PRINT_ALL not in op.attributes:
                continue
            for memory in Memory:
                if accessed := regions.accessed(memory):
                    emit_remark(op.location, f"All {memory.value} Regions: {_format(accessed)}")


def _format(regions: Iterable[BufferRegion]) -> str:
    return ", ".join(map(str, regions))
