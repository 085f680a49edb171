"""Element-wise operations of tt: casts, clamp, precise math, external functions, assembly."""

from __future__ import annotations

from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import StringAttr
from xdsl.irdl import (
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.attributes import number
from weft.ir.constraints import bool_prop, enum_prop, i32_prop, opt_enum_prop
from weft.ir.enums import PropagateNan, RoundingMode
from weft.ir.interfaces import Effect, MemoryEffectOpInterface
from weft.ir.op_traits import (
    Elementwise,
    SameOperandsAndResultEncoding,
    SameOperandsAndResultShape,
    SameOperandsAndResultType,
)
from weft.ir.operation import Infer, Op, operation, same
from weft.ir.type_constraints import ANY_TYPE, FLOAT_LIKE, I64_LIKE, INT_LIKE, POINTER_LIKE


@operation
class FpToFpOp(Op):
    """Convert between float types, including 8-bit ones.

    A conversion to a narrower type names its rounding mode.

    `%r = tt.fp_to_fp %x, rounding = rtne : tensor<64xf32> -> tensor<64xf8E5M2>`
    """

    name = "tt.fp_to_fp"
    src = operand_def(FLOAT_LIKE)
    rounding = opt_enum_prop(RoundingMode)
    result = result_def(FLOAT_LIKE)
    traits = traits_def(
        Pure(), Elementwise(), SameOperandsAndResultShape(), SameOperandsAndResultEncoding()
    )
    FORMAT: ClassVar[str] = (
        "$src attr-dict (`,` `rounding` `=` $rounding^)? `:` type($src) `->` type($result)"
    )

    def verify_(self) -> None:
        before, after = types.bit_width(self.src.type), types.bit_width(self.result.type)
        if after < before and self.rounding is None:
            raise VerifyException("Rounding mode is required for FP downcast")


@operation
class BitcastOp(Op):
    """Reinterpret the bits as another type of the same width.  `%r = tt.bitcast %x : i32 -> f32`"""

    name = "tt.bitcast"
    src = operand_def(ANY_TYPE)
    result = result_def(ANY_TYPE)
    traits = traits_def(
        Pure(), Elementwise(), SameOperandsAndResultShape(), SameOperandsAndResultEncoding()
    )
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        source, result = types.element(self.src.type), types.element(self.result.type)
        if types.is_pointer(source) and types.is_pointer(result):
            if source.address_space != result.address_space:
                raise VerifyException("Cannot bitcast pointer between different address spaces")
            return
        if types.is_pointer(source) or types.is_pointer(result):
            raise VerifyException("Cannot bitcast pointer to non-pointer type")
        before, after = types.bit_width(source), types.bit_width(result)
        if before != after:
            raise VerifyException(
                f"Cannot bitcast data-type of size {before} to data-type of size {after}"
            )


@operation
class IntToPtrOp(Op):
    """Convert an i64 to a pointer.  `%p = tt.int_to_ptr %x : i64 -> !tt.ptr<f32>`"""

    name = "tt.int_to_ptr"
    src = operand_def(I64_LIKE)
    result = result_def(POINTER_LIKE)
    traits = traits_def(
        Pure(), Elementwise(), SameOperandsAndResultShape(), SameOperandsAndResultEncoding()
    )
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"


@operation
class PtrToIntOp(Op):
    """Convert a pointer to an i64.  `%x = tt.ptr_to_int %p : !tt.ptr<f32> -> i64`"""

    name = "tt.ptr_to_int"
    src = operand_def(POINTER_LIKE)
    result = result_def(I64_LIKE)
    traits = traits_def(
        Pure(), Elementwise(), SameOperandsAndResultShape(), SameOperandsAndResultEncoding()
    )
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"


@operation
class ClampFOp(Op):
    """Clamp x to [min, max]; `propagateNan = all` returns NaN for a NaN x.

    `%r = tt.clampf %x, %lo, %hi, propagateNan = none : tensor<64xf32>`
    """

    name = "tt.clampf"
    x = operand_def(FLOAT_LIKE)
    min = operand_def(FLOAT_LIKE)
    max = operand_def(FLOAT_LIKE)
    propagateNan = enum_prop(PropagateNan)
    result = result_def(FLOAT_LIKE)
    traits = traits_def(Pure(), Elementwise(), SameOperandsAndResultType())
    FORMAT: ClassVar[str] = (
        "$x `,` $min `,` $max `,` `propagateNan` `=` $propagateNan attr-dict `:` type($result)"
    )
    INFER: ClassVar[Infer] = {"x": same("result"), "min": same("result"), "max": same("result")}


@operation
class PreciseSqrtOp(Op):
    """Correctly rounded square root.  `%r = tt.precise_sqrt %x : f32`"""

    name = "tt.precise_sqrt"
    x = operand_def(FLOAT_LIKE)
    result = result_def(FLOAT_LIKE)
    traits = traits_def(Pure(), Elementwise(), SameOperandsAndResultType())
    FORMAT: ClassVar[str] = "$x attr-dict `:` type($x)"
    INFER: ClassVar[Infer] = {"result": same("x")}


@operation
class PreciseDivFOp(Op):
    """Correctly rounded division.  `%r = tt.precise_divf %x, %y : f32`"""

    name = "tt.precise_divf"
    x = operand_def(FLOAT_LIKE)
    y = operand_def(FLOAT_LIKE)
    result = result_def(FLOAT_LIKE)
    traits = traits_def(Pure(), Elementwise(), SameOperandsAndResultType())
    FORMAT: ClassVar[str] = "$x `,` $y attr-dict `:` type($x)"
    INFER: ClassVar[Infer] = {"y": same("x"), "result": same("x")}


@operation
class MulhiUIOp(Op):
    """Upper half of the unsigned product.  `%r = tt.mulhiui %x, %y : i32`"""

    name = "tt.mulhiui"
    x = operand_def(INT_LIKE)
    y = operand_def(INT_LIKE)
    result = result_def(INT_LIKE)
    traits = traits_def(Pure(), Elementwise(), SameOperandsAndResultType())
    FORMAT: ClassVar[str] = "$x `,` $y attr-dict `:` type($x)"
    INFER: ClassVar[Infer] = {"y": same("x"), "result": same("x")}


@operation
class ExternElementwiseOp(Op, MemoryEffectOpInterface):
    """Call a function of a device library, such as libdevice, element by element.

    `%r = tt.extern_elementwise %x {libname = "", libpath = "", pure = true,
    symbol = "__nv_tanhf"} : (tensor<64xf32>) -> tensor<64xf32>`
    """

    name = "tt.extern_elementwise"
    srcs = var_operand_def(ANY_TYPE)
    libname = prop_def(StringAttr)
    libpath = prop_def(StringAttr)
    symbol = prop_def(StringAttr)
    pure = bool_prop()
    result = result_def(ANY_TYPE)
    traits = traits_def(Elementwise(), SameOperandsAndResultEncoding())
    FORMAT: ClassVar[str] = "$srcs attr-dict `:` functional-type(operands, results)"

    def memory_effects(self) -> Effect:
        return Effect.NONE if number(self.pure) else Effect.READ | Effect.WRITE


_UNSIGNED = 1 << 32


@operation
class ElementwiseInlineAsmOp(Op, MemoryEffectOpInterface):
    """Run inline assembly on packs of `packed_element` elements; several results are allowed.

    `%r = tt.elementwise_inline_asm "…" {constraints = "=r,r", packed_element = 4 : i32,
    pure = true} %x : tensor<64xi8> -> tensor<64xi8>`
    """

    name = "tt.elementwise_inline_asm"
    asm_string = prop_def(StringAttr)
    constraints = prop_def(StringAttr)
    pure = bool_prop()
    packed_element = i32_prop()
    args_ = var_operand_def(ANY_TYPE)
    result = var_result_def(ANY_TYPE)
    traits = traits_def(Elementwise(), SameOperandsAndResultEncoding())
    FORMAT: ClassVar[str] = "$asm_string attr-dict ($args_^ `:` type($args_))? `->` type($result)"

    def memory_effects(self) -> Effect:
        return Effect.NONE if number(self.pure) else Effect.READ | Effect.WRITE

    def verify_(self) -> None:
        if not self.operands:
            return
        first = self.operands[0].type
        count = prod(types.shape(first)) if types.is_tensor(first) else 0
        packed = self.packed_element.value.data % _UNSIGNED  # as Triton reads it
        if packed == 0 or count % packed:
            raise VerifyException(
                f"number of input elements {count} must be a multiple of the op's packed_element "
                f"attribute, {packed}"
            )


OPERATIONS = (
    FpToFpOp,
    BitcastOp,
    IntToPtrOp,
    PtrToIntOp,
    ClampFOp,
    PreciseSqrtOp,
    PreciseDivFOp,
    MulhiUIOp,
    ExternElementwiseOp,
    ElementwiseInlineAsmOp,
)

__all__ = [
    "BitcastOp",
    "ClampFOp",
    "ElementwiseInlineAsmOp",
    "ExternElementwiseOp",
    "FpToFpOp",
    "IntToPtrOp",
    "MulhiUIOp",
    "OPERATIONS",
    "PreciseDivFOp",
    "PreciseSqrtOp",
    "PtrToIntOp",
]
