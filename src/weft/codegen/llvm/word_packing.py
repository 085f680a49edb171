"""Pack elements into the 8-, 16-, 32- or 64-bit words that an instruction moves, and unpack them.

4 x half   →  2 words of 32 bits     {half 0 | half 1 << 16}, {half 2 | half 3 << 16}
1 x i8     →  1 word of 8 bits, in a register of 16
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.codegen.llvm.writer import Writer

__all__ = ["as_integer", "from_integer", "pack_words", "unpack_words"]


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


def pack_words(
    writer: Writer, type_: str, bits: int, values: Sequence[str], word_bits: int
) -> list[str]:
    """Pack elements into integers.

    Args:
        writer: Where to write.
        type_: LLVM type of an element.
        bits: Bits of an element, a divisor of `word_bits`.
        values: Elements; the first is in the lowest bits of the first word.
        word_bits: Bits of a word.
    """
    elements_per_word = word_bits // bits
    if elements_per_word == 1:
        return [as_integer(writer, type_, word_bits, value) for value in values]
    vector = f"<{elements_per_word} x {type_}>"
    words = []
    for start in range(0, len(values), elements_per_word):
        whole = "poison"
        for n, value in enumerate(values[start : start + elements_per_word]):
            whole = writer.value(f"insertelement {vector} {whole}, {type_} {value}, i32 {n}")
        words.append(writer.value(f"bitcast {vector} {whole} to i{word_bits}"))
    return words


def unpack_words(
    writer: Writer, type_: str, bits: int, words: Sequence[str], word_bits: int
) -> list[str]:
    """Unpack elements from integers; the inverse of `pack_words`."""
    elements_per_word = word_bits // bits
    if elements_per_word == 1:
        return [from_integer(writer, type_, word_bits, word) for word in words]
    vector = f"<{elements_per_word} x {type_}>"
    values = []
    for word in words:
        whole = writer.value(f"bitcast i{word_bits} {word} to {vector}")
        values += [
            writer.value(f"extractelement {vector} {whole}, i32 {n}")
            for n in range(elements_per_word)
        ]
    return values
