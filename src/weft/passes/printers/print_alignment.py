"""Print the axis info of every result (test-print-alignment).

Before:  %0 = tt.make_range {start = 0, end = 128}       After:  the same IR; and the remark
    kernel.mlir:1:1: remark: %0 = tt.make_range … => contiguity = [128],
        divisibility = [1073741824], constancy = [1], constant_value = <none>

`print-axis-info` prints the same facts as a table.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir.builtin import ModuleOp
from weft.passes.alignment_remarks import emit_alignment_remarks

__all__ = ["PrintAlignment"]


class PrintAlignment(Struct, frozen=True):
    """Prints the contiguity, divisibility, constancy and constant of every result."""

    name: ClassVar[str] = "test-print-alignment"

    def run(self, module: ModuleOp) -> None:
        """Print the remarks; do not change the module."""
        emit_alignment_remarks(module)
