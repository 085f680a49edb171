"""The set of dialects that a weft module may hold."""

from __future__ import annotations

from functools import cache

from xdsl.context import Context

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
