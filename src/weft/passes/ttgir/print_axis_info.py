"""Print what is known of every number and address (`print-axis-info`).

Before:  any IR              After:  the same IR; beside it, on standard error,

    @copy
    value  operation      line  type        contiguity  divisibility  constancy  constant
    %1     tt.make_range     7  64xi32      64          any           1
    %4     tt.addptr         9  64xptr<f16> 64          16            1

`contiguity` neighbours count up by one, `divisibility` divides where they start (bytes, for
pointers), `constancy` neighbours are equal; one number per dimension.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import ClassVar

from weft.analysis.axis_info import axis_info
from weft.analysis.axis_info.table import table
from weft.ir.builtin import ModuleOp

__all__ = ["PrintAxisInfo"]


@dataclass(frozen=True, slots=True)
class PrintAxisInfo:
    """Post: the IR as it was, and a table of it on standard error."""

    name: ClassVar[str] = "print-axis-info"

    def run(self, module: ModuleOp) -> None:
        """Print the table; nothing is changed."""
        print(table(module, axis_info(module)), file=sys.stderr)
