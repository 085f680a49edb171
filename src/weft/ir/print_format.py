"""printf formats of the lines that `tt.print` prints.

    tt.print " x: " {hex = false, …} : %x : tensor<256xf32>
    pid (%u, %u, %u) idx (%3u) x: %f                            one line per element

    tt.print " both: " {…} : %x, %n : tensor<4x64xf32>, i32
    pid (%u, %u, %u) idx (%1u, %2u) both: (operand 0) %f
    pid (%u, %u, %u) idx () both: (operand 1) %i

The arguments are the program's three ids, the element's indices, and the element. Conversions take
a 32-bit integer, a 64-bit integer (`ll`), a double or a pointer.
"""

from __future__ import annotations

import re

from xdsl.ir import Attribute

from weft.ir import tt, types
from weft.ir.attributes import array_values, number

__all__ = ["print_formats", "to_python_format"]

_C_ONLY = re.compile(r"%%|%p|%\d*ll[iux]")
_PROGRAM_ID = "pid (%u, %u, %u)"


def print_formats(op: tt.PrintOp) -> tuple[str, ...]:
    """Compute the format of the lines for each operand, or of the one line without operands.

    Source: measured with Triton 3.7.1 (`device_print`).
    """
    prefix = op.prefix.data.replace("%", "%%")
    if not op.operands:
        return (f"{_PROGRAM_ID}{prefix}\n",)
    hexadecimal = bool(number(op.hex))
    formats: list[str] = []
    for n, (value, signed) in enumerate(zip(op.operands, array_values(op.isSigned), strict=True)):
        label = f"(operand {n}) " if len(op.operands) > 1 else ""
        conversion = _conversion(value.type, hexadecimal, bool(signed))
        indices = _index_format(value.type)
        formats.append(f"{_PROGRAM_ID} idx ({indices}){prefix}{label}{conversion}\n")
    return tuple(formats)


def to_python_format(c_format: str) -> str:
    """Rewrite a format for Python's `%`, which takes a pointer as an integer."""
    return _C_ONLY.sub(
        lambda match: "0x%x" if match[0] == "%p" else match[0].replace("ll", ""), c_format
    )


def _index_format(type_: Attribute) -> str:
    """Compute the format of the indices, each as wide as the largest along its dimension."""
    return ", ".join(f"%{len(str(size - 1))}u" for size in types.shape(type_))


def _conversion(type_: Attribute, hexadecimal: bool, signed: bool) -> str:
    scalar = types.element(type_)
    if types.is_pointer(scalar):
        return "%p"
    bits = types.bit_width(scalar)
    length = "ll" if bits > 32 else ""
    if hexadecimal:
        return f"0x%0{bits // 4}{length}x"
    if types.is_float(scalar) and bits >= 16:
        return "%f"
    return f"%{length}{'i' if signed else 'u'}"
