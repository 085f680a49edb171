"""Lanes whose result an operation leaves undefined, though its operands are defined.

    %q = arith.divsi %x, %d          where %d is 0, and where the quotient overflows
    %i = arith.fptosi %f : to i8     where %f, rounded toward zero, is not in [-128, 127]
    %s = arith.shli %x, %n           where %n is the width of the type or more

LLVM's language reference gives these results as undefined behaviour or poison; GPUs differ in them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from xdsl.ir import Operation

from weft.interpreter.dtypes import unsigned
from weft.interpreter.rounding import widen
from weft.interpreter.values import dense
from weft.ir import arith, types

__all__ = ["UndefinedResults", "undefined_results_of"]

UndefinedResults = Callable[..., Iterator[tuple[str, np.ndarray]]]
"""Maps the values of the operands to reasons and the lanes that are undefined for them."""


def undefined_results_of(op: Operation) -> UndefinedResults | None:
    """Make the function that finds undefined results; None if the operation defines all."""
    if isinstance(op, arith.DivSIOp | arith.RemSIOp):
        return _signed_division(types.bit_width(types.element(op.results[0].type)))
    if isinstance(op, arith.DivUIOp | arith.RemUIOp):
        return _division
    if isinstance(op, arith.FPToSIOp | arith.FPToUIOp):
        width = types.bit_width(types.element(op.results[0].type))
        return _float_to_integer(width, isinstance(op, arith.FPToSIOp))
    if isinstance(op, arith.ShLIOp | arith.ShRSIOp | arith.ShRUIOp):
        return _shift(types.bit_width(types.element(op.results[0].type)))
    return None


def _division(dividend: np.ndarray, divisor: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    yield "integer division by zero", dense(divisor) == 0


def _signed_division(width: int) -> UndefinedResults:
    least = -(1 << (width - 1))

    def results(dividend: np.ndarray, divisor: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
        yield from _division(dividend, divisor)
        overflows = (dense(dividend) == least) & (dense(divisor) == -1)
        yield f"int{width} division overflow", overflows

    return results


def _float_to_integer(width: int, is_signed: bool) -> UndefinedResults:
    low, end = (-(1 << (width - 1)), 1 << (width - 1)) if is_signed else (0, 1 << width)
    reason = f"a float outside of the range of {'' if is_signed else 'u'}int{width}"

    def results(source: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
        whole = np.trunc(widen(dense(source)))
        # The bounds are powers of two, so they are exact in every float type.
        yield reason, ~((whole >= float(low)) & (whole < float(end)))

    return results


def _shift(width: int) -> UndefinedResults:
    def results(source: np.ndarray, amount: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
        bits = dense(amount)
        yield f"a shift of int{width} by {width} or more", bits.view(unsigned(bits.dtype)) >= width

    return results
