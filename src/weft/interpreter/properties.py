"""Properties of operations as Python values."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from weft.ir.attributes import number


def text_of(op: Operation, name: str) -> str:
    """Read a string property."""
    attribute = op.properties[name]
    if not isinstance(attribute, StringAttr):
        raise TypeError(f"{op.name}: {name} is not a string")
    return attribute.data


def int_of(op: Operation, name: str) -> int:
    """Read an integer property, 0 if it is absent."""
    return int(number(op.properties.get(name)) or 0)


def flag_of(op: Operation, name: str) -> bool:
    """Read a boolean property, false if it is absent."""
    return bool(number(op.properties.get(name)))
