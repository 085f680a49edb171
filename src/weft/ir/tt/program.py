"""Program ids, print and assert of tt."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import StringAttr
from xdsl.irdl import operand_def, prop_def, result_def, traits_def, var_operand_def
from xdsl.traits import MemoryWriteEffect, Pure

from weft.ir import types
from weft.ir.constraints import array_prop, bool_prop, enum_prop
from weft.ir.enums import ProgramDim
from weft.ir.operation import Infer, Op, fixed, operation
from weft.ir.type_constraints import ANY_TYPE, CONDITION, I32


@operation
class GetProgramIdOp(Op):
    """The index of the program in the launch grid along an axis.

    `%p = tt.get_program_id x : i32`
    """

    name = "tt.get_program_id"
    axis = enum_prop(ProgramDim)
    result = result_def(I32)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$axis attr-dict `:` type($result)"
    INFER: ClassVar[Infer] = {"result": fixed(types.i32)}


@operation
class GetNumProgramsOp(Op):
    """The size of the launch grid along an axis.  `%n = tt.get_num_programs x : i32`"""

    name = "tt.get_num_programs"
    axis = enum_prop(ProgramDim)
    result = result_def(I32)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$axis attr-dict `:` type($result)"
    INFER: ClassVar[Infer] = {"result": fixed(types.i32)}


@operation
class PrintOp(Op):
    """Print a prefix and the elements of the operands from the device.

    `tt.print " x: " {hex = false, isSigned = array<i32: 1>} : %x : f32`
    """

    name = "tt.print"
    prefix = prop_def(StringAttr)
    hex = bool_prop()
    isSigned = array_prop()
    args_ = var_operand_def(ANY_TYPE)
    traits = traits_def(MemoryWriteEffect())
    FORMAT: ClassVar[str] = "$prefix attr-dict (`:` $args_^ `:` type($args_))?"


@operation
class AssertOp(Op):
    """Abort the kernel with a message if an element of the condition is false.

    `tt.assert %c, "message" : tensor<64xi1>`
    """

    name = "tt.assert"
    condition = operand_def(CONDITION)
    message = prop_def(StringAttr)
    traits = traits_def(MemoryWriteEffect())
    FORMAT: ClassVar[str] = "$condition `,` $message attr-dict `:` type($condition)"


OPERATIONS = (
    GetProgramIdOp,
    GetNumProgramsOp,
    PrintOp,
    AssertOp,
)

__all__ = [
    "AssertOp",
    "GetNumProgramsOp",
    "GetProgramIdOp",
    "OPERATIONS",
    "PrintOp",
]
