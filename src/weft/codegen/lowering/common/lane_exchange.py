"""Shuffle values of any type between lanes, in words of 32 bits.

half     →  zext to i32, shuffle, trunc          double  →  two words, two shuffles
"""

from __future__ import annotations

from collections.abc import Callable

from weft.codegen.llvm.writer import Writer

__all__ = ["bit_width", "shuffle_value"]

_BITS = {"half": 16, "bfloat": 16, "float": 32, "double": 64}


def bit_width(type_: str) -> int:
    """Get the number of bits of an LLVM type."""
    return _BITS[type_] if type_ in _BITS else 64 if type_.startswith("ptr") else int(type_[1:])


def shuffle_value(writer: Writer, type_: str, value: str, move: Callable[[str], str]) -> str:
    """Shuffle a value of any type.

    Args:
        writer: Where to write.
        type_: LLVM type of the value.
        value: The value of this lane.
        move: Shuffles an i32.
    """
    bits = bit_width(type_)
    whole = value
    if type_.startswith("ptr"):
        whole = writer.value(f"ptrtoint {type_} {value} to i64")
    elif type_ in _BITS:
        whole = writer.value(f"bitcast {type_} {value} to i{bits}")
    received = _exchange_bits(writer, bits, whole, move)
    if type_.startswith("ptr"):
        return writer.value(f"inttoptr i64 {received} to {type_}")
    return writer.value(f"bitcast i{bits} {received} to {type_}") if type_ in _BITS else received


def _exchange_bits(writer: Writer, bits: int, value: str, move: Callable[[str], str]) -> str:
    if bits == 32:
        return move(value)
    if bits < 32:
        wide = writer.value(f"zext i{bits} {value} to i32")
        return writer.value(f"trunc i32 {move(wide)} to i{bits}")
    vector = writer.value(f"bitcast i64 {value} to <2 x i32>")
    whole = "poison"
    for n in range(2):
        half = writer.value(f"extractelement <2 x i32> {vector}, i32 {n}")
        whole = writer.value(f"insertelement <2 x i32> {whole}, i32 {move(half)}, i32 {n}")
    return writer.value(f"bitcast <2 x i32> {whole} to i64")
