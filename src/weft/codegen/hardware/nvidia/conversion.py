"""Conversions of small floats by NVIDIA's instructions, two elements at a time.

cvt.rn.f16x2.e4m3x2  %r1, %rs1;          cvt.rn.satfinite.e4m3x2.f32  %rs1, %f2, %f1;
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from typing_extensions import override

from weft.codegen.hardware.capabilities import Conversion
from weft.codegen.llvm.vectors import (
    batches,
    build_vector,
    convert_in_pairs,
    extract_elements,
    split_table,
)
from weft.codegen.llvm.writer import Writer
from weft.targets import float_conversions

__all__ = ["NvidiaConversion"]


@dataclass(frozen=True, slots=True)
class NvidiaConversion(Conversion):
    """Conversions by NVVM intrinsics; see `Conversion`."""

    @property
    @override
    def pairs_by_llvm(self) -> bool:
        return True

    @override
    def convert_packed(
        self,
        writer: Writer,
        row: float_conversions.Conversion,
        values: Sequence[str],
        scale: str = "",
    ) -> list[str]:
        callee = f"llvm.nvvm.{row.instruction}"
        if row.before in ("f16", "f32"):
            return _narrow(writer, row, callee, values)
        results: list[str] = []
        for pair, count in batches(values, 2, "0"):
            codes = writer.value(f"bitcast <2 x i8> {build_vector(writer, 'i8', pair)} to i16")
            halves = writer.call("<2 x half>", callee, ("i16", codes))
            results += extract_elements(writer, "half", 2, halves)[:count]
        return results

    @override
    def enable_saturation(self, prologue: Writer) -> None:
        """Write nothing: the instructions saturate."""

    @override
    def bf16_to_f32(self, writer: Writer, value: str) -> str:
        """Shift the bits: of two bfloats in a word, one takes a shift and the other a mask.

        ptxas emits three instructions for two `cvt.f32.bf16`.
        """
        half = writer.value(f"bitcast bfloat {value} to i16")
        bits = writer.value(f"shl i32 {writer.value(f'zext i16 {half} to i32')}, 16")
        return writer.value(f"bitcast i32 {bits} to float")

    @override
    def f32_to_f16_rtz(self, writer: Writer, values: Sequence[str]) -> list[str]:
        return convert_in_pairs(writer, "llvm.nvvm.ff2f16x2.rz", values, low_first=False)

    @override
    def permute_bytes(self, writer: Writer, low: str, high: str, selection: Sequence[int]) -> str:
        selector = sum(byte << 4 * n for n, byte in enumerate(selection))
        return _permute_by(writer, low, high, str(selector))

    @override
    def fp4_to_16_bits(self, writer: Writer, word: str, table: int) -> list[str]:
        """Look the bytes of the 16-bit floats up in a table held by prmt.

        A nibble of prmt's last operand selects one of eight bytes.
        """
        sizes = writer.value(f"and i32 {word}, {0x77777777}")
        signs = writer.value(f"lshr i32 {word}, 3")
        signs = writer.value(f"and i32 {signs}, {0x11111111}")
        low, high = split_table(table)
        results = []
        for part in range(2):
            if part:
                sizes = writer.value(f"lshr i32 {sizes}, 16")
                signs = writer.value(f"lshr i32 {signs}, 16")
            upper = _permute_by(writer, *high, sizes)
            sign = _permute_by(writer, str(0x8000), "0", signs)
            upper = writer.value(f"or i32 {upper}, {sign}")
            lower = _permute_by(writer, *low, sizes) if low != ("0", "0") else "0"
            results += [
                self.permute_bytes(writer, lower, upper, order)
                for order in ((0, 4, 1, 5), (2, 6, 3, 7))
            ]
        return results


def _narrow(
    writer: Writer, row: float_conversions.Conversion, callee: str, values: Sequence[str]
) -> list[str]:
    """Return codes, taken out of whole words, so that storing them puts nothing together again."""
    results: list[str] = []
    for batch, count in batches(values, 4, "0.0"):
        pairs = []
        for n in range(0, count, 2):
            low, high = batch[n : n + 2]
            operands = [("float", high), ("float", low)]
            if row.before == "f16":
                operands = [("<2 x half>", build_vector(writer, "half", (low, high)))]
            pairs.append(writer.call("i16", callee, *operands))
        whole = writer.value(f"zext i16 {pairs[0]} to i32")
        if len(pairs) > 1:
            above = writer.value(f"zext i16 {pairs[1]} to i32")
            above = writer.value(f"shl nuw i32 {above}, 16")
            whole = writer.value(f"or disjoint i32 {above}, {whole}")
        codes = writer.value(f"bitcast i32 {whole} to <4 x i8>")
        results += extract_elements(writer, "i8", 4, codes)[:count]
    return results


def _permute_by(writer: Writer, low: str, high: str, selector: str) -> str:
    """Return an i32 of four bytes chosen by the nibbles of another."""
    return writer.call("i32", "llvm.nvvm.prmt", ("i32", low), ("i32", high), ("i32", selector))
