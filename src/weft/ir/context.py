"""The set of dialects that a weft module may hold."""

from __future__ import annotations

from functools import cache

from xdsl.context import Context
from xdsl.ir import Operation, TypeAttribute
from xdsl.irdl import traits_def

from weft.ir.amdg import Amdg
from weft.ir.arith import Arith
from weft.ir.builtin import Builtin, Dialect
from weft.ir.cf import Cf
from weft.ir.gluon import Gluon
from weft.ir.llvm import Llvm
from weft.ir.math import Math
from weft.ir.nvws import Nvws
from weft.ir.operation import Op
from weft.ir.rocdl import Rocdl
from weft.ir.scf import Scf
from weft.ir.tt import Tt
from weft.ir.ttg import Ttg
from weft.ir.ttng import Ttng
from weft.ir.ub import Ub

DIALECTS: tuple[Dialect, ...] = (
    Builtin,
    Arith,
    Math,
    Scf,
    Cf,
    Ub,
    Tt,
    Ttg,
    Ttng,
    Nvws,
    Amdg,
    Rocdl,
    Gluon,
    Llvm,
)


@cache
def context() -> Context:
    """Return the xDSL context with all of weft's dialects loaded."""
    made = Context()
    for dialect in DIALECTS:
        made.load_dialect(dialect)
    return made


@cache
def operations() -> dict[str, type[Op]]:
    """Return every operation class of weft by its name."""
    return {
        op.name: op for dialect in DIALECTS[1:] for op in dialect.operations if issubclass(op, Op)
    }


@cache
def names_of(types: bool) -> frozenset[str]:
    """Return the names of all types, or else of all other attributes, as `tt.ptr`."""
    return frozenset(
        attribute.name
        for dialect in DIALECTS
        for attribute in dialect.attributes
        if issubclass(attribute, TypeAttribute) is types
    )


@cache
def unregistered(name: str) -> type[Operation] | None:
    """Return a class for an operation of a dialect that weft does not know, None for its own.

    Nothing is known of such an operation: it has no traits, may have any effect, and no pass
    touches it.
    """
    dialect, dot, _ = name.partition(".")
    if not dot or any(known.name == dialect for known in DIALECTS):
        return None
    return type("UnregisteredOp", (Operation,), {"name": name, "traits": traits_def()})
