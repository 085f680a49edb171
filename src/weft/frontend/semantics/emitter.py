"""The emitter: from an operator or a call on kernel values to operations of the IR.

    emitter.binary("+", x, constexpr(1))    →  arith.constant, arith.addi
    emitter.call(tl.load, [pointer], {})    →  tt.load

It knows no syntax: the lowering of the tree calls it. Errors are raised without a place; the
lowering adds the expression's. Each family of operators is a module of this package, each family
of functions a module of `builtins`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xdsl.ir import Attribute, SSAValue

from weft.errors import CompilationError, TypeMismatchError, UnsupportedError
from weft.frontend.options import FrontendOptions
from weft.frontend.semantics import (
    arithmetic,
    bitwise,
    calls,
    casts,
    choosing,
    comparison,
    constants,
    indexing,
    matching,
    members,
    promotion,
    shaping,
)
from weft.frontend.semantics.ir_types import ir_type
from weft.frontend.semantics.values import TensorValue, Value
from weft.ir.rewriting import Builder
from weft.language import compound_types, dtypes
from weft.language.builtin import Builtin
from weft.language.dtypes import dtype
from weft.language.kernel_function import KernelFunction

_BINARY: dict[str, Callable[[Emitter, Any, Any], TensorValue]] = {
    "+": arithmetic.add,
    "-": arithmetic.sub,
    "*": arithmetic.mul,
    "/": arithmetic.truediv,
    "//": arithmetic.floordiv,
    "%": arithmetic.mod,
    "**": arithmetic.power,
}
_BITWISE = ("&", "|", "^", "<<", ">>")
_UNARY: dict[str, Callable[[Emitter, Any], TensorValue]] = {
    "-": arithmetic.minus,
    "+": arithmetic.plus,
    "~": bitwise.invert,
}


class Emitter:
    """Emit operations at the builder's place.

    Args: builder: shared with the lowering, which sets its location.  options: of the target.
          call_function: lowers a call of a kernel function at the builder's place; the lowering
          sets it before a function is passed to reduce, scan or map_elementwise.
    """

    def __init__(self, builder: Builder, options: FrontendOptions) -> None:
        self.builder = builder
        self.options = options
        self.call_function: Callable[[KernelFunction, Sequence[Value]], Value] = _no_lowering

    def binary(self, op: str, a: Value, b: Value) -> TensorValue:
        """Emit `a op b` for one of + - * / // % ** << >> & | ^.

        Raises: TypeMismatchError for operands that do not go together; UnsupportedError for @.
        """
        if op in _BITWISE:
            return bitwise.bitwise(self, op, a, b)
        emit = _BINARY.get(op)
        if emit is None:
            raise UnsupportedError(
                f"blocks have no operator {op}",
                found=op,
                accepted=(*_BINARY, *_BITWISE),
                hint="use tl.dot(a, b)" if op == "@" else None,
            )
        return emit(self, a, b)

    def unary(self, op: str, x: Value) -> TensorValue:
        """Emit -x, +x or ~x."""
        return _UNARY[op](self, x)

    def compare(self, op: str, a: Value, b: Value) -> TensorValue:
        """Emit `a op b` for one of < <= > >= == !=; the result is int1."""
        return comparison.compare(self, op, a, b)

    def logical_and(self, a: Value, b: Value) -> TensorValue:
        """Emit `a and b` of int1 values; both sides are computed."""
        return bitwise.logical(self, "and", a, b)

    def logical_or(self, a: Value, b: Value) -> TensorValue:
        """Emit `a or b` of int1 values; both sides are computed."""
        return bitwise.logical(self, "or", a, b)

    def logical_not(self, x: Value) -> TensorValue:
        """Emit `not x` of an int1 value."""
        return bitwise.logical_not(self, x)

    def to_value(self, x: Value) -> TensorValue:
        """Return `x` as a value of the kernel; a Python number becomes a scalar constant."""
        return constants.to_value(self, x)

    def constant(self, number: bool | int | float, type_: dtype) -> TensorValue:
        """Emit a scalar constant of an element type."""
        return constants.constant(self, number, type_)

    def cast(self, x: Value, to: dtype, fp_downcast_rounding: str | None = None) -> TensorValue:
        """Convert the elements of `x` to an element type."""
        return casts.cast(self, self.to_value(x), to, fp_downcast_rounding)

    def bitcast(self, x: Value, to: dtype) -> TensorValue:
        """Take the bits of the elements of `x` as another type of the same width."""
        return casts.bitcast(self, self.to_value(x), to)

    def select(self, condition: Value, a: Value, b: Value) -> TensorValue:
        """Emit `a` where the condition holds, else `b`."""
        return choosing.select(self, condition, a, b)

    def truth(self, x: Value) -> SSAValue:
        """Return the i1 that an `if` or `while` branches on.

        Raises: TypeMismatchError for a block.
        """
        value = self.to_value(x)
        if value.is_block:
            raise TypeMismatchError(
                "a condition must be one truth value, not a block of them",
                found=value,
                accepted=("a scalar",),
                hint="choose element by element with tl.where, or reduce the block first",
            )
        return self.cast(value, dtypes.int1).handle

    def matched(
        self,
        a: Value,
        b: Value,
        *,
        is_division: bool = False,
        pointers: tuple[bool, bool] = (False, False),
        promotes: bool = True,
    ) -> tuple[TensorValue, TensorValue]:
        """Return two operands in their common type and shape; see `matching`."""
        return matching.matched(
            self, a, b, is_division=is_division, pointers=pointers, promotes=promotes
        )

    def splat(self, x: TensorValue, shape: Sequence[int]) -> TensorValue:
        """Return a block of `shape` filled with the scalar `x`."""
        return shaping.splat(self, x, shape)

    def broadcast_to(self, x: TensorValue, shape: Sequence[int]) -> TensorValue:
        """Stretch `x` to `shape`."""
        return shaping.broadcast_to(self, x, shape)

    def integer_promote(self, a: dtype, b: dtype) -> dtype:
        """Return the common type of two integer types."""
        return promotion.integer_type(a, b)

    def ir_type(self, type_: dtype) -> Attribute:
        """Return the IR's type of a language type.

        Raises: TypeMismatchError for an 8-bit float that the target does not have.
        """
        element = type_.scalar
        while isinstance(element, compound_types.pointer_type):
            element = element.element_ty.scalar
        casts.check_dtype(self, element)
        return ir_type(type_)

    def getitem(self, x: TensorValue, index: Value) -> TensorValue:
        """Emit `x[index]`: None inserts a dimension, `:` keeps one."""
        return indexing.getitem(self, x, index)

    def attribute(self, x: Value, name: str) -> Value:
        """Return `x.name`: a fact, a value, or a method bound to `x`.

        Raises: CompilationError with near names where there is none.
        """
        return members.attribute(self, x, name)

    def call(self, function: Builtin, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        """Carry out a call of a declared function.

        Raises: CompilationError where the arguments do not fit its signature.
        """
        return calls.call(self, function, args, kwargs)


def _no_lowering(function: KernelFunction, args: Sequence[Value]) -> Value:
    raise CompilationError(
        f"{function} cannot be called here",
        found=f"{len(args)} arguments",
        hint="set call_function",
    )
