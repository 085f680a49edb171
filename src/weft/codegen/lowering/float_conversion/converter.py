"""Conversions between float types: the steps that a conversion takes on a chip.

    f8E4M3FN → bf16 on sm_90      cvt to f16 in pairs, to f32, whose upper halves are the bf16
    f32 → f8E4M3FNUZ on gfx942    one instruction for two elements
    f8E5M2 → f16 anywhere         the bytes are the upper bytes of the f16
    f32 → f8E4M3FN on gfx942      arithmetic on bits, `float8_bits`

An intermediate type that represents every number of the source loses nothing; towards a smaller
type the number is rounded once. Numbers beyond the range of an 8-bit type saturate. Rounding to
f8E5M2 towards zero keeps infinity.
Source: measured with Triton 3.7.1's `tt.fp_to_fp`.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute

from weft.codegen.hardware import Hardware
from weft.codegen.llvm.types import llvm_type
from weft.codegen.llvm.vectors import batches, build_vector, extract_elements
from weft.codegen.llvm.writer import Writer
from weft.codegen.lowering.float_conversion import float8_bits
from weft.codegen.lowering.float_conversion.float8_bits import FLOAT8_FORMATS
from weft.codegen.lowering.float_conversion.float8_e5m2 import (
    f8e5m2_to_f16,
    f16_to_f8e5m2_rtne,
    f16_to_f8e5m2_rtz,
)
from weft.errors import CodegenError
from weft.ir import types
from weft.targets.float_conversions import Conversion, float_conversions

__all__ = ["FloatConverter"]

_EXACT_BY_WAY_OF = (types.f16, types.f32)
_BITS = {"half": 16, "bfloat": 16, "float": 32, "double": 64}


class FloatConverter:
    """Writes conversions between float types for one function.

    Attributes:
        hardware: The chip.
        writer: Where to write.
        prologue: Writer of the function's first block, where modes of the chip are set.
        rows: The chip's conversion instructions.
    """

    __slots__ = ("hardware", "prologue", "rows", "writer")

    def __init__(self, hardware: Hardware, writer: Writer, prologue: Writer) -> None:
        self.hardware, self.writer, self.prologue = hardware, writer, prologue
        self.rows = float_conversions(hardware.target.name)

    def convert(
        self,
        values: Sequence[str],
        source: Attribute,
        target: Attribute,
        *,
        towards_zero: bool = False,
    ) -> list[str]:
        """Convert values from one element type to another.

        Raises:
            CodegenError: A type is not a float type that can be converted.
        """
        for type_ in (source, target):
            if type_ not in FLOAT8_FORMATS and llvm_type(type_) not in _BITS:
                raise CodegenError(
                    "no conversion from or to this type",
                    found=type_,
                    accepted=["f16", "bf16", "f32", "f64", *map(str, FLOAT8_FORMATS)],
                )
        if source == target:
            return list(values)
        if source in FLOAT8_FORMATS and target in FLOAT8_FORMATS:
            wide = self._widen(values, source, types.f32)
            return self._narrow(wide, types.f32, target, towards_zero)
        if source in FLOAT8_FORMATS:
            return self._widen(values, source, target)
        if target in FLOAT8_FORMATS:
            return self._narrow(values, source, target, towards_zero)
        return self._between_large(values, source, target, towards_zero)

    @property
    def rounds_halves(self) -> bool:
        """Whether the chip has an instruction that rounds f32 to bf16."""
        return self._row(types.f32, types.bf16) is not None

    def shortened(self, values: Sequence[str], target: Attribute) -> list[str]:
        """Convert f32 to a 16-bit type that represents them, up to overflow and subnormal numbers.

        For bf16 the lower bits are truncated, by one instruction for two elements.
        """
        if target == types.bf16:
            return self._upper_halves(values)
        return self.convert(values, types.f32, target)

    def _row(self, source: Attribute, target: Attribute) -> Conversion | None:
        return self.rows.between(str(source), str(target))

    def _widen(self, values: Sequence[str], source: Attribute, target: Attribute) -> list[str]:
        for middle in (target, *_EXACT_BY_WAY_OF):
            if (row := self._row(source, middle)) is not None:
                results = self.hardware.conversion.convert_packed(self.writer, row, values)
                return self._exactly(results, middle, target)
        if source == types.f8E5M2:
            return self._exactly(
                f8e5m2_to_f16(self.hardware, self.writer, values), types.f16, target
            )
        format_ = FLOAT8_FORMATS[source]
        results = [float8_bits.widen(self.writer, value, format_) for value in values]
        return self._exactly(results, types.f32, target)

    def _exactly(self, values: list[str], source: Attribute, target: Attribute) -> list[str]:
        """Convert numbers of an 8-bit type from one larger type to another."""
        if source == target:
            return values
        if source == types.f16 or target == types.f64:
            wide = types.f64 if target == types.f64 else types.f32
            return self._exactly(self._cast("fpext", values, source, wide), wide, target)
        if target == types.bf16:
            return self._upper_halves(values)
        return self.hardware.conversion.f32_to_f16_rtz(self.writer, values)

    def _narrow(
        self, values: Sequence[str], source: Attribute, target: Attribute, towards_zero: bool
    ) -> list[str]:
        if not towards_zero and (row := self._row(source, target)) is not None:
            return self._by_instruction(row, values)
        if towards_zero and target == types.f8E5M2 and source in _EXACT_BY_WAY_OF:
            halves = list(values)
            if source == types.f32:
                halves = self.hardware.conversion.f32_to_f16_rtz(self.writer, values)
            return f16_to_f8e5m2_rtz(self.hardware, self.writer, halves)
        single = self._single(values, source)
        if not towards_zero and (row := self._row(types.f32, target)) is not None:
            return self._by_instruction(row, single)
        if not towards_zero and target == types.f8E5M2 and types.bit_width(source) == 16:
            # f16 has all bits of a bf16 that rounding to 8 bits depends on.
            exact = source == types.f16
            halves = (
                values if exact else self.hardware.conversion.f32_to_f16_rtz(self.writer, single)
            )
            return f16_to_f8e5m2_rtne(self.hardware, self.writer, halves)
        format_ = FLOAT8_FORMATS[target]
        return [
            float8_bits.narrow(self.writer, value, format_, towards_zero=towards_zero)
            for value in single
        ]

    def _by_instruction(self, row: Conversion, values: Sequence[str]) -> list[str]:
        self.hardware.conversion.enable_saturation(self.prologue)
        return self.hardware.conversion.convert_packed(self.writer, row, values)

    def _single(self, values: Sequence[str], source: Attribute) -> list[str]:
        """Convert to f32 such that rounding that to 8 bits gives the correctly rounded result."""
        if source == types.f64:
            return [float8_bits.f64_to_f32_round_to_odd(self.writer, value) for value in values]
        return self._cast("fpext", values, source, types.f32)

    def _between_large(
        self, values: Sequence[str], source: Attribute, target: Attribute, towards_zero: bool
    ) -> list[str]:
        before, after = types.bit_width(source), types.bit_width(target)
        if before == after:
            single = self._cast("fpext", values, source, types.f32)
            return self._between_large(single, types.f32, target, towards_zero)
        if before < after:
            return self._cast("fpext", values, source, target)
        if not towards_zero:
            if self._row(source, target) is not None:
                if self.hardware.conversion.pairs_by_llvm:
                    # The pair that is stored may not be the pair that is adjacent here.
                    return self._cast("fptrunc", values, source, target)
                return self._halved_in_pairs(values, llvm_type(source), llvm_type(target))
            if source == types.f32 and target == types.bf16:
                return self._upper_halves([self._rounded_to_upper(one) for one in values])
            return self._cast("fptrunc", values, source, target)
        if source == types.f32 and target == types.f16:
            return self.hardware.conversion.f32_to_f16_rtz(self.writer, values)
        if source == types.f32:
            return self._upper_halves(values)
        return [self._truncated(value, target) for value in values]

    def _truncated(self, value: str, target: Attribute) -> str:
        """Round a double towards zero: to nearest, then a step back if that is larger."""
        w, type_ = self.writer, llvm_type(target)
        near = w.value(f"fptrunc double {value} to {type_}")
        back = w.value(f"fpext {type_} {near} to double")
        sizes = [w.call("double", "llvm.fabs.f64", ("double", one)) for one in (back, value)]
        above = w.value(f"fcmp ogt double {sizes[0]}, {sizes[1]}")
        word_ = f"i{_BITS[type_]}"
        bits = w.value(f"bitcast {type_} {near} to {word_}")
        step = w.value(f"zext i1 {above} to {word_}")
        return w.value(f"bitcast {word_} {w.value(f'sub {word_} {bits}, {step}')} to {type_}")

    def _cast(
        self, verb: str, values: Sequence[str], source: Attribute, target: Attribute
    ) -> list[str]:
        before, after = llvm_type(source), llvm_type(target)
        if before == after:
            return list(values)
        if source == types.bf16 and target == types.f32:
            return [self.hardware.conversion.bf16_to_f32(self.writer, value) for value in values]
        return [self.writer.value(f"{verb} {before} {value} to {after}") for value in values]

    def _halved_in_pairs(self, values: Sequence[str], before: str, after: str) -> list[str]:
        """Round floats in pairs: one instruction, whose result is one register."""
        w, whole = self.writer, len(values) - len(values) % 2
        results: list[str] = []
        for pair, _ in batches(values[:whole], 2, ""):
            pair_vector = build_vector(w, before, pair)
            halves = w.value(f"fptrunc <2 x {before}> {pair_vector} to <2 x {after}>")
            results += extract_elements(w, after, 2, halves)
        for value in values[whole:]:
            results.append(w.value(f"fptrunc {before} {value} to {after}"))
        return results

    def _rounded_to_upper(self, value: str) -> str:
        """Round a float to nearest even at its upper half, the bits of a bfloat."""
        w = self.writer
        bits = w.value(f"bitcast float {value} to i32")
        last = w.value(f"and i32 {w.value(f'lshr i32 {bits}, 16')}, 1")
        rounded = w.value(f"add i32 {w.value(f'add i32 {bits}, {0x7FFF}')}, {last}")
        is_nan = w.value(f"fcmp uno float {value}, 0.0")
        bits_or_nan = w.value(f"select i1 {is_nan}, i32 {0x7FFF0000}, i32 {rounded}")
        return w.value(f"bitcast i32 {bits_or_nan} to float")

    def _upper_halves(self, values: Sequence[str]) -> list[str]:
        """Truncate floats to bfloats."""
        w = self.writer
        bits = [w.value(f"bitcast float {value} to i32") for value in values]
        results: list[str] = []
        for (low, high), count in batches(bits, 2, "0"):
            pair = self.hardware.conversion.permute_bytes(w, low, high, (2, 3, 6, 7))
            pair = w.value(f"bitcast i32 {pair} to <2 x bfloat>")
            results += extract_elements(w, "bfloat", 2, pair)[:count]
        return results
