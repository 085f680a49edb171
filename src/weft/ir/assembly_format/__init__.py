"""Compile MLIR's declarative assembly format into a parser and a printer.

    FORMAT = "$ptr (`,` $mask^)? oilist(`cacheModifier` `=` $cache) attr-dict `:` type($ptr)"

is a list of elements: variable ptr, optional group anchored at mask, any-order list of
clauses, attribute dictionary, literal `:`, type of ptr. To parse, run them in order and
collect operands, types and properties; then infer the types that the text left out and
build the operation. To print, run them in order again; MLIR's spacing rule decides where a
blank goes: none after an opening bracket, none before `,`, `)`, `]`, `>` and `<`.

xDSL's own declarative formats know neither `oilist` nor enumerations kept as integers, and
build their program at import; hence this one.
"""

from __future__ import annotations

from weft.ir.assembly_format.program import Program, program

__all__ = ["Program", "program"]
