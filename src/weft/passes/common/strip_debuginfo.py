"""Remove source locations, and the names of values in them.

Before:  %b = arith.addi %n, %n : i32 loc("b"("k.py":2:0))
After:   %0 = arith.addi %n, %n : i32 loc(unknown)

Preserves everything but locations.
Source: MLIR, StripDebugInfo.cpp.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir.builtin import ModuleOp
from weft.ir.locations import unknown
from weft.ir.rewriting import walk

__all__ = ["StripDebuginfo"]


class StripDebuginfo(Struct, frozen=True):
    """Removes the locations of operations and block arguments."""

    name: ClassVar[str] = "strip-debuginfo"

    def run(self, module: ModuleOp) -> None:
        """Remove locations in place."""
        for op in walk(module):
            op.location = unknown
            for region in op.regions:
                for block in region.blocks:
                    for argument in block.args:
                        argument.location, argument.name_hint = unknown, None
