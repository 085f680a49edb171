"""tt.extern_elementwise: functions of the vendors' libraries, by symbol.

__nv_tanhf, __ocml_tanh_f32      expansions of common functions (`elementary`)
__nv_fabs, __ocml_floor_f64      LLVM intrinsics
__nv_isnanf, __triton_hip_rint   a few instructions (`library_expansions`)
all others                       calls; LLVM's process links the library
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from xdsl.ir import Operation

from weft.codegen.llvm.types import intrinsic_suffix, llvm_type
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.elementary.functions import FLOAT32_FUNCTIONS
from weft.codegen.lowering.elementary.library_expansions import EXPANSIONS
from weft.codegen.lowering.elementary.rounding import round_half_away
from weft.codegen.lowering.registry import lowers
from weft.errors import CodegenError
from weft.ir import tt, types
from weft.ir.builtin import StringAttr

# A symbol's name between the library's prefix and the type suffix.
_SYMBOL = re.compile(r"__nv_(?P<nv>\w+)|__ocml_(?P<ocml>\w+)_f(?:32|64)")
_INTRINSICS = {
    "fabs": "fabs",
    "sqrt": "sqrt",
    "floor": "floor",
    "ceil": "ceil",
    "trunc": "trunc",
    "rint": "roundeven",
    "nearbyint": "roundeven",
    "fma": "fma",
    "copysign": "copysign",
    "fmax": "maxnum",
    "fmin": "minnum",
}
_OPERANDS = {"fma": 3, "copysign": 2, "fmax": 2, "fmin": 2}  # of the others 1
_OF_INTEGERS = {"popc": "ctpop", "popcll": "ctpop", "brev": "bitreverse", "brevll": "bitreverse"}


@lowers(tt.ExternElementwiseOp)
def _extern(ctx: LoweringContext, op: tt.ExternElementwiseOp) -> None:
    symbol, path = _text(op, "symbol"), _text(op, "libpath")
    make = None if path else _own(ctx, op, symbol)
    ctx.define_each(op.results[0], make or _called(ctx, op, symbol, path))


def _text(op: Operation, name: str) -> str:
    result = op.properties.get(name)
    return result.data if isinstance(result, StringAttr) else ""


def _called(ctx: LoweringContext, op: Operation, symbol: str, path: str) -> Callable[[int], str]:
    """Create the writer of calls to a library's function.

    Raises:
        CodegenError: No library is known for the symbol, or it is not installed.
    """
    ctx.require_library(symbol, path, _text(op, "libname"))
    operands = [(llvm_type(value.type), ctx[value]) for value in op.operands]
    result = llvm_type(op.results[0].type)
    return lambda n: ctx.writer.call(result, symbol, *((type_, one[n]) for type_, one in operands))


def _own(ctx: LoweringContext, op: Operation, symbol: str) -> Callable[[int], str] | None:
    """Find the expansion of a library function; None if there is none."""
    if symbol in EXPANSIONS:
        return _form(ctx, op, symbol)
    match = _SYMBOL.fullmatch(symbol)
    if match is None or not op.operands:
        return None
    element = types.element(op.operands[0].type)
    name = match["ocml"] or match["nv"]
    if not types.is_float(element):
        return _of_integers(ctx, op, name)
    if element == types.f32 and match["nv"]:
        name = name.removesuffix("f") if name.endswith("f") else ""
    if types.element(op.results[0].type) != element:
        return None
    if element == types.f32 and name in FLOAT32_FUNCTIONS:
        (x,) = _operands(ctx, op, symbol, 1)
        return lambda n: FLOAT32_FUNCTIONS[name](ctx.hardware, ctx.writer, x[n])
    if element not in (types.f32, types.f64):
        return None
    if name == "round":
        (x,) = _operands(ctx, op, symbol, 1)
        return lambda n: round_half_away(ctx.writer, x[n], element)
    if name not in _INTRINSICS:
        return None
    _operands(ctx, op, symbol, _OPERANDS.get(name, 1))
    return _intrinsic(ctx, op, _INTRINSICS[name])


def _operands(ctx: LoweringContext, op: Operation, symbol: str, count: int) -> list[Sequence[str]]:
    """Get the registers of the operands.

    Raises:
        CodegenError: The function takes another number of operands.
    """
    if len(op.operands) != count:
        raise CodegenError(
            f"{symbol} takes another number of operands",
            found=len(op.operands),
            accepted=[count],
        )
    return [ctx[operand] for operand in op.operands]


def _form(ctx: LoweringContext, op: Operation, symbol: str) -> Callable[[int], str]:
    operands = [ctx[operand] for operand in op.operands]
    argument, result = types.element(op.operands[0].type), types.element(op.results[0].type)
    form = EXPANSIONS[symbol]
    return lambda n: form(ctx.hardware, ctx.writer, [one[n] for one in operands], argument, result)


def _of_integers(ctx: LoweringContext, op: Operation, name: str) -> Callable[[int], str] | None:
    same = all(
        types.element(value.type) == types.element(op.results[0].type) for value in op.operands
    )
    return _intrinsic(ctx, op, _OF_INTEGERS[name]) if same and name in _OF_INTEGERS else None


def _intrinsic(ctx: LoweringContext, op: Operation, name: str) -> Callable[[int], str]:
    type_ = llvm_type(op.results[0].type)
    operands = [ctx[operand] for operand in op.operands]
    callee = f"llvm.{name}.{intrinsic_suffix(type_)}"
    return lambda n: ctx.writer.call(type_, callee, *((type_, one[n]) for one in operands))
