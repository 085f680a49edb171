"""The emitter: operators and calls on values of a kernel become operations.

    emitter.binary("+", x, constexpr(1))    →  arith.constant, arith.addi
    emitter.call(tl.load, [pointer], {})    →  tt.load

It does not know the syntax tree, whose lowering calls it and adds source locations to its errors.
The operators are modules of this package, the builtins modules of `builtins`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.ir import Attribute, Operation, SSAValue

from weft.errors import CompilationError, TypeMismatchError, UnsupportedError
from weft.frontend.options import FrontendOptions
from weft.frontend.semantics import (
    arithmetic,
    bitwise,
    broadcasting,
    builtin_calls,
    casts,
    comparison,
    constants,
    indexing,
    operand_promotion,
    type_promotion,
    value_attributes,
)
from weft.frontend.semantics.emission_context import EmissionContext
from weft.frontend.semantics.ir_types import descriptor_type, ir_type
from weft.frontend.semantics.select import select
from weft.frontend.semantics.values import DescriptorValue, RuntimeValue, TensorValue, Value
from weft.ir import tt
from weft.ir.rewriting import Builder
from weft.language import compound_types, dtypes
from weft.language.builtin import Builtin
from weft.language.compound_types import block_type
from weft.language.dtypes import dtype
from weft.language.kernel_function import KernelFunction

_BINARY: dict[str, Callable[[EmissionContext, Value, Value], TensorValue]] = {
    "+": arithmetic.add,
    "-": arithmetic.sub,
    "*": arithmetic.mul,
    "/": arithmetic.truediv,
    "//": arithmetic.floordiv,
    "%": arithmetic.mod,
    "**": arithmetic.power,
}
_BITWISE = ("&", "|", "^", "<<", ">>")
_UNARY: dict[str, Callable[[EmissionContext, Value], TensorValue]] = {
    "-": arithmetic.minus,
    "+": arithmetic.plus,
    "~": bitwise.invert,
}


class Emitter(EmissionContext):
    """Emits operations at the builder's insertion point.

    Attributes:
        call_function: Lowers a call of a kernel function at the insertion point. The lowering of
            the syntax tree sets it; reduce, associative_scan and map_elementwise use it.
        argument_hints: The hints about block arguments, by attribute, until their loop exists.
    """

    def __init__(self, builder: Builder, options: FrontendOptions) -> None:
        super().__init__(builder, options)
        self.call_function: Callable[[KernelFunction, Sequence[Value]], Value] = _cannot_call
        self.argument_hints: dict[SSAValue, dict[str, Attribute]] = {}

    def descriptor_type(self, block: block_type, layout: str) -> Attribute:
        """Return the IR type of a tensor descriptor that is an argument.

        Args:
            block: The type of a block.
            layout: The text of its layout, for a Gluon kernel.
        """
        return descriptor_type(block)

    def descriptor(
        self,
        handle: SSAValue,
        block: block_type,
        layout: str,
        sizes: tuple[TensorValue, ...],
        strides: tuple[TensorValue, ...],
    ) -> RuntimeValue:
        """Create the value of a tensor descriptor that is an argument."""
        return DescriptorValue(handle, block, sizes, strides)

    def symbol_in_partition(self, symbol: str) -> str:
        """Return the symbol of a function that the current partition calls."""
        return symbol

    def mark_partition(self, op: Operation) -> None:
        """Set the attributes of a function that the current partition calls."""

    def binary(self, op: str, a: Value, b: Value) -> TensorValue:
        """Emit `a op b` for one of + - * / // % ** << >> & | ^.

        Raises:
            TypeMismatchError: The operands have no common type or shape.
            UnsupportedError: The operator is @.
        """
        if op in _BITWISE:
            return bitwise.bitwise(self, op, a, b)
        emit = _BINARY.get(op)
        if emit is None:
            raise UnsupportedError(
                f"operator {op} is not implemented for tensors",
                found=op,
                accepted=(*_BINARY, *_BITWISE),
                hint="use tl.dot(a, b)" if op == "@" else None,
            )
        return emit(self, a, b)

    def unary(self, op: str, x: Value) -> TensorValue:
        """Emit -x, +x or ~x."""
        return _UNARY[op](self, x)

    def compare(self, op: str, a: Value, b: Value) -> TensorValue:
        """Emit `a op b` for one of < <= > >= == !=; the result is int1.

        A Python number has its own type here (7 is int32) and does not take the type of the other
        operand: a uint8 block compared with 300 is extended to int32.
        """
        comparison.check_operator(op)
        left, right = self.promote_operands(self.to_value(a), self.to_value(b))
        return comparison.compare(self, op, left, right)

    def logical_and(self, a: Value, b: Value) -> TensorValue:
        """Emit `a and b` of int1 values, both evaluated."""
        return bitwise.logical(self, "and", a, b)

    def logical_or(self, a: Value, b: Value) -> TensorValue:
        """Emit `a or b` of int1 values, both evaluated."""
        return bitwise.logical(self, "or", a, b)

    def logical_not(self, x: Value) -> TensorValue:
        """Emit `not x` of an int1 value."""
        return bitwise.logical_not(self, x)

    def to_value(self, x: Value) -> TensorValue:
        """Convert a Python number to a scalar constant; return a scalar or block unchanged."""
        return constants.to_value(self, x)

    def constant(self, number: bool | int | float, type_: dtype) -> TensorValue:
        """Emit a scalar constant of an element type."""
        return constants.constant(self, number, type_)

    def cast(self, x: Value, to: dtype, fp_downcast_rounding: str | None = None) -> TensorValue:
        """Convert the elements of `x` to another type."""
        return casts.cast(self, self.to_value(x), to, fp_downcast_rounding)

    def bitcast(self, x: Value, to: dtype) -> TensorValue:
        """Reinterpret the bits of the elements of `x` as another type of the same width."""
        return casts.bitcast(self, self.to_value(x), to)

    def select(self, condition: Value, a: Value, b: Value) -> TensorValue:
        """Emit `a` where the condition is true, else `b`."""
        return select(self, condition, a, b)

    def unsplat(self, value: TensorValue) -> TensorValue:
        """Emit the element of a block of one element."""
        handle = self.builder.value(tt.UnsplatOp, [value.handle], ir_type(value.dtype))
        return TensorValue(handle, value.dtype)

    def truth(self, x: Value) -> SSAValue:
        """Emit the i1 condition of an `if` or `while`.

        Raises:
            TypeMismatchError: `x` is a block.
        """
        value = self.to_value(x)
        if value.is_block:
            raise TypeMismatchError(
                "Boolean value of Tensor with more than one value is ambiguous",
                found=value,
                accepted=("a scalar",),
                hint="select elements with tl.where, or reduce the block first",
            )
        return self.cast(value, dtypes.int1).handle

    def promote_operands(
        self,
        a: Value,
        b: Value,
        *,
        is_division: bool = False,
        pointers: tuple[bool, bool] = (False, False),
        promotes: bool = True,
    ) -> tuple[TensorValue, TensorValue]:
        """Convert two operands to their common type and shape; see `operand_promotion`."""
        return operand_promotion.promote_operands(
            self, a, b, is_division=is_division, pointers=pointers, promotes=promotes
        )

    def splat(self, x: TensorValue, shape: Sequence[int]) -> TensorValue:
        """Create a block of `shape` filled with the scalar `x`."""
        return broadcasting.splat(self, x, shape)

    def broadcast_to(self, x: TensorValue, shape: Sequence[int]) -> TensorValue:
        """Broadcast `x` to `shape`."""
        return broadcasting.broadcast_to(self, x, shape)

    def integer_promote(self, a: dtype, b: dtype) -> dtype:
        """Return the common type of two integer types."""
        return type_promotion.integer_type(a, b)

    def ir_type(self, type_: dtype) -> Attribute:
        """Return the IR type of a type of the language.

        Raises:
            TypeMismatchError: It has an 8-bit float that the target does not support.
        """
        element = type_.scalar
        while isinstance(element, compound_types.pointer_type):
            element = element.element_ty.scalar
        casts.check_dtype(self, element)
        return ir_type(type_)

    def getitem(self, x: TensorValue, index: Value) -> TensorValue:
        """Emit `x[index]`: None inserts a dimension, `:` keeps one."""
        return indexing.getitem(self, x, index)

    def attribute(self, x: RuntimeValue, name: str) -> Value:
        """Return `x.name`: a property, or a method bound to `x`.

        Raises:
            CompilationError: There is no such attribute.
        """
        return value_attributes.attribute(self, x, name)

    def call(self, function: Builtin, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        """Emit a call of a builtin.

        Raises:
            CompilationError: The arguments do not match its parameters.
        """
        return builtin_calls.call(self, function, args, kwargs)


def _cannot_call(function: KernelFunction, args: Sequence[Value]) -> Value:
    raise CompilationError(
        f"{function} cannot be called here",
        found=f"{len(args)} arguments",
        hint="set call_function",
    )
