"""Conversions of small floats by NVIDIA's instructions, two elements at a time.

cvt.rn.f16x2.e4m3x2  %r1, %rs1;          cvt.rn.satfinite.e4m3x2.f32  %rs1, %f2, %f1;
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.codegen.llvm.vectors import batches, bytes_of_table, elements, vector
from weft.codegen.llvm.writer import Writer
from weft.targets.float_conversions import Conversion

__all__ = ["convert_packed", "permute_bytes", "widen_bfloat", "widen_fp4"]


def convert_packed(writer: Writer, row: Conversion, values: Sequence[str]) -> list[str]:
    """Return values converted by the instruction of a row; 8-bit floats are i8."""
    callee = f"llvm.nvvm.{row.instruction}"
    if row.before in ("f16", "f32"):
        return _narrow(writer, row, callee, values)
    found: list[str] = []
    for pair, wanted in batches(values, 2, "0"):
        codes = writer.value(f"bitcast <2 x i8> {vector(writer, 'i8', pair)} to i16")
        halves = writer.call("<2 x half>", callee, ("i16", codes))
        found += elements(writer, "half", 2, halves)[:wanted]
    return found


def _narrow(writer: Writer, row: Conversion, callee: str, values: Sequence[str]) -> list[str]:
    """Return codes, taken out of whole words, so that storing them puts nothing together again."""
    found: list[str] = []
    for batch, wanted in batches(values, 4, "0.0"):
        pairs = []
        for n in range(0, wanted, 2):
            low, high = batch[n : n + 2]
            given = [("float", high), ("float", low)]
            if row.before == "f16":
                given = [("<2 x half>", vector(writer, "half", (low, high)))]
            pairs.append(writer.call("i16", callee, *given))
        whole = writer.value(f"zext i16 {pairs[0]} to i32")
        if len(pairs) > 1:
            above = writer.value(f"zext i16 {pairs[1]} to i32")
            above = writer.value(f"shl nuw i32 {above}, 16")
            whole = writer.value(f"or disjoint i32 {above}, {whole}")
        codes = writer.value(f"bitcast i32 {whole} to <4 x i8>")
        found += elements(writer, "i8", 4, codes)[:wanted]
    return found


def widen_bfloat(writer: Writer, value: str) -> str:
    """Return a bfloat as a float, by its bits: of two in a word one is a shift, one a mask.

    ptxas makes three instructions of two `cvt.f32.bf16`.
    """
    half = writer.value(f"bitcast bfloat {value} to i16")
    bits = writer.value(f"shl i32 {writer.value(f'zext i16 {half} to i32')}, 16")
    return writer.value(f"bitcast i32 {bits} to float")


def permute_bytes(writer: Writer, low: str, high: str, chosen: Sequence[int]) -> str:
    """Return an i32 of four bytes chosen from two."""
    selector = sum(byte << 4 * n for n, byte in enumerate(chosen))
    return permute_by(writer, low, high, str(selector))


def permute_by(writer: Writer, low: str, high: str, selector: str) -> str:
    """Return an i32 of four bytes chosen by the nibbles of another."""
    return writer.call("i32", "llvm.nvvm.prmt", ("i32", low), ("i32", high), ("i32", selector))


def widen_fp4(writer: Writer, word: str, table: int) -> list[str]:
    """Return the eight 4-bit floats of an i32 as four words of two 16-bit floats.

    A permutation looks bytes up: a nibble of its last operand chooses one of eight bytes.
    Args: table: what the floats from 0 to 6 are, 16 bits each, the first in the lowest bits.
    """
    sizes = writer.value(f"and i32 {word}, {0x77777777}")
    signs = writer.value(f"lshr i32 {word}, 3")
    signs = writer.value(f"and i32 {signs}, {0x11111111}")
    low, high = bytes_of_table(table)
    found = []
    for part in range(2):
        if part:
            sizes = writer.value(f"lshr i32 {sizes}, 16")
            signs = writer.value(f"lshr i32 {signs}, 16")
        upper = permute_by(writer, *high, sizes)
        sign = permute_by(writer, str(0x8000), "0", signs)
        upper = writer.value(f"or i32 {upper}, {sign}")
        lower = permute_by(writer, *low, sizes) if low != ("0", "0") else "0"
        found += [
            permute_bytes(writer, lower, upper, order) for order in ((0, 4, 1, 5), (2, 6, 3, 7))
        ]
    return found
