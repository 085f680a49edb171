"""MLIR's declarative assembly format, compiled into a parser and a printer of an operation.

    FORMAT = "$ptr (`,` $mask^)? oilist(`cacheModifier` `=` $cache) attr-dict `:` type($ptr)"

is a list of directives: the variable ptr, an optional group with the anchor mask, clauses in any
order, the attribute dictionary, the literal `:`, the type of ptr. Parsing runs them in order and
collects operands, types and properties, infers the types that the text omits, and creates the
operation. Printing runs them in order again and separates them by MLIR's spacing rule.

spec                    what a format refers to: operands, results, properties of an operation
format_parser           format string → directives
directive, variables, attribute_directives, type_directives      the directives
state                   what parsing has collected, and where printing puts a blank
program                 run the directives

xDSL's own declarative formats support neither `oilist` nor enums stored as integers.

Source: MLIR, "Operation Definition Specification", Declarative Assembly Format.
"""

from __future__ import annotations

from weft.ir.assembly_format.program import FormatProgram
from weft.ir.assembly_format.spec import FormatSpec

__all__ = ["FormatProgram", "FormatSpec"]
