"""Compiler hints: tl.multiple_of, tl.max_contiguous, tl.max_constancy, tl.assume, tl.debug_barrier.

A hint about a value is an attribute of the operation that defines it:

    tl.multiple_of(x, 8)    %x = … {tt.divisibility = dense<8> : tensor<1xi32>}

A hint about a value that a loop carries is an attribute of the loop. It holds in the first
iteration, too: the value before the loop gets it.

    for …:                            %x = … {tt.divisibility = dense<8> : tensor<1xi32>}
        tl.multiple_of(x, 8)    →     scf.for … iter_args(%y = %x) {
        x += 1                          …
                                      } {tt.divisibility_arg1 = dense<8> : tensor<1xi32>}
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType

from weft.errors import CompilationError, TypeMismatchError
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.values import TensorValue, Value, describe
from weft.ir import attributes, llvm, ttg, types
from weft.ir.builtin import Attribute, Block, IntegerAttr, Operation, SSAValue
from weft.ir.rewriting import defining_op

_ALL_MEMORY = 31  # the bits of all five address spaces of ttg.barrier


def dense_i32(values: tuple[int, ...]) -> Attribute:
    """Create `dense<[…]> : tensor<NxI32>`, a splat if all values are equal."""
    type_ = TensorType(types.i32, [len(values)])
    if len(set(values)) == 1:
        first = attributes.integer(values[0], types.i32)
        assert isinstance(first, IntegerAttr)
        return attributes.splat(first, type_)
    return DenseIntOrFPElementsAttr.from_list(type_, values)


def _implementation(function: str, attribute: str) -> Callable[..., TensorValue]:
    def emit(e: Emitter, input: Value, values: Value) -> TensorValue:
        value = e.to_value(input)
        numbers = _numbers(values)
        rank = max(1, len(value.shape))
        if len(numbers) != rank:
            raise CompilationError(
                f"shape of input to {function} does not match the length of values",
                found=f"{len(numbers)} values for shape {value.shape}",
                accepted=(rank,),
            )
        _set_hint(e, value.handle, attribute, dense_i32(numbers))
        return value

    return emit


def _set_hint(e: Emitter, value: SSAValue, attribute: str, numbers: Attribute) -> None:
    op = defining_op(value)
    if op is not None:
        op.attributes[attribute] = numbers
    else:
        e.argument_hints.setdefault(value, {})[attribute] = numbers


def move_argument_hints(
    e: Emitter, loop: Operation, arguments: Iterable[SSAValue], inits: Iterable[SSAValue]
) -> None:
    """Move hints about block arguments to their loop and to the values before it.

    Args:
        e: The emitter.
        loop: The loop.
        arguments: The block arguments for all names that the loop may carry. Those that no
            iteration changes have left their block.
        inits: Their values before the loop.
    """
    for argument, init in zip(arguments, inits, strict=True):
        for attribute, numbers in e.argument_hints.pop(argument, {}).items():
            _set_hint(e, init, attribute, numbers)
            block = argument.owner
            assert isinstance(block, Block)
            if argument in block.args:
                index = block.args.index(argument)
                loop.attributes[f"{attribute}_arg{index}"] = numbers


def _numbers(values: Value) -> tuple[int, ...]:
    elements = values if isinstance(values, tuple) else (values,)
    numbers: list[int] = []
    for index, element in enumerate(elements):
        if not isinstance(element, int) or isinstance(element, bool):
            raise TypeMismatchError(
                f"values element {index} must have type `constexpr[int]`",
                found=describe(element),
                accepted=("an int", "a tl.constexpr int"),
            )
        numbers.append(element)
    return tuple(numbers)


def assume(e: Emitter, cond: Value) -> None:
    """Emit llvm.intr.assume.

    Raises:
        TypeMismatchError: The condition is not a scalar int1.
    """
    value = e.to_value(cond)
    if value.is_block or not value.dtype.is_bool():
        raise TypeMismatchError(
            "tl.assume requires a boolean scalar", found=value, accepted=("a scalar int1",)
        )
    e.builder.create(llvm.AssumeOp, [value.handle])


def debug_barrier(e: Emitter) -> None:
    """Emit ttg.barrier for all address spaces."""
    e.builder.create(
        ttg.BarrierOp, properties={"addrSpace": attributes.integer(_ALL_MEMORY, types.i32)}
    )


TABLE: dict[str, Callable[..., object]] = {
    "assume": assume,
    "debug_barrier": debug_barrier,
    "max_constancy": _implementation("max_constancy", "tt.constancy"),
    "max_contiguous": _implementation("max_contiguous", "tt.contiguity"),
    "multiple_of": _implementation("multiple_of", "tt.divisibility"),
}
