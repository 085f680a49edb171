"""Read the properties of an operation as Python values."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from weft.ir.attributes import number


def text_of(op: Operation, name: str) -> str:
    """Return a string property."""
    attribute = op.properties[name]
    if not isinstance(attribute, StringAttr):
        raise TypeError(f"{op.name}: {name} is no string")
    return attribute.data


def int_of(op: Operation, name: str) -> int:
    """Return an integer property, 0 where it is absent."""
    return int(number(op.properties.get(name)) or 0)


def flag_of(op: Operation, name: str) -> bool:
    """Return a boolean property, false where it is absent."""
    return bool(number(op.properties.get(name)))
