"""f8E5M2 and f16, four at a time: f8E5M2 is the upper byte of f16.

    f16     s eeeee mm mmmmmmmm            widening appends eight zeros
    f8E5M2  s eeeee mm                     narrowing rounds the lower byte

Each step works on two f16 in a 32-bit word: what is added to the lower one never carries into the
upper one. Rounding to nearest, ties to even, adds 0x7f and the last bit that remains. Magnitudes
are clamped to 57344 before, and a NaN, whose magnitude is above infinity's 0x7c00, gets an upper
byte of 0x7f in the end.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.codegen.hardware import Hardware
from weft.codegen.llvm.types import literal_of_bits
from weft.codegen.llvm.vectors import batches, extract_elements, pack_word
from weft.codegen.llvm.writer import Writer
from weft.ir import types

__all__ = ["f16_to_f8e5m2_rtz", "f8e5m2_to_f16", "f16_to_f8e5m2_rtne"]

_GREATEST = literal_of_bits(0x7B00, types.f16)
_MAGNITUDES, _SIGNS = 0x7FFF7FFF, 0x80008000 - (1 << 32)


def f8e5m2_to_f16(hardware: Hardware, writer: Writer, values: Sequence[str]) -> list[str]:
    """Convert f8E5M2 codes (i8) to f16."""
    results: list[str] = []
    for codes, count in batches(values, 4, "0"):
        whole = pack_word(writer, "i8", codes)
        for first in range(0, count, 2):
            pair = hardware.conversion.permute_bytes(writer, whole, "0", (4, first, 4, first + 1))
            pair = writer.value(f"bitcast i32 {pair} to <2 x half>")
            results += extract_elements(writer, "half", 2, pair)
    return results[: len(values)]


def f16_to_f8e5m2_rtz(hardware: Hardware, writer: Writer, values: Sequence[str]) -> list[str]:
    """Convert f16 to f8E5M2, rounded towards zero; infinity remains."""
    words = [pack_word(writer, "half", pair) for pair, _ in batches(values, 2, "0.0")]
    return _upper_bytes(hardware, writer, words)[: len(values)]


def f16_to_f8e5m2_rtne(hardware: Hardware, writer: Writer, values: Sequence[str]) -> list[str]:
    """Convert f16 to f8E5M2, rounded to nearest even; numbers beyond the range saturate."""
    words = [
        _nearest(writer, pack_word(writer, "half", pair)) for pair, _ in batches(values, 2, "0.0")
    ]
    return _upper_bytes(hardware, writer, words)[: len(values)]


def _upper_bytes(hardware: Hardware, writer: Writer, words: Sequence[str]) -> list[str]:
    results: list[str] = []
    for (low, high), _ in batches(words, 2, "0"):
        codes = hardware.conversion.permute_bytes(writer, low, high, (1, 3, 5, 7))
        codes = writer.value(f"bitcast i32 {codes} to <4 x i8>")
        results += extract_elements(writer, "i8", 4, codes)
    return results


def _nearest(writer: Writer, pair: str) -> str:
    """Round two f16 in a word at their upper bytes."""
    value = writer.value
    size = value(f"and i32 {pair}, {_MAGNITUDES}")
    halves = value(f"bitcast i32 {size} to <2 x half>")
    greatest = f"<half {_GREATEST}, half {_GREATEST}>"
    least = writer.call(
        "<2 x half>", "llvm.minnum.v2f16", ("<2 x half>", halves), ("<2 x half>", greatest)
    )
    bits = value(f"bitcast <2 x half> {least} to i32")
    last = value(f"and i32 {value(f'lshr i32 {bits}, 8')}, {0x00010001}")
    rounded = value(f"add i32 {value(f'add i32 {bits}, {0x007F007F}')}, {last}")
    above = value(f"and i32 {value(f'add i32 {size}, {0x03FF03FF}')}, {_SIGNS}")
    not_a_number = value(f"sub i32 {above}, {value(f'lshr i32 {above}, 8')}")
    rounded = value(f"or i32 {rounded}, {not_a_number}")
    return value(f"or i32 {rounded}, {value(f'and i32 {pair}, {_SIGNS}')}")
