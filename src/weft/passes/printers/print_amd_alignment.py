"""Print the axis info of every result, AMD's operations included (test-print-amd-alignment).

Before:  %0 = amdg.extract_slice %x [128, 32]            After:  the same IR; and the remark
    kernel.mlir:1:1: remark: %0 = amdg.extract_slice … => contiguity = [128, 32], …

weft has one analysis for the operations of all back ends, so that the pass prints the same as
test-print-alignment. In Triton only this one knows `amdg.extract_slice`.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir.builtin import ModuleOp
from weft.passes.alignment_remarks import emit_alignment_remarks

__all__ = ["PrintAmdAlignment"]


class PrintAmdAlignment(Struct, frozen=True):
    """Prints the contiguity, divisibility, constancy and constant of every result."""

    name: ClassVar[str] = "test-print-amd-alignment"

    def run(self, module: ModuleOp) -> None:
        """Print the remarks; do not change the module."""
        emit_alignment_remarks(module)
