"""What is known of a module's numbers and addresses, as a table to read beside its text.

@copy
value  operation      line  type        contiguity  divisibility  constancy  constant
%arg0  argument             ptr<f16>    1           16            1
%1     tt.make_range     7  64xi32      64          any           1
%4     tt.addptr         9  64xptr<f16> 64          16            1
"""

from __future__ import annotations

from weft.analysis.axis_info.info import AxisInfo
from weft.analysis.axis_info.module import ModuleAxisInfo
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
_ANY = 1 << 30  # what a range from zero is divided by, and more: any number in practice


def table(module: ModuleOp, info: ModuleAxisInfo) -> str:
    """Return a table per function of its integers and pointers, in the order of the text."""
    names = Names(module).values
    parts = []
    for function in module.body.block.ops:
        if isinstance(function, tt.FuncOp) and function.regions[0].blocks.first is not None:
            rows = [
                _row(value, names[value], info[value])
                for value in _values(function)
                if value in info and _counts(value.type)
            ]
            parts.append(f"@{function.symbol}\n{_aligned([_HEADER, *rows])}")
    return "\n\n".join(parts)


def _values(op: Operation) -> list[SSAValue]:
    """Return the values of an operation's regions, as they come in the text."""
    found: list[SSAValue] = []
    for region in op.regions:
        for block in region.blocks:
            found += block.args
            for inner in block.ops:
                found += inner.results
                found += _values(inner)
    return found


def _counts(type_: Attribute) -> bool:
    """Tell whether a value is made of integers or pointers."""
    scalar = types.element(type_)
    return types.is_pointer(scalar) or isinstance(scalar, IntegerType | IndexType)


def _row(value: SSAValue, name: str, info: AxisInfo) -> tuple[str, ...]:
    owner = value.owner
    maker = owner if isinstance(owner, Operation) else owner.parent_op()
    assert maker is not None
    is_argument = isinstance(value, BlockArgument)
    place = None if is_argument else locations.position(maker.location)
    return (
        f"%{name}",
        "argument" if is_argument else maker.name,
        "" if place is None else str(place.line),
        _spelled(value.type),
        *(
            " x ".join("any" if number >= _ANY else str(number) for number in numbers)
            for numbers in (info.contiguity, info.divisibility, info.constancy)
        ),
        "" if info.constant is None else str(info.constant),
    )


def _spelled(type_: Attribute) -> str:
    """Return a type without its layout: `64x32xptr<f16>`."""
    scalar = types.element(type_)
    text = f"ptr<{scalar.pointee}>" if types.is_pointer(scalar) else str(scalar)
    return "x".join([*map(str, types.shape(type_)), text])


def _aligned(rows: list[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
