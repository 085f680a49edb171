"""Element-wise operations of tt: casts, clamp, precise math, external functions, assembly."""

from __future__ import annotations

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

from weft.ir.attributes import number
from weft.ir.constraints import bool_prop, enum_prop, i32_prop, opt_enum_prop
from weft.ir.enums import PropagateNan, RoundingMode
from weft.ir.interfaces import Effect, MemoryEffectOpInterface
from weft.ir.operation import Infer, Op, operation, same


@operation
class FpToFpOp(Op):
    """Convert between float types, including 8-bit ones.

    A conversion to a narrower type names its rounding mode.

    `%r = tt.fp_to_fp %x, rounding = rtne : tensor<64xf32> -> tensor<64xf8E5M2>`
    """

    name = "tt.fp_to_fp"
    src = operand_def()
    rounding = opt_enum_prop(RoundingMode)
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = (
        "$src attr-dict (`,` `rounding` `=` $rounding^)? `:` type($src) `->` type($result)"
    )


@operation
class BitcastOp(Op):
    """Reinterpret the bits as another type of the same width.  `%r = tt.bitcast %x : i32 -> f32`"""

    name = "tt.bitcast"
    src = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"


@operation
class IntToPtrOp(Op):
    """Convert an i64 to a pointer.  `%p = tt.int_to_ptr %x : i64 -> !tt.ptr<f32>`"""

    name = "tt.int_to_ptr"
    src = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"


@operation
class PtrToIntOp(Op):
    """Convert a pointer to an i64.  `%x = tt.ptr_to_int %p : !tt.ptr<f32> -> i64`"""

    name = "tt.ptr_to_int"
    src = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"


@operation
class ClampFOp(Op):
    """Clamp x to [min, max]; `propagateNan = all` returns NaN for a NaN x.

    `%r = tt.clampf %x, %lo, %hi, propagateNan = none : tensor<64xf32>`
    """

    name = "tt.clampf"
    x = operand_def()
    min = operand_def()
    max = operand_def()
    propagateNan = enum_prop(PropagateNan)
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = (
        "$x `,` $min `,` $max `,` `propagateNan` `=` $propagateNan attr-dict `:` type($result)"
    )
    INFER: ClassVar[Infer] = {"x": same("result"), "min": same("result"), "max": same("result")}


@operation
class PreciseSqrtOp(Op):
    """Correctly rounded square root.  `%r = tt.precise_sqrt %x : f32`"""

    name = "tt.precise_sqrt"
    x = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$x attr-dict `:` type($x)"
    INFER: ClassVar[Infer] = {"result": same("x")}


@operation
class PreciseDivFOp(Op):
    """Correctly rounded division.  `%r = tt.precise_divf %x, %y : f32`"""

    name = "tt.precise_divf"
    x = operand_def()
    y = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$x `,` $y attr-dict `:` type($x)"
    INFER: ClassVar[Infer] = {"y": same("x"), "result": same("x")}


@operation
class MulhiUIOp(Op):
    """Upper half of the unsigned product.  `%r = tt.mulhiui %x, %y : i32`"""

    name = "tt.mulhiui"
    x = operand_def()
    y = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$x `,` $y attr-dict `:` type($x)"
    INFER: ClassVar[Infer] = {"y": same("x"), "result": same("x")}


@operation
class ExternElementwiseOp(Op, MemoryEffectOpInterface):
    """Call a function of a device library, such as libdevice, element by element.

    `%r = tt.extern_elementwise %x {libname = "", libpath = "", pure = true,
    symbol = "__nv_tanhf"} : (tensor<64xf32>) -> tensor<64xf32>`
    """

    name = "tt.extern_elementwise"
    srcs = var_operand_def()
    libname = prop_def(StringAttr)
    libpath = prop_def(StringAttr)
    symbol = prop_def(StringAttr)
    pure = bool_prop()
    result = result_def()
    FORMAT: ClassVar[str] = "$srcs attr-dict `:` functional-type(operands, results)"

    def memory_effects(self) -> Effect:
        return Effect.NONE if number(self.pure) else Effect.READ | Effect.WRITE


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
    args_ = var_operand_def()
    result = var_result_def()
    FORMAT: ClassVar[str] = "$asm_string attr-dict ($args_^ `:` type($args_))? `->` type($result)"

    def memory_effects(self) -> Effect:
        return Effect.NONE if number(self.pure) else Effect.READ | Effect.WRITE


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
