"""Expansions of library functions to a few instructions, so that nothing is linked.

    __nv_isnanf(%x)                    %c = fcmp uno float %x, %x
                                       %r = zext i1 %c to i32
    __triton_hip_fast_fdividef(x, y)   x times the chip's reciprocal of y

`__triton_hip_…` are no library's: Triton's front end emits them for AMD chips, and its back end
expands them.
Sources: documentation of libdevice and ocml; measured with Triton 3.7.1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import e as euler
from math import inf, log2

from xdsl.ir import Attribute

from weft.codegen.hardware import Hardware
from weft.codegen.llvm.types import float_literal, intrinsic_suffix, llvm_type
from weft.codegen.llvm.writer import Writer
from weft.codegen.lowering.elementary.exponentials import hyperbolic_tangent
from weft.codegen.lowering.elementary.float_builder import FloatBuilder, literal
from weft.ir import types

__all__ = ["EXPANSIONS", "Expansion"]

Expansion = Callable[[Hardware, Writer, Sequence[str], Attribute, Attribute], str]
"""Takes the chip, where to write, the arguments, their type and the result's; returns a name."""


def _as_result(writer: Writer, condition: str, result: Attribute) -> str:
    return writer.value(f"zext i1 {condition} to {llvm_type(result)}")


def _size(writer: Writer, x: str, given: Attribute) -> str:
    name = llvm_type(given)
    return writer.call(name, f"llvm.fabs.{intrinsic_suffix(name)}", (name, x))


def _is_nan(_: Hardware, w: Writer, x: Sequence[str], given: Attribute, result: Attribute) -> str:
    return _as_result(w, w.value(f"fcmp uno {llvm_type(given)} {x[0]}, {x[0]}"), result)


def _beside_infinity(verb: str) -> Expansion:
    def form(_: Hardware, w: Writer, x: Sequence[str], given: Attribute, result: Attribute) -> str:
        size, infinity = _size(w, x[0], given), float_literal(inf, given)
        return _as_result(w, w.value(f"fcmp {verb} {llvm_type(given)} {size}, {infinity}"), result)

    return form


def _sign(_: Hardware, w: Writer, x: Sequence[str], given: Attribute, result: Attribute) -> str:
    word = f"i{types.bit_width(given)}"
    bits = w.value(f"bitcast {llvm_type(given)} {x[0]} to {word}")
    return _as_result(w, w.value(f"icmp slt {word} {bits}, 0"), result)


def _bits(_: Hardware, w: Writer, x: Sequence[str], given: Attribute, result: Attribute) -> str:
    return w.value(f"bitcast {llvm_type(given)} {x[0]} to {llvm_type(result)}")


def _half(shift: int) -> Expansion:
    def form(_: Hardware, w: Writer, x: Sequence[str], __: Attribute, ___: Attribute) -> str:
        bits = w.value(f"bitcast double {x[0]} to i64")
        return w.value(f"trunc i64 {w.value(f'lshr i64 {bits}, {shift}')} to i32")

    return form


def _joined(_: Hardware, w: Writer, x: Sequence[str], __: Attribute, ___: Attribute) -> str:
    high, low = (w.value(f"zext i32 {half} to i64") for half in x)
    bits = w.value(f"or i64 {w.value(f'shl i64 {high}, 32')}, {low}")
    return w.value(f"bitcast i64 {bits} to double")


def _absolute(_: Hardware, w: Writer, x: Sequence[str], given: Attribute, __: Attribute) -> str:
    if types.is_float(given):
        return _size(w, x[0], given)
    name = llvm_type(given)
    return w.call(name, f"llvm.abs.{intrinsic_suffix(name)}", (name, x[0]), ("i1", "false"))


def _whole(_: Hardware, w: Writer, x: Sequence[str], given: Attribute, result: Attribute) -> str:
    name = llvm_type(given)
    whole = w.call(name, f"llvm.roundeven.{intrinsic_suffix(name)}", (name, x[0]))
    if not types.is_float(result):
        whole = w.value(f"fptosi {name} {whole} to {llvm_type(result)}")
    return whole


def _power(hardware: Hardware, w: Writer, x: Sequence[str], _: Attribute, __: Attribute) -> str:
    exponent = FloatBuilder(w).multiply(x[0], literal(log2(euler)))
    return hardware.arithmetic.approximate(w, "exp2", exponent)


def _ratio(hardware: Hardware, w: Writer, x: Sequence[str], _: Attribute, __: Attribute) -> str:
    return FloatBuilder(w).multiply(x[0], hardware.arithmetic.approximate(w, "reciprocal", x[1]))


def _tangent(hardware: Hardware, w: Writer, x: Sequence[str], _: Attribute, __: Attribute) -> str:
    return hyperbolic_tangent(hardware, w, x[0])


EXPANSIONS: Mapping[str, Expansion] = {
    **dict.fromkeys(
        ("__nv_isnanf", "__nv_isnand", "__ocml_isnan_f32", "__ocml_isnan_f64"), _is_nan
    ),
    **dict.fromkeys(
        ("__nv_isinff", "__nv_isinfd", "__ocml_isinf_f32", "__ocml_isinf_f64"),
        _beside_infinity("oeq"),
    ),
    **dict.fromkeys(
        ("__nv_finitef", "__nv_isfinited", "__ocml_isfinite_f32", "__ocml_isfinite_f64"),
        _beside_infinity("one"),
    ),
    **dict.fromkeys(
        ("__nv_signbitf", "__nv_signbitd", "__ocml_signbit_f32", "__ocml_signbit_f64"), _sign
    ),
    **dict.fromkeys(("__nv_float_as_int", "__nv_float_as_uint", "__nv_double_as_longlong"), _bits),
    **dict.fromkeys(("__nv_int_as_float", "__nv_uint_as_float", "__nv_longlong_as_double"), _bits),
    **dict.fromkeys(
        ("__nv_abs", "__nv_llabs", "__triton_hip_iabs", "__triton_hip_fabs"), _absolute
    ),
    **dict.fromkeys(("__triton_hip_rint", "__triton_hip_llrint"), _whole),
    "__nv_double2hiint": _half(32),
    "__nv_double2loint": _half(0),
    "__nv_hiloint2double": _joined,
    "__triton_hip_fast_expf": _power,
    "__triton_hip_fast_fdividef": _ratio,
    "__triton_hip_fast_tanhf": _tangent,
}
"""By symbol; every argument has the type of the first."""
