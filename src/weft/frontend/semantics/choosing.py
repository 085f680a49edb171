"""Choosing between two values element by element: `tl.where`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft.frontend.semantics.casts import cast
from weft.frontend.semantics.constants import to_value
from weft.frontend.semantics.shaping import broadcast
from weft.frontend.semantics.values import TensorValue
from weft.ir import arith
from weft.language import dtypes

if TYPE_CHECKING:
    from weft.frontend.semantics.emitter import Emitter


def select(e: Emitter, condition: Any, x: Any, y: Any) -> TensorValue:
    """Emit x where `condition` holds and y elsewhere, all in one shape.

    Raises: TypeMismatchError where x and y do not go together.
    """
    chooser = to_value(e, condition)
    if not chooser.dtype.is_bool():
        chooser = cast(e, chooser, dtypes.int1)
    left, right = e.matched(x, y, pointers=(True, True))
    if chooser.is_block:
        chooser, left = broadcast(e, chooser, left)
        left, right = broadcast(e, left, right)
    else:
        chooser, _ = broadcast(e, chooser, left)
    handles = [chooser.handle, left.handle, right.handle]
    return TensorValue(e.builder.value(arith.SelectOp, handles, left.handle.type), left.type)
