"""Layouts that an operation must not take, though code generation would lower them.

ttg.async_copy_global_to_local      in a layout with 1 x f16 per thread: 2 bytes are no cp.async
amdg.buffer_load {contiguity = 8}   the property is about the dimension that is fastest now
"""

from __future__ import annotations

from weft.ir import amdg, ttg, types
from weft.ir.attributes import number
from weft.ir.builtin import Operation
from weft.layouts import Encoding
from weft.layouts.dimension_order import dimension_order
from weft.optimum.costs import OperationCosts

__all__ = ["is_legal"]

_ASYNC_COPIES = (ttg.AsyncCopyGlobalToLocalOp, amdg.BufferLoadToLocalOp)


def is_legal(
    op: Operation,
    operands: tuple[Encoding, ...],
    costs: OperationCosts,
) -> bool:
    """Check whether an operation may have other layouts than the module gives it.

    Args:
        op: The operation.
        operands: The layouts of its tensor operands.
        costs: The costs of the module.
    """
    if isinstance(op, _ASYNC_COPIES):
        # On AMD, waits count the instructions of copies, which passes have counted already.
        is_nvidia = costs.context.target.backend == "cuda"
        if not is_nvidia or not costs.is_asynchronous(op, operands):
            return False
    contiguity = number(op.properties.get("contiguity"))
    if not contiguity or contiguity == 1:
        return True
    tensor = next(value.type for value in op.operands if types.is_tensor(value.type))
    encoding, shape = types.encoding(tensor), types.shape(tensor)
    assert encoding is not None
    fastest = dimension_order(encoding.linear(shape))[0]
    return dimension_order(operands[0].linear(shape))[0] == fastest
