"""IR text: parse what Triton prints, print what Triton parses.

parser         text → module; lexer and dense are its parts
printer        module → text; numbering, aliases and floats decide how it is spelled
diagnostics    parse errors with line, column and a caret

Parser and printer are imported on first access: a compile of a Python kernel needs neither, nor the
dialects of other targets that the parser registers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.lazy_attributes import lazy_getattr, object_references

if TYPE_CHECKING:
    from weft.ir.text.parser import parse_module
    from weft.ir.text.printer import print_module

__all__ = ["parse_module", "print_module"]

__getattr__ = lazy_getattr(
    __name__,
    object_references(
        {"weft.ir.text.parser": "parse_module", "weft.ir.text.printer": "print_module"}
    ),
)
