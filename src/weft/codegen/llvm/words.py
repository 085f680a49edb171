"""Elements of an access as the 8-, 16-, 32- or 64-bit words that an instruction moves.

4 x half   →  2 words of 32 bits     {half 0 | half 1 << 16}, {half 2 | half 3 << 16}
1 x i8     →  1 word of 8 bits, in a register of 16
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.codegen.hardware.capabilities.memory import Access
from weft.codegen.llvm.writer import Writer

__all__ = ["as_integer", "from_integer", "join", "split", "word_bits"]


def word_bits(access: Access) -> int:
    """Get the bits of the words in which an access is done."""
    return 64 if access.bits == 64 else min(32, access.count * access.bits)


def as_integer(writer: Writer, type_: str, bits: int, value: str) -> str:
    """Cast a value to an integer of its width."""
    if type_ == f"i{bits}":
        return value
    cast = "ptrtoint" if type_.startswith("ptr") else "bitcast"
    return writer.value(f"{cast} {type_} {value} to i{bits}")


def from_integer(writer: Writer, type_: str, bits: int, value: str) -> str:
    """Cast an integer to a type of its width."""
    if type_ == f"i{bits}":
        return value
    cast = "inttoptr" if type_.startswith("ptr") else "bitcast"
    return writer.value(f"{cast} i{bits} {value} to {type_}")


def join(writer: Writer, access: Access, values: Sequence[str], bits: int) -> list[str]:
    """Pack the elements of an access into integers of `bits` bits."""
    each = bits // access.bits
    if each == 1:
        return [as_integer(writer, access.element, bits, value) for value in values]
    vector = f"<{each} x {access.element}>"
    words = []
    for start in range(0, access.count, each):
        whole = "poison"
        for n, value in enumerate(values[start : start + each]):
            whole = writer.value(
                f"insertelement {vector} {whole}, {access.element} {value}, i32 {n}"
            )
        words.append(writer.value(f"bitcast {vector} {whole} to i{bits}"))
    return words


def split(writer: Writer, access: Access, words: Sequence[str], bits: int) -> list[str]:
    """Unpack the elements of an access from integers of `bits` bits."""
    each = bits // access.bits
    if each == 1:
        return [from_integer(writer, access.element, bits, word) for word in words]
    vector = f"<{each} x {access.element}>"
    values = []
    for word in words:
        whole = writer.value(f"bitcast i{bits} {word} to {vector}")
        values += [writer.value(f"extractelement {vector} {whole}, i32 {n}") for n in range(each)]
    return values
