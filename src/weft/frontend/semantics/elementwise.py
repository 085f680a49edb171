"""Operations whose operands and result have one type."""

from __future__ import annotations

from weft.frontend.semantics.emission_context import EmissionContext
from weft.frontend.semantics.values import TensorValue
from weft.ir.operation import Op


def elementwise(e: EmissionContext, op: type[Op], *operands: TensorValue) -> TensorValue:
    """Emit an operation on operands of one type; the result has the type, too."""
    first = operands[0]
    handles = [operand.handle for operand in operands]
    return TensorValue(e.builder.value(op, handles, first.handle.type), first.type)
