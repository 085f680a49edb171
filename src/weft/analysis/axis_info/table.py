"""Axis info as a table, to read next to the text of a module.

@copy
value  operation      line  type        contiguity  divisibility  constancy  constant
%arg0  argument             ptr<f16>    1           16            1
%1     tt.make_range     7  64xi32      64          any           1
%4     tt.addptr         9  64xptr<f16> 64          16            1
"""

from __future__ import annotations

from weft.analysis.axis_info.lattice import AxisInfo
from weft.analysis.axis_info.module_axis_info import ModuleAxisInfo
from weft.ir import locations, tt, types
from weft.ir.builtin import (
    Attribute,
    BlockArgument,
    IndexType,
    IntegerType,
    ModuleOp,
    Operation,
    SSAValue,
)
from weft.ir.text.numbering import Names

__all__ = ["table"]

_HEADER = (
    "value",
    "operation",
    "line",
    "type",
    "contiguity",
    "divisibility",
    "constancy",
    "constant",
)
_ANY = 1 << 30  # the divisibility of 0 and of a range from 0: every divisor that matters


def table(module: ModuleOp, info: ModuleAxisInfo) -> str:
    """Format a table per function of its integers and pointers, in program order."""
    names = Names(module).values
    parts: list[str] = []
    for function in module.body.block.ops:
        if isinstance(function, tt.FuncOp) and function.callable_region is not None:
            rows = [
                _row(value, names[value], info[value])
                for value in _values(function)
                if value in info and _is_integer_or_pointer(value.type)
            ]
            parts.append(f"@{function.symbol}\n{_aligned([_HEADER, *rows])}")
    return "\n\n".join(parts)


def _values(op: Operation) -> list[SSAValue]:
    """List the values defined in an operation's regions, in program order."""
    values: list[SSAValue] = []
    for region in op.regions:
        for block in region.blocks:
            values += block.args
            for inner in block.ops:
                values += inner.results
                values += _values(inner)
    return values


def _is_integer_or_pointer(type_: Attribute) -> bool:
    """Check whether a value, or an element of it, is an integer or a pointer."""
    scalar = types.element(type_)
    return types.is_pointer(scalar) or isinstance(scalar, IntegerType | IndexType)


def _row(value: SSAValue, name: str, info: AxisInfo) -> tuple[str, ...]:
    owner = value.owner
    producer = owner if isinstance(owner, Operation) else owner.parent_op()
    assert producer is not None
    is_argument = isinstance(value, BlockArgument)
    position = None if is_argument else locations.position(producer.location)
    return (
        f"%{name}",
        "argument" if is_argument else producer.name,
        "" if position is None else str(position.line),
        _type_text(value.type),
        *(
            " x ".join("any" if number >= _ANY else str(number) for number in numbers)
            for numbers in (info.contiguity, info.divisibility, info.constancy)
        ),
        "" if info.constant is None else str(info.constant),
    )


def _type_text(type_: Attribute) -> str:
    """Format a type without its layout: `64x32xptr<f16>`."""
    scalar = types.element(type_)
    text = f"ptr<{scalar.pointee}>" if types.is_pointer(scalar) else str(scalar)
    return "x".join([*map(str, types.shape(type_)), text])


def _aligned(rows: list[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
