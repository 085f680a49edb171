"""Arithmetic of AMD's vector units."""

from __future__ import annotations

from typing_extensions import override

from weft.codegen.hardware.capabilities import Arithmetic
from weft.codegen.hardware.common.llvm_access import clamp_by_min_max
from weft.codegen.llvm.writer import Writer

__all__ = ["AmdArithmetic"]

_APPROXIMATE = {"exp2": "exp2", "sqrt": "sqrt", "rsqrt": "rsq", "reciprocal": "rcp"}


class AmdArithmetic(Arithmetic):
    """Arithmetic by AMDGPU intrinsics; see `Arithmetic`."""

    __slots__ = ()

    @override
    def keeping_denormals(self) -> AmdArithmetic:
        return self

    @override
    def approximate(self, writer: Writer, name: str, value: str) -> str:
        return writer.call("float", f"llvm.amdgcn.{_APPROXIMATE[name]}.f32", ("float", value))

    @override
    def exp2(self, writer: Writer, value: str) -> str:
        return writer.call("float", "llvm.exp2.f32", ("float", value))

    @override
    def logarithm(self, writer: Writer, value: str, *, base_two: bool) -> str:
        name = "llvm.log2.f32" if base_two else "llvm.log.f32"
        return writer.call("float", name, ("float", value))

    @override
    def clamp(
        self, writer: Writer, type_: str, x: str, least: str, most: str, *, propagate_nan: bool
    ) -> str:
        """Take the median of the value and its bounds, for which f32 has an instruction."""
        if type_ != "float":
            return clamp_by_min_max(writer, type_, x, least, most, propagate_nan=propagate_nan)
        operands = ((type_, x), (type_, least), (type_, most))
        median = writer.call(type_, "llvm.amdgcn.fmed3.f32", *operands)
        if not propagate_nan:
            return median
        is_nan = writer.value(f"fcmp uno {type_} {x}, 0.0")
        return writer.value(f"select i1 {is_nan}, {type_} {x}, {type_} {median}")

    @override
    def divide(self, writer: Writer, type_: str, a: str, b: str) -> str:
        return writer.value(f"fdiv {type_} {a}, {b}")

    @override
    def library_symbol(self, name: str, type_: str) -> str:
        return f"__ocml_{name}_f{32 if type_ == 'float' else 64}"
