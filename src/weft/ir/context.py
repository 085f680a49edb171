"""The dialects of weft and the xDSL context that has them loaded."""

from __future__ import annotations

from functools import cache

from xdsl.context import Context
from xdsl.ir import Operation, TypeAttribute
from xdsl.irdl import traits_def
from xdsl.traits import NoTerminator

from weft.ir.amdg import Amdg
from weft.ir.arith import Arith
from weft.ir.builtin import Builtin, Dialect
from weft.ir.cf import Cf
from weft.ir.gluon import Gluon
from weft.ir.gpu import Gpu
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
    Gpu,
    Llvm,
)


@cache
def context() -> Context:
    """Build the xDSL context with all of weft's dialects loaded."""
    result = Context()
    for dialect in DIALECTS:
        result.load_dialect(dialect)
    return result


@cache
def operations() -> dict[str, type[Op]]:
    """Map the name of each operation to its class."""
    return {
        op.name: op for dialect in DIALECTS[1:] for op in dialect.operations if issubclass(op, Op)
    }


@cache
def names_of(types: bool) -> frozenset[str]:
    """List the names of all types, such as `tt.ptr`, or of all attributes that are no types."""
    return frozenset(
        attribute.name
        for dialect in DIALECTS
        for attribute in dialect.attributes
        if issubclass(attribute, TypeAttribute) is types
    )


class UnregisteredOp(Operation):
    """An operation of an unregistered dialect.

    It may have any memory effect, so passes do not change it. As in MLIR, it may end a block, and
    the blocks of its regions may end in any operation.
    """

    traits = traits_def(NoTerminator())

    @classmethod
    def dialect_name(cls) -> str:
        """The part of the name before the dot; "" without a dot, as in MLIR."""
        return cls.name.rpartition(".")[0].partition(".")[0]


@cache
def unregistered(name: str) -> type[UnregisteredOp] | None:
    """Create a class for an operation of an unregistered dialect, None for a registered one."""
    dialect, dot, _ = name.partition(".")
    if not name or (dot and any(known.name == dialect for known in DIALECTS)):
        return None
    return type("UnregisteredOp", (UnregisteredOp,), {"name": name})
