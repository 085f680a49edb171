"""Integer properties of operations."""

from __future__ import annotations

from xdsl.ir import Operation

from weft.ir.builtin import IntegerAttr

__all__ = ["integer_property"]


def integer_property(op: Operation, name: str, default: int | None = None) -> int:
    """Get an integer property of an operation, or a default."""
    result = op.properties.get(name)
    if isinstance(result, IntegerAttr):
        return result.value.data
    assert default is not None, f"{op.name} has no {name}"
    return default
