"""IR text: parse what Triton prints, print what Triton parses.

parser         text → module; lexer and dense are its parts
printer        module → text; numbering, aliases and floats decide how it is spelled
diagnostics    parse errors with line, column and a caret
"""

from __future__ import annotations

from weft.ir.text.parser import parse_module
from weft.ir.text.printer import print_module

__all__ = ["parse_module", "print_module"]
