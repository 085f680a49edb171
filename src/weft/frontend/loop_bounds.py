"""The bounds and options of `range(...)` and `tl.range(...)`.

A loop of the IR counts up. A loop with a negative constant step swaps the bounds and mirrors the
induction variable:

    for i in range(n, m, -1)    →    for j = m to n step 1:  i = n - j + m
"""

from __future__ import annotations

import ast
from typing import NoReturn

from msgspec import Struct, field

from weft.errors import CompilationError, TypeMismatchError, did_you_mean
from weft.frontend import static_values
from weft.frontend.context import FunctionContext
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.values import TensorValue, Value, describe
from weft.ir import arith, attributes, llvm, loop_attributes, types
from weft.ir.builtin import Attribute
from weft.language.constexpr import constexpr
from weft.language.dtypes import dtype

_BOUNDS = ("arg1", "arg2", "step")
_INTEGER_OPTIONS = {
    "num_stages": loop_attributes.NUM_STAGES,
    "loop_unroll_factor": loop_attributes.LOOP_UNROLL_FACTOR,
}
_BOOLEAN_OPTIONS = {
    "disallow_acc_multi_buffer": loop_attributes.DISALLOW_ACC_MULTI_BUFFER,
    "flatten": loop_attributes.FLATTEN,
    "warp_specialize": loop_attributes.WARP_SPECIALIZE,
    "disable_licm": loop_attributes.DISABLE_LICM,
}
_OPTIONS = (*_INTEGER_OPTIONS, *_BOOLEAN_OPTIONS)


class LoopBounds(Struct, frozen=True):
    """The bounds of a counting loop, all of one integer type.

    Attributes:
        lower: The lower bound of the IR's loop.
        upper: Its upper bound.
        step: Its step.
        is_mirrored: Whether the kernel's loop counts down.
        attributes: The attributes of the loop, from the options.
    """

    lower: TensorValue
    upper: TensorValue
    step: TensorValue
    is_mirrored: bool
    attributes: dict[str, Attribute] = field(default_factory=dict)

    def induction_variable(self, emitter: Emitter, counter: TensorValue) -> TensorValue:
        """Compute the kernel's induction variable from the IR's."""
        if not self.is_mirrored:
            return counter
        return emitter.binary("+", emitter.binary("-", self.upper, counter), self.lower)


def loop_bounds(
    context: FunctionContext, node: ast.expr, args: tuple[Value, ...], kwargs: dict[str, Value]
) -> LoopBounds:
    """Read the arguments of `range` or `tl.range`.

    Raises:
        TypeMismatchError: A bound is not an integer.
        CompilationError: An argument is missing or unknown.
    """
    arguments = _bind(context, node, args, kwargs)
    start, stop = arguments.get("arg1"), arguments.get("arg2")
    step = arguments.get("step", constexpr(1))
    if stop is None:
        start, stop = constexpr(0), start
    constant_step = _integer(context, node, "step", step) if isinstance(step, constexpr) else 1
    if constant_step == 0:
        context.fail(node, "the step of range() must not be zero", found=ast.unparse(node))
    is_mirrored = constant_step < 0
    if is_mirrored:
        step, start, stop = constexpr(-constant_step), stop, start
    emitter = context.emitter
    bounds = _bounds(context, node, (start, stop, step))
    common = emitter.integer_promote(bounds[0].type, bounds[1].type)
    common = emitter.integer_promote(common, bounds[2].type)
    lower, upper, by = (_convert(context, bound, common) for bound in bounds)
    return LoopBounds(lower, upper, by, is_mirrored, _loop_attributes(context, node, arguments))


def _bind(
    context: FunctionContext, node: ast.expr, args: tuple[Value, ...], kwargs: dict[str, Value]
) -> dict[str, Value]:
    names = (*_BOUNDS, *_OPTIONS)
    if (not args and "arg1" not in kwargs) or len(args) > len(names):
        context.fail(
            node,
            f"range() expected 1 to 3 bounds, got {len(args)}",
            found=ast.unparse(node),
            accepted=("range(stop)", "range(start, stop)", "range(start, stop, step)"),
        )
    arguments = dict(zip(names, args, strict=False))
    for name, value in kwargs.items():
        if name not in names or name in arguments:
            problem = "multiple values for" if name in arguments else "an unexpected keyword"
            context.fail(
                node,
                f"range() got {problem} argument '{name}'",
                found=f"{name}=",
                accepted=_OPTIONS,
                hint=did_you_mean(name, names),
            )
        arguments[name] = value
    return {
        name: value
        for name, value in arguments.items()
        if not (isinstance(value, constexpr) and value.value is None)
    }


def _integer(context: FunctionContext, node: ast.expr, name: str, value: Value) -> int:
    number = static_values.to_python(value)
    if not isinstance(number, int):
        context.fail(
            node,
            f"{name} of range() must be an integer",
            error=TypeMismatchError,
            found=describe(value),
            accepted=("an integer",),
        )
    return number


def _bounds(
    context: FunctionContext, node: ast.expr, arguments: tuple[Value, ...]
) -> list[TensorValue]:
    """Convert the bounds and the step to scalars of integer types."""
    values: list[TensorValue] = []
    for value in arguments:
        operand = context.emitter.to_value(value) if isinstance(value, constexpr) else value
        if not isinstance(operand, TensorValue):
            _refuse(context, node, "For loop bounds and step must all be ints", value)
        values.append(operand)
    for value in values:
        if not value.dtype.is_int():
            types = ", ".join(str(each.dtype) for each in values)
            message = f"For loop bounds and step must all be ints, are ({types})"
            _refuse(context, node, message, value)
    for name, value in zip(("lower bound", "upper bound", "step"), values, strict=True):
        if value.is_block:
            message = f"For {name} must be a scalar, got {describe(value)}"
            _refuse(context, node, message, value)
    return values


def _refuse(context: FunctionContext, node: ast.expr, message: str, value: Value) -> NoReturn:
    context.fail(
        node,
        message,
        error=TypeMismatchError,
        found=describe(value),
        accepted=("a scalar integer", "a compile-time integer"),
    )


def _convert(context: FunctionContext, bound: TensorValue, common: dtype) -> TensorValue:
    """Convert a bound to the common type.

    A bound of that type is cast, too, as in Triton. The cast is folded later, but it determines the
    order of the function's constants.
    """
    if bound.type != common:
        return context.emitter.cast(bound, common)
    type_ = bound.handle.type
    return TensorValue(context.builder.value(arith.BitcastOp, [bound.handle], type_), common)


def _loop_attributes(
    context: FunctionContext, node: ast.expr, arguments: dict[str, Value]
) -> dict[str, Attribute]:
    loop_attributes: dict[str, Attribute] = {}
    for name in _OPTIONS:
        if name not in arguments:
            continue
        value = arguments[name]
        if not static_values.is_static(value):
            context.fail(
                node,
                f"{name} of tl.range must be a compile-time constant",
                error=CompilationError,
                found=describe(value),
                accepted=("a compile-time constant",),
            )
        if name in _INTEGER_OPTIONS:
            number = _integer(context, node, name, value)
            loop_attributes[_INTEGER_OPTIONS[name]] = attributes.integer(number, types.i32)
        elif static_values.is_true(value):
            is_licm = name == "disable_licm"
            attribute = llvm.licm_disabled() if is_licm else attributes.unit
            loop_attributes[_BOOLEAN_OPTIONS[name]] = attribute
    return dict(sorted(loop_attributes.items()))
