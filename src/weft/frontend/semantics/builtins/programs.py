"""tl.program_id and tl.num_programs."""

from __future__ import annotations

from weft.errors import CompilationError
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.ir_types import ir_type
from weft.frontend.semantics.values import TensorValue, Value, describe
from weft.ir import tt
from weft.ir.enums import ProgramDim
from weft.ir.operation import Op
from weft.language import dtypes


def _query(e: Emitter, name: str, op: type[Op], axis: Value) -> TensorValue:
    if axis not in (0, 1, 2):
        raise CompilationError(
            f"{name} axis must be 0, 1, or 2 but got {describe(axis)}",
            found=axis,
            accepted=(0, 1, 2),
        )
    properties = {"axis": ProgramDim(axis).attr()}
    return TensorValue(e.builder.value(op, [], ir_type(dtypes.int32), properties), dtypes.int32)


def program_id(e: Emitter, axis: Value) -> TensorValue:
    """Emit tt.get_program_id."""
    return _query(e, "program_id", tt.GetProgramIdOp, axis)


def num_programs(e: Emitter, axis: Value) -> TensorValue:
    """Emit tt.get_num_programs."""
    return _query(e, "num_programs", tt.GetNumProgramsOp, axis)


TABLE = {"num_programs": num_programs, "program_id": program_id}
