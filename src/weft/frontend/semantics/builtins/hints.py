"""Promises of the author: tl.multiple_of and its like, tl.assume, tl.debug_barrier.

A promise about a value is an attribute of the operation that makes it:

    tl.multiple_of(x, 8)    %x = … {tt.divisibility = dense<8> : tensor<1xi32>}
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType

from weft.errors import CompilationError, TypeMismatchError
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.values import TensorValue
from weft.ir import attributes, llvm, ttg, types
from weft.ir.builtin import Attribute, IntegerAttr
from weft.ir.rewriting import defining_op


def dense_i32(values: tuple[int, ...]) -> Attribute:
    """Return `dense<[…]> : tensor<NxI32>`, as a splat where all values are equal."""
    type_ = TensorType(types.i32, [len(values)])
    if len(set(values)) == 1:
        first = attributes.integer(values[0], types.i32)
        assert isinstance(first, IntegerAttr)
        return attributes.splat(first, type_)
    return DenseIntOrFPElementsAttr.from_list(type_, values)


def _promise(function: str, attribute: str) -> Callable[..., TensorValue]:
    def emit(e: Emitter, input: Any, values: Any) -> TensorValue:
        value = e.to_value(input)
        numbers = values if isinstance(values, tuple) else (values,)
        for number in numbers:
            if not isinstance(number, int) or isinstance(number, bool):
                raise TypeMismatchError(
                    f"the values of tl.{function} must be known when compiling",
                    found=number,
                    accepted=("an int", "a tl.constexpr int"),
                )
        rank = max(1, len(value.shape))
        if len(numbers) != rank:
            raise CompilationError(
                f"tl.{function} takes one value per dimension",
                found=f"{len(numbers)} for shape {value.shape}",
                accepted=(rank,),
            )
        op = defining_op(value.handle)
        if op is not None:
            op.attributes[attribute] = dense_i32(numbers)
        return value

    return emit


def assume(e: Emitter, cond: Any) -> None:
    """Emit llvm.intr.assume.

    Raises: TypeMismatchError for anything but one truth value.
    """
    value = e.to_value(cond)
    if value.is_block or not value.dtype.is_bool():
        raise TypeMismatchError(
            "tl.assume takes one truth value", found=value, accepted=("a scalar int1",)
        )
    e.builder.create(llvm.AssumeOp, [value.handle])


def debug_barrier(e: Emitter) -> None:
    """Emit ttg.barrier of all memory."""
    e.builder.create(
        ttg.BarrierOp, properties={"addrSpace": attributes.integer(ALL_MEMORY, types.i32)}
    )


ALL_MEMORY = 31
"""The five kinds of memory that a barrier can name, as bits."""

TABLE: dict[str, Callable[..., Any]] = {
    "assume": assume,
    "debug_barrier": debug_barrier,
    "max_constancy": _promise("max_constancy", "tt.constancy"),
    "max_contiguous": _promise("max_contiguous", "tt.contiguity"),
    "multiple_of": _promise("multiple_of", "tt.divisibility"),
}
