"""Print the axis info of every value (`print-axis-info`).

Before:  any IR              After:  the same IR; and on standard error

    @copy
    value  operation      line  type        contiguity  divisibility  constancy  constant
    %1     tt.make_range     7  64xi32      64          any           1
    %4     tt.addptr         9  64xptr<f16> 64          16            1

`contiguity` is the length of runs of consecutive numbers, `divisibility` divides the first number
of each run (in bytes for pointers), and `constancy` is the length of runs of equal numbers. Each
has one number per dimension.
"""

from __future__ import annotations

import sys
from typing import ClassVar

from msgspec import Struct

from weft.analysis.axis_info import axis_info
from weft.analysis.axis_info.table import table
from weft.ir.builtin import ModuleOp

__all__ = ["PrintAxisInfo"]


class PrintAxisInfo(Struct, frozen=True):
    """Prints the axis info of a module on standard error."""

    name: ClassVar[str] = "print-axis-info"

    def run(self, module: ModuleOp) -> None:
        """Print the table; do not change the module."""
        print(table(module, axis_info(module)), file=sys.stderr)
