"""The bounds of a counting loop: `range(...)` and `tl.range(...)`.

A loop of the IR counts up. Counting down by a constant swaps the bounds and mirrors the counter:

    for i in range(n, m, -1)    →    for j = m to n step 1:  i = n - j + m
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from weft.errors import CompilationError, TypeMismatchError, did_you_mean
from weft.frontend import static_values
from weft.frontend.context import FunctionContext
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.values import TensorValue, describe
from weft.ir import arith, attributes, llvm, types
from weft.ir.builtin import Attribute
from weft.language.constexpr import constexpr
from weft.language.dtypes import dtype

_BOUNDS = ("arg1", "arg2", "step")
_NUMBERS = {"num_stages": "tt.num_stages", "loop_unroll_factor": "tt.loop_unroll_factor"}
_FLAGS = {
    "disallow_acc_multi_buffer": "tt.disallow_acc_multi_buffer",
    "flatten": "tt.flatten",
    "warp_specialize": "tt.warp_specialize",
    "disable_licm": "llvm.loop_annotation",
}
_OPTIONS = (*_NUMBERS, *_FLAGS)


@dataclass(frozen=True, slots=True)
class Counting:
    """Hold the bounds of a counting loop, all of one integer type, and advice to the compiler.

    Args: lower, upper, step: as the loop of the IR counts.  is_mirrored: it counts down.
          attributes: of the loop.
    """

    lower: TensorValue
    upper: TensorValue
    step: TensorValue
    is_mirrored: bool
    attributes: dict[str, Attribute] = field(default_factory=dict)

    def value(self, emitter: Emitter, counter: TensorValue) -> TensorValue:
        """Return the value of the loop variable, given the counter of the loop."""
        if not self.is_mirrored:
            return counter
        return emitter.binary("+", emitter.binary("-", self.upper, counter), self.lower)


def counting_of(
    context: FunctionContext, node: ast.expr, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Counting:
    """Return the bounds that the arguments of `range` or `tl.range` say.

    Raises: TypeMismatchError: a bound is no integer.  CompilationError: wrong arguments.
    """
    given = _bind(context, node, args, kwargs)
    start, stop, step = given.get("arg1"), given.get("arg2"), given.get("step", constexpr(1))
    if stop is None:
        start, stop = constexpr(0), start
    stride = _number(context, node, "step", step) if isinstance(step, constexpr) else 1
    if stride == 0:
        context.fail(node, "the step of a range is zero", found=ast.unparse(node))
    is_mirrored = stride < 0
    if is_mirrored:
        step, start, stop = constexpr(-stride), stop, start
    emitter = context.emitter
    bounds = [_bound(context, node, value) for value in (start, stop, step)]
    common = emitter.integer_promote(bounds[0].type, bounds[1].type)
    common = emitter.integer_promote(common, bounds[2].type)
    lower, upper, by = (_converted(context, bound, common) for bound in bounds)
    return Counting(lower, upper, by, is_mirrored, _advice(context, node, given))


def _bind(
    context: FunctionContext, node: ast.expr, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    names = (*_BOUNDS, *_OPTIONS)
    if (not args and "arg1" not in kwargs) or len(args) > len(names):
        context.fail(
            node,
            f"a range takes one to three bounds, and {len(args)} are given",
            found=ast.unparse(node),
            accepted=("range(stop)", "range(start, stop)", "range(start, stop, step)"),
        )
    given = dict(zip(names, args, strict=False))
    for name, value in kwargs.items():
        if name not in names or name in given:
            context.fail(
                node,
                f"{name} is given twice" if name in given else f"a range has no option {name}",
                found=f"{name}=",
                accepted=_OPTIONS,
                hint=did_you_mean(name, names),
            )
        given[name] = value
    is_default = {
        name
        for name, value in given.items()
        if isinstance(value, constexpr) and value.value is None
    }
    return {name: value for name, value in given.items() if name not in is_default}


def _number(context: FunctionContext, node: ast.expr, name: str, value: Any) -> int:
    plain = static_values.leave(value)
    if not isinstance(plain, int):
        context.fail(
            node,
            f"{name} of a range is an integer",
            error=TypeMismatchError,
            found=describe(value),
            accepted=("an integer",),
        )
    return plain


def _bound(context: FunctionContext, node: ast.expr, value: Any) -> TensorValue:
    if isinstance(value, constexpr):
        _number(context, node, "a bound", value)
        value = context.emitter.to_value(value)
    is_integer = isinstance(value, TensorValue) and not value.is_block and value.dtype.is_int()
    if not is_integer:
        context.fail(
            node,
            "the bounds and the step of a range are integers",
            error=TypeMismatchError,
            found=describe(value),
            accepted=("a scalar integer", "a compile-time integer"),
        )
    return value


def _converted(context: FunctionContext, bound: TensorValue, common: dtype) -> TensorValue:
    """Return a bound in the common type.

    A bound that has it already is still cast, as Triton does: the cast goes away, and leaves the
    constants of the function in Triton's order.
    """
    if bound.type != common:
        return context.emitter.cast(bound, common)
    type_ = bound.handle.type
    return TensorValue(context.builder.value(arith.BitcastOp, [bound.handle], type_), common)


def _advice(
    context: FunctionContext, node: ast.expr, given: dict[str, Any]
) -> dict[str, Attribute]:
    found: dict[str, Attribute] = {}
    for name in _OPTIONS:
        if name not in given:
            continue
        value = given[name]
        if not static_values.is_static(value):
            context.fail(
                node,
                f"{name} is advice to the compiler, so it is a constant",
                error=CompilationError,
                found=describe(value),
                accepted=("a compile-time constant",),
            )
        if name in _NUMBERS:
            number = _number(context, node, name, value)
            found[_NUMBERS[name]] = attributes.integer(number, types.i32)
        elif static_values.truth(value):
            is_licm = name == "disable_licm"
            found[_FLAGS[name]] = llvm.licm_disabled() if is_licm else attributes.unit
    return dict(sorted(found.items()))
