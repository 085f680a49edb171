"""Subscripts of a block: `x[None, :]` inserts a dimension; there are no others."""

from __future__ import annotations

from weft.errors import TypeMismatchError
from weft.frontend.semantics.broadcasting import expand_dims
from weft.frontend.semantics.builtin_calls import unwrap_constants
from weft.frontend.semantics.emission_context import EmissionContext
from weft.frontend.semantics.values import TensorValue, Value, describe

_FULL_SLICE = slice(None)


def getitem(e: EmissionContext, value: TensorValue, index: Value) -> TensorValue:
    """Emit a subscript. A `:` of a scalar has no effect, so `n[:, None]` has the shape (1,).

    Args:
        e: The emission context.
        value: A scalar or a block.
        index: None, `:`, or a tuple of them.

    Raises:
        TypeMismatchError: The index has a number or a slice with bounds.
    """
    unwrapped = unwrap_constants(index)
    parts = unwrapped if isinstance(unwrapped, tuple) else (unwrapped,)
    rank = sum(1 for part in parts if part is not None)
    if value.is_block and rank > len(value.shape):
        raise TypeMismatchError(
            "too many indices for tensor", found=f"{rank} for shape {value.shape}"
        )
    for axis, part in enumerate(parts):
        if part is None:
            value = expand_dims(e, value, axis if value.is_block else 0)
        elif part != _FULL_SLICE:
            raise TypeMismatchError(
                f"unsupported tensor index: {describe(part)}",
                found=describe(part),
                accepted=("None", ":"),
                hint="load the required part, or use tl.gather, tl.split or a reduction",
            )
    return value
