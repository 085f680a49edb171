"""Subscripts of a block: `x[None, :]` inserts a dimension, and that is all they do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft.errors import TypeMismatchError
from weft.frontend.semantics.calls import opened
from weft.frontend.semantics.shaping import expand_dims
from weft.frontend.semantics.values import TensorValue, Value, describe

if TYPE_CHECKING:
    from weft.frontend.semantics.emitter import Emitter

_WHOLE = slice(None)


def getitem(e: Emitter, value: TensorValue, index: Value) -> TensorValue:
    """Emit a subscript.

    A scalar has no dimension for a `:` to keep, so there it says nothing, as in Triton.

    Args: index: None, a slice, or a tuple of them, constants or not.
    Raises: TypeMismatchError for a number or a proper slice.
    """
    parts: Any = opened(index)
    parts = parts if isinstance(parts, tuple) else (parts,)
    kept = sum(1 for part in parts if part is not None)
    if value.is_block and kept > len(value.shape):
        raise TypeMismatchError(
            "a subscript has more dimensions than the block",
            found=f"{kept} for shape {value.shape}",
        )
    for axis, part in enumerate(parts):
        if part is None:
            value = expand_dims(e, value, axis)
        elif part != _WHOLE:
            raise TypeMismatchError(
                "a block cannot be indexed by number or cut into slices",
                found=describe(part),
                accepted=("None", ":"),
                hint="load the part that is needed, or use tl.gather, tl.split or a reduction",
            )
    return value
