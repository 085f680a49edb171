"""How a loop's carried values are written, with what they begin with.

iter_args(%acc = %init, %n = %zero)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.ir import BlockArgument, SSAValue

if TYPE_CHECKING:
    from xdsl.printer import Printer

__all__ = ["print_initialised"]


def print_initialised(
    printer: Printer, keyword: str, args: tuple[BlockArgument, ...], values: tuple[SSAValue, ...]
) -> None:
    """Print `keyword(%arg = %value, …)`."""
    printer.print_string(f"{keyword}(")
    for index, (arg, value) in enumerate(zip(args, values, strict=True)):
        printer.print_string(", " if index else "")
        printer.print_operand(arg)
        printer.print_string(" = ")
        printer.print_operand(value)
    printer.print_string(")")
