"""Arithmetic by PTX's approximate instructions."""

from __future__ import annotations

from dataclasses import dataclass, replace

from typing_extensions import override

from weft.codegen.hardware.capabilities import Arithmetic
from weft.codegen.hardware.common.llvm_access import clamp_by_min_max
from weft.codegen.hardware.nvidia.logarithm import logarithm
from weft.codegen.llvm.writer import Writer

__all__ = ["NvidiaArithmetic"]

_APPROXIMATE = {"exp2": "ex2", "sqrt": "sqrt", "rsqrt": "rsqrt", "reciprocal": "rcp"}


@dataclass(frozen=True, slots=True)
class NvidiaArithmetic(Arithmetic):
    """Arithmetic by NVVM intrinsics; see `Arithmetic`.

    Attributes:
        flushes: Whether powers of two and roots flush denormal numbers to zero.
    """

    flushes: bool = True

    @override
    def keeping_denormals(self) -> NvidiaArithmetic:
        return replace(self, flushes=False)

    @override
    def approximate(self, writer: Writer, name: str, value: str) -> str:
        # LLVM has no reciprocal that keeps denormal numbers; libdevice has none, either.
        flush = ".ftz" if self.flushes or name == "reciprocal" else ""
        callee = f"llvm.nvvm.{_APPROXIMATE[name]}.approx{flush}.f"
        return writer.call("float", callee, ("float", value))

    @override
    def exp2(self, writer: Writer, value: str) -> str:
        return writer.call("float", "llvm.nvvm.ex2.approx.f", ("float", value))

    @override
    def logarithm(self, writer: Writer, value: str, *, base_two: bool) -> str:
        return logarithm(writer, value, base_two=base_two)

    @override
    def clamp(
        self, writer: Writer, type_: str, x: str, least: str, most: str, *, propagate_nan: bool
    ) -> str:
        return clamp_by_min_max(writer, type_, x, least, most, propagate_nan=propagate_nan)

    @override
    def divide(self, writer: Writer, type_: str, a: str, b: str) -> str:
        if type_ != "float":
            return writer.value(f"fdiv {type_} {a}, {b}")
        return writer.call("float", "llvm.nvvm.div.full", ("float", a), ("float", b))

    @override
    def library_symbol(self, name: str, type_: str) -> str:
        return f"__nv_{name}{'f' if type_ == 'float' else ''}"
