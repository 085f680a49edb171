"""Build vectors, extract their elements, and pack elements into 32-bit words.

codes  c0 c1 c2 c3 : i8         pack_word(…)        0x c3 c2 c1 c0 : i32
halves a, b                     pack_word(…)        bits of b << 16 | bits of a
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from weft.codegen.llvm.writer import Writer

__all__ = [
    "batches",
    "split_table",
    "extract_elements",
    "convert_in_pairs",
    "build_vector",
    "pack_word",
]


def batches(values: Sequence[str], count: int, filler: str) -> Iterator[tuple[list[str], int]]:
    """Yield batches of `count` values, the last one padded, with the number of values in each."""
    for start in range(0, len(values), count):
        batch = list(values[start : start + count])
        yield batch + [filler] * (count - len(batch)), len(batch)


def convert_in_pairs(
    writer: Writer, callee: str, values: Sequence[str], *, low_first: bool
) -> list[str]:
    """Convert floats to halves, rounded towards zero, by an intrinsic that takes two.

    Args:
        writer: Where to write.
        callee: The intrinsic.
        values: Floats.
        low_first: Whether its first operand becomes the lower half.
    """
    results: list[str] = []
    for pair, count in batches(values, 2, "0.0"):
        operands = [("float", value) for value in (pair if low_first else pair[::-1])]
        halves = writer.call("<2 x half>", callee, *operands)
        results += extract_elements(writer, "half", 2, halves)[:count]
    return results


def build_vector(writer: Writer, element: str, values: Sequence[str]) -> str:
    """Build a vector of values."""
    whole = "poison"
    head = f"<{len(values)} x {element}>"
    for n, value in enumerate(values):
        whole = writer.value(f"insertelement {head} {whole}, {element} {value}, i32 {n}")
    return whole


def extract_elements(writer: Writer, element: str, count: int, whole: str) -> list[str]:
    """Extract the elements of a vector."""
    head = f"extractelement <{count} x {element}> {whole}"
    return [writer.value(f"{head}, i32 {n}") for n in range(count)]


def pack_word(writer: Writer, element: str, values: Sequence[str]) -> str:
    """Pack values into an i32, the first in its lowest bits.

    Args:
        writer: Where to write.
        element: LLVM type of an element.
        values: Of 32 bits in all.
    """
    whole = build_vector(writer, element, values)
    return writer.value(f"bitcast <{len(values)} x {element}> {whole} to i32")


def split_table(table: int) -> tuple[tuple[str, str], tuple[str, str]]:
    """Split eight 16-bit entries into lower and upper bytes, two words each."""
    entries = [table >> 16 * n & 0xFFFF for n in range(8)]
    words = []
    for shift in (0, 8):
        bytes_ = [entry >> shift & 0xFF for entry in entries]
        pair = [sum(byte << 8 * n for n, byte in enumerate(bytes_[k : k + 4])) for k in (0, 4)]
        words.append((str(pair[0]), str(pair[1])))
    return words[0], words[1]
