"""Print a module, and find the line of the text on which each operation starts.

text, lines = print_with_lines(module)
lines[load]      # 12: `text.splitlines()[12]` is "    %x = tt.load %ptrs : …"
"""

from __future__ import annotations

from itertools import accumulate

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from weft.ir.text.printer import ModulePrinter

__all__ = ["print_with_lines"]


class _LinePrinter(ModulePrinter):
    """A printer that notes with which fragment each operation starts."""

    def __init__(self, module: ModuleOp, locations: bool) -> None:
        super().__init__(module, locations=locations, names=True)
        self.first_fragments: dict[Operation, int] = {}

    def print_op(self, op: Operation) -> None:
        self.first_fragments[op] = len(self.fragments)
        super().print_op(op)


def print_with_lines(
    module: ModuleOp, *, locations: bool = False
) -> tuple[str, dict[Operation, int]]:
    """Print a module with the names of its variables.

    Args:
        module: The module.
        locations: Print source locations.

    Returns:
        The text, and for each operation the index of the line on which it starts.
    """
    printer = _LinePrinter(module, locations)
    above, body, below = printer.render_parts(module)
    line_of = [0, *accumulate(part.count("\n") for part in body)]
    first = sum(part.count("\n") for part in above)
    lines = {op: first + line_of[index] for op, index in printer.first_fragments.items()}
    return "".join([*above, *body, "\n", *below]), lines
