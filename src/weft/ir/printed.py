"""What a line of `tt.print` looks like, as a format of C's printf.

    tt.print " x: " {hex = false, …} : %x : tensor<256xf32>
    pid (%u, %u, %u) idx (%3u) x: %f                            one line per element

    tt.print " both: " {…} : %x, %n : tensor<4x64xf32>, i32
    pid (%u, %u, %u) idx (%1u, %2u) both: (operand 0) %f
    pid (%u, %u, %u) idx () both: (operand 1) %i

The three numbers of the program come first, then the element's place, then its value. A format
asks for a number of 32 bits, of 64 bits, a double or a pointer.
"""

from __future__ import annotations

import re

from xdsl.ir import Attribute

from weft.ir import tt, types
from weft.ir.attributes import array_values, number

__all__ = ["in_python", "line_formats"]

_CONVERSION = re.compile(r"%%|%p|%\d*ll[iux]")
_HEAD = "pid (%u, %u, %u)"


def line_formats(op: tt.PrintOp) -> tuple[str, ...]:
    """Return the format of the lines of each operand; of the one line, where there is none.

    Source: what Triton 3.7.1 makes of device_print.
    """
    prefix = op.prefix.data.replace("%", "%%")
    if not op.operands:
        return (f"{_HEAD}{prefix}\n",)
    several, hexadecimal = len(op.operands) > 1, bool(number(op.hex))
    formats = []
    for n, (value, signed) in enumerate(zip(op.operands, array_values(op.isSigned), strict=True)):
        which = f"(operand {n}) " if several else ""
        shown = _value(value.type, hexadecimal, bool(signed))
        formats.append(f"{_HEAD} idx ({_place(value.type)}){prefix}{which}{shown}\n")
    return tuple(formats)


def in_python(form: str) -> str:
    """Return a format that Python's % takes as well; a pointer is an integer there."""
    return _CONVERSION.sub(lambda one: "0x%x" if one[0] == "%p" else one[0].replace("ll", ""), form)


def _place(type_: Attribute) -> str:
    """Return the format of indices, each as wide as the largest along its dimension."""
    return ", ".join(f"%{len(str(size - 1))}u" for size in types.shape(type_))


def _value(type_: Attribute, hexadecimal: bool, signed: bool) -> str:
    scalar = types.element(type_)
    if types.is_pointer(scalar):
        return "%p"
    bits = types.bit_width(scalar)
    long = "ll" if bits > 32 else ""
    if hexadecimal:
        return f"0x%0{bits // 4}{long}x"
    if types.is_float(scalar) and bits >= 16:
        return "%f"
    return f"%{long}{'i' if signed else 'u'}"
