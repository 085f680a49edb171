"""Hints about values: attributes that `tl.multiple_of` and its like leave in the IR.

    %p = tt.addptr %a, %b {tt.contiguity = dense<16> : tensor<1xi32>, tt.divisibility = …}
    tt.func public @k(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32})

The author of a kernel promises what a hint says, so it replaces what the analysis infers. The
specialization of arguments writes hints into the signature.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import cast

from weft.analysis.axis_info.lattice import AxisInfo
from weft.ir import attributes, types
from weft.ir.builtin import (
    Attribute,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
    Operation,
)

__all__ = ["HINTS", "hinted_contiguity", "with_hints"]

HINTS = ("tt.contiguity", "tt.divisibility", "tt.constancy")


def with_hints(info: AxisInfo, attrs: Mapping[str, Attribute]) -> AxisInfo:
    """Replace what is inferred by the hints among some attributes.

    A hint for another number of dimensions is ignored.
    """
    if not attrs:
        return info
    hints = [_per_dimension(attrs.get(name), info.rank) for name in HINTS]
    if hints == [None, None, None]:
        return info
    contiguity, divisibility, constancy = hints
    return AxisInfo(
        contiguity or info.contiguity,
        divisibility or info.divisibility,
        constancy or info.constancy,
        info.constant,
    )


def hinted_contiguity(op: Operation, inferred: tuple[int, ...]) -> tuple[int, ...]:
    """Choose the contiguity that an operation's hint states, else the inferred one.

    Transfer functions call this before they compute the divisibility, which depends on where the
    runs start.
    """
    hint = op.attributes.get("tt.contiguity")
    return inferred if hint is None else _per_dimension(hint, len(inferred)) or inferred


def _per_dimension(hint: Attribute | None, rank: int) -> tuple[int, ...] | None:
    """Read a hint as one positive number per dimension, None if it is not `rank` of these.

    Hints in Triton's tests also have the shape of the value: one number of all elements, which
    counts for each dimension.
    """
    numbers: tuple[int, ...] = ()
    if isinstance(hint, IntegerAttr):
        numbers = (hint.value.data,)
    elif isinstance(hint, attributes.SplatAttr):
        number = attributes.number(hint)
        shape = types.shape(hint.type)
        count = rank if len(shape) == rank > 1 else prod(shape)
        numbers = (number,) * count if isinstance(number, int) else ()
    elif isinstance(hint, DenseIntOrFPElementsAttr):
        values = cast("DenseIntOrFPElementsAttr[IntegerType]", hint).get_values()
        numbers = tuple(int(value) for value in values)
    return numbers if len(numbers) == rank and min(numbers) > 0 else None
