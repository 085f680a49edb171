"""Dot instructions of the vector ALU (V_DOT): a lane adds a few products at once.

llvm.amdgcn.fdot2   (<2 x half> a, <2 x half> b, float c, false)      c + a0 b0 + a1 b1
llvm.amdgcn.sdot4   (i32 a, i32 b, i32 c, false)                      four bytes in each i32
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, Operation

from weft.codegen.llvm.types import llvm_type
from weft.codegen.llvm.vectors import build_vector
from weft.codegen.llvm.writer import Writer
from weft.codegen.lowering.common.context import LoweringContext
from weft.ir import types
from weft.targets.matrix_units import VectorDot, matrix_units

__all__ = ["add_products", "pack_operand", "select_vector_dot"]

_BACKEND = "hip"


def select_vector_dot(ctx: LoweringContext, dot: Operation) -> VectorDot | None:
    """Find the chip's instruction for a dot; None if it has none for its types and depth."""
    target = ctx.hardware.target
    if target.backend != _BACKEND:
        return None
    a, b = (operand.type for operand in dot.operands[:2])
    names = (_name(a), _name(b), _name(dot.results[0].type))
    depth = types.shape(a)[-1]
    rows = matrix_units(str(target.arch)).vector
    return next(
        (row for row in rows if names == (row.a, row.a, row.d) and depth % row.k == 0), None
    )


def pack_operand(writer: Writer, type_: Attribute, values: Sequence[str]) -> tuple[str, str]:
    """Pack the elements of an operand that follow each other along k: (LLVM type, value)."""
    element = llvm_type(type_)
    vector = build_vector(writer, element, values)
    packed = f"<{len(values)} x {element}>"
    if types.is_float(types.element(type_)):
        return packed, vector
    return "i32", writer.value(f"bitcast {packed} {vector} to i32")


def add_products(
    writer: Writer, row: VectorDot, type_: str, a: tuple[str, str], b: tuple[str, str], c: str
) -> str:
    """Write the instruction: add the products of two packed operands to an accumulator."""
    return writer.call(type_, f"llvm.amdgcn.{row.name}", a, b, (type_, c), ("i1", "false"))


def _name(type_: Attribute) -> str:
    return str(types.element(type_))
