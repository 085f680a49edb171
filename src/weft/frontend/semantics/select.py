"""Elementwise selection: `tl.where`."""

from __future__ import annotations

from weft.errors import warn_deprecated
from weft.frontend.semantics.broadcasting import broadcast
from weft.frontend.semantics.casts import cast
from weft.frontend.semantics.constants import to_value
from weft.frontend.semantics.emission_context import EmissionContext
from weft.frontend.semantics.operand_promotion import promote_operands
from weft.frontend.semantics.values import TensorValue, Value
from weft.ir import arith
from weft.ir.locations import position
from weft.language import dtypes


def select(e: EmissionContext, condition: Value, x: Value, y: Value) -> TensorValue:
    """Emit x where `condition` is true and y elsewhere, broadcast to one shape.

    Raises:
        TypeMismatchError: There is no common type or shape.
    """
    predicate = to_value(e, condition)
    if not predicate.dtype.is_bool():
        warn_deprecated(
            "tl.where with a non-boolean condition is deprecated and will error out in a future "
            f"triton release. Got {predicate.dtype}",
            position(e.builder.location),
        )
        predicate = cast(e, predicate, dtypes.int1)
    left, right = promote_operands(e, x, y, pointers=(True, True))
    if predicate.is_block:
        predicate, left = broadcast(e, predicate, left)
        left, right = broadcast(e, left, right)
    else:
        predicate, _ = broadcast(e, predicate, left)
    handles = [predicate.handle, left.handle, right.handle]
    return TensorValue(e.builder.value(arith.SelectOp, handles, left.handle.type), left.type)
