"""What a kernel's author, or its caller, says about values: `tl.multiple_of` and its like.

    %p = tt.addptr %a, %b {tt.contiguity = dense<16> : tensor<1xi32>, tt.divisibility = …}
    tt.func public @k(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32})

A hint takes the place of what was found out.
"""

from __future__ import annotations

from collections.abc import Mapping

from weft.analysis.axis_info.info import AxisInfo
from weft.ir import attributes, types
from weft.ir.builtin import Attribute, DenseIntOrFPElementsAttr, IntegerAttr, Operation

__all__ = ["HINTS", "hinted", "told_contiguity"]

HINTS = ("tt.contiguity", "tt.divisibility", "tt.constancy")


def hinted(info: AxisInfo, given: Mapping[str, Attribute]) -> AxisInfo:
    """Return what is known, with the hints among some attributes in place of it.

    A hint for another number of dimensions says nothing.
    """
    if not given:
        return info
    found = [_numbers(given.get(name), info.rank) for name in HINTS]
    if found == [None, None, None]:
        return info
    contiguity, divisibility, constancy = found
    return AxisInfo(
        contiguity or info.contiguity,
        divisibility or info.divisibility,
        constancy or info.constancy,
        info.constant,
    )


def told_contiguity(op: Operation, found: tuple[int, ...]) -> tuple[int, ...]:
    """Return the lengths of runs: what an operation's hint says, else what was found out.

    What divides where runs start follows from how long they are, so rules ask this first.
    """
    hint = op.attributes.get("tt.contiguity")
    return found if hint is None else _numbers(hint, len(found)) or found


def _numbers(hint: Attribute | None, rank: int) -> tuple[int, ...] | None:
    """Return a hint's number per dimension, None where it gives none for `rank` dimensions."""
    numbers: tuple[int, ...] = ()
    if isinstance(hint, IntegerAttr):
        numbers = (hint.value.data,)
    elif isinstance(hint, attributes.SplatAttr):
        number = attributes.number(hint)
        count = types.shape(hint.type)[0] if types.shape(hint.type) else 1
        numbers = (number,) * count if isinstance(number, int) else ()
    elif isinstance(hint, DenseIntOrFPElementsAttr):
        numbers = tuple(int(value) for value in hint.get_values())
    return numbers if len(numbers) == rank and min(numbers) > 0 else None
