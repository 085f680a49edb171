"""Conversions of small floats by AMD's instructions.

v_cvt_pk_f32_fp8            two of the four codes of a word; the last operand says which two
v_cvt_scalef32_pk_f16_fp8   the same, times a scale; here 1
v_cvt_scale_pk8_f16_fp8     eight codes at once, times the power of two of a byte; here 2^0
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from typing_extensions import override

from weft.codegen.hardware.capabilities import Conversion
from weft.codegen.llvm.types import intrinsic_suffix
from weft.codegen.llvm.vectors import (
    batches,
    build_vector,
    convert_in_pairs,
    extract_elements,
    pack_word,
    split_table,
)
from weft.codegen.llvm.writer import Writer
from weft.targets import float_conversions

__all__ = ["AmdConversion"]

_LLVM = {"f16": "half", "bf16": "bfloat", "f32": "float"}
# Bit 23 of the mode register: conversions to 8-bit floats give the greatest number, not infinity.
_OVERFLOW_MODE = 1 | 23 << 6
_ZERO = 12  # among the bytes that a permutation chooses from
_ONE_AS_BYTES = str(0x7F7F7F7F)


@dataclass(frozen=True, slots=True)
class AmdConversion(Conversion):
    """Conversions by AMDGPU intrinsics; see `Conversion`."""

    @property
    @override
    def pairs_by_llvm(self) -> bool:
        return False

    @override
    def convert_packed(
        self,
        writer: Writer,
        row: float_conversions.Conversion,
        values: Sequence[str],
        scale: str = "",
    ) -> list[str]:
        if row.before in _LLVM:
            return _narrow(writer, row, values)
        if row.count == 8:
            return _widen_eight(writer, row, values, scale or _ONE_AS_BYTES)
        return _widen_pairs(writer, row, values, scale or "1.0")

    @override
    def enable_saturation(self, prologue: Writer) -> None:
        if not any("@llvm.amdgcn.s.setreg(" in str(line) for line in prologue.lines):
            prologue.call(
                "void", "llvm.amdgcn.s.setreg", ("i32", str(_OVERFLOW_MODE)), ("i32", "1")
            )

    @override
    def bf16_to_f32(self, writer: Writer, value: str) -> str:
        return writer.value(f"fpext bfloat {value} to float")

    @override
    def f32_to_f16_rtz(self, writer: Writer, values: Sequence[str]) -> list[str]:
        return convert_in_pairs(writer, "llvm.amdgcn.cvt.pkrtz", values, low_first=True)

    @override
    def permute_bytes(self, writer: Writer, low: str, high: str, selection: Sequence[int]) -> str:
        selector = sum(byte << 8 * n for n, byte in enumerate(selection))
        return _permute_by(writer, low, high, str(selector))

    @override
    def fp4_to_16_bits(self, writer: Writer, word: str, table: int) -> list[str]:
        """Look the bytes of the 16-bit floats up in a table held by v_perm_b32.

        A byte of v_perm_b32's last operand selects one of eight bytes, so that the even floats are
        looked up together, and the odd ones.
        """
        value = writer.value
        above = value(f"lshr i32 {word}, 4")
        low, high = split_table(table)
        halves = []
        for codes, signs in ((word, value(f"shl i32 {word}, 4")), (above, word)):
            sizes = value(f"and i32 {codes}, {0x07070707}")
            upper = _permute_by(writer, *high, sizes)
            sign = value(f"and i32 {signs}, {0x80808080 - (1 << 32)}")
            upper = value(f"or i32 {upper}, {sign}")
            halves.append((upper, _permute_by(writer, *low, sizes) if low != ("0", "0") else ""))
        (even, even_low), (odd, odd_low) = halves
        if not even_low:
            orders = [(_ZERO, n, _ZERO, 4 + n) for n in range(4)]
            return [self.permute_bytes(writer, even, odd, order) for order in orders]
        results = []
        for order in ((0, 4, 1, 5), (2, 6, 3, 7)):
            first = self.permute_bytes(writer, even_low, even, order)
            second = self.permute_bytes(writer, odd_low, odd, order)
            for chosen in ((0, 1, 4, 5), (2, 3, 6, 7)):
                results.append(self.permute_bytes(writer, first, second, chosen))
        return results


def _widen_pairs(
    writer: Writer, row: float_conversions.Conversion, values: Sequence[str], scale: str
) -> list[str]:
    type_, name = _LLVM[row.after], f"llvm.amdgcn.{row.instruction}"
    scaled = [("float", scale)] if "scale" in row.instruction else []
    fp4 = row.before == "f4E2M1FN"
    results: list[str] = []
    for codes, count in batches(values, 4, "0"):
        whole = pack_word(writer, "i8", codes)
        for part in range(4 if fp4 else 2):
            if part * (1 if fp4 else 2) >= count:
                break
            chosen = ("i32", str(part)) if fp4 else ("i1", "true" if part else "false")
            pair = writer.call(f"<2 x {type_}>", name, ("i32", whole), *scaled, chosen)
            results += extract_elements(writer, type_, 2, pair)
    return results[: len(values) * (2 if fp4 else 1)]


def _widen_eight(
    writer: Writer, row: float_conversions.Conversion, values: Sequence[str], scale: str
) -> list[str]:
    type_, name = _LLVM[row.after], f"llvm.amdgcn.{row.instruction}"
    fp4 = row.before == "f4E2M1FN"
    words, codes = ("i32", 4) if fp4 else ("<2 x i32>", 8)
    results: list[str] = []
    for batch, _ in batches(values, codes, "0"):
        whole = writer.value(
            f"bitcast <{codes} x i8> {build_vector(writer, 'i8', batch)} to {words}"
        )
        eight = writer.call(f"<8 x {type_}>", name, (words, whole), ("i32", scale), ("i32", "0"))
        results += extract_elements(writer, type_, 8, eight)
    return results[: len(values) * (2 if fp4 else 1)]


def _narrow(writer: Writer, row: float_conversions.Conversion, values: Sequence[str]) -> list[str]:
    type_, name = _LLVM[row.before], f"llvm.amdgcn.{row.instruction}"
    results: list[str] = []
    if row.count == 8:
        for batch, count in batches(values, 8, "0.0"):
            eight = (f"<8 x {type_}>", build_vector(writer, type_, batch))
            words = writer.call("<2 x i32>", name, eight, ("float", "1.0"))
            codes = writer.value(f"bitcast <2 x i32> {words} to <8 x i8>")
            results += extract_elements(writer, "i8", 8, codes)[:count]
        return results
    scaled = "scale" in row.instruction
    word_type = "<2 x i16>" if scaled else "i32"
    for batch, count in batches(values, 4, "0.0"):
        whole = "poison"
        for part in range((count + 1) // 2):
            pair = batch[2 * part : 2 * part + 2]
            operands = [(type_, one) for one in pair]
            if intrinsic_suffix(type_) != "f32":
                operands = [(f"<2 x {type_}>", build_vector(writer, type_, pair))]
            chosen = ("i1", "true" if part else "false")
            if scaled:
                operands = [(word_type, whole), *operands, ("float", "1.0"), chosen]
            else:
                operands = [*operands, (word_type, whole), chosen]
            whole = writer.call(word_type, name, *operands)
        codes = writer.value(f"bitcast {word_type} {whole} to <4 x i8>")
        results += extract_elements(writer, "i8", 4, codes)[:count]
    return results


def _permute_by(writer: Writer, low: str, high: str, selector: str) -> str:
    """Return an i32 of four bytes chosen by the bytes of another."""
    return writer.call("i32", "llvm.amdgcn.perm", ("i32", high), ("i32", low), ("i32", selector))
