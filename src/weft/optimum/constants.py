"""The type of a constant's value, which is that of its result: `dense<0> : tensor<64xi32, #a>`."""

from __future__ import annotations

from weft.ir import attributes, types
from weft.ir.builtin import DenseIntOrFPElementsAttr, Operation

__all__ = ["retype_constant"]


def retype_constant(op: Operation) -> None:
    """Change the type of the value of a constant to that of its result."""
    value = op.properties.get("value")
    if op.name != "arith.constant" or value is None:
        return
    type_ = op.results[0].type
    if isinstance(value, attributes.SplatAttr):
        op.properties["value"] = attributes.splat(value.value, type_)
    elif isinstance(value, DenseIntOrFPElementsAttr) and types.is_tensor(type_):
        op.properties["value"] = DenseIntOrFPElementsAttr(type_, value.data)  # pyright: ignore[reportArgumentType]
