"""How runs, divisors and repetitions pass through integer arithmetic.

    [0 1 2 3 4 5 6 7] + splat(16 * k)      runs of 8 stay runs of 8; 16 divides where they start
    [0 1 2 3 4 5 6 7] * splat(16 * k)      no runs are left; 16 divides every number
    [0 1 2 3 4 5 6 7] / splat(4)           the number repeats 4 times
    [0 1 2 3 4 5 6 7] % splat(4)           runs of 4, which start at multiples of 4

Numbers are taken not to wrap around, and what is divided not to be negative: so do index
computations, and so does Triton.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import gcd

from weft.analysis.axis_info.hints import told_contiguity
from weft.analysis.axis_info.info import (
    AxisInfo,
    divides_group,
    multiplied,
    one_number,
    wrapped,
)
from weft.ir import arith, tt, types
from weft.ir.builtin import Operation

__all__ = ["RULES"]

Rule = Callable[[Operation, Sequence[AxisInfo]], AxisInfo]
_WIDEST_SHIFT = 62


def _constant(op: Operation, number: int) -> AxisInfo:
    """Return what is known where the result is one number."""
    type_ = op.results[0].type
    return one_number(wrapped(number, type_), type_)


def _folded(op: Operation, a: AxisInfo, b: AxisInfo) -> int | None:
    """Return the number that an operation of two constants gives."""
    fold = _FOLDS.get(type(op))
    if fold is None or a.constant is None or b.constant is None:
        return None
    return fold(a.constant, b.constant, types.bit_width(op.results[0].type))


def _common(a: AxisInfo, b: AxisInfo) -> tuple[int, ...]:
    return tuple(map(gcd, a.constancy, b.constancy))


def _sum(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
    """Adding what repeats to what counts up goes on counting."""
    a, b = infos
    number = _folded(op, a, b)
    if number is not None:
        return _constant(op, number)
    scale = 1
    if isinstance(op, tt.AddPtrOp):
        pointee = types.element(op.ptr.type)
        assert types.is_pointer(pointee)
        scale = max(1, types.bit_width(pointee.pointee) // 8)
    runs = map(gcd, a.contiguity, b.constancy)
    if not isinstance(op, arith.SubIOp):
        runs = map(max, runs, map(gcd, a.constancy, b.contiguity))
    contiguity = tuple(runs)
    divisibility = tuple(_sum_divisor(op, a, b, d, run, scale) for d, run in enumerate(contiguity))
    return AxisInfo(contiguity, divisibility, _common(a, b))


def _sum_divisor(op: Operation, a: AxisInfo, b: AxisInfo, d: int, run: int, scale: int) -> int:
    """Return what divides where runs of a sum start; b counts in units of `scale`."""
    common = gcd(a.divisibility[d], multiplied(b.divisibility[d], scale))
    run_a, run_b = a.contiguity[d], b.contiguity[d]
    if run_a == 1 and run_b == 1:
        return common
    if run_a == 1 or run_b == 1:
        # A run cut shorter also starts in the middle of what it was.
        return gcd(common, multiplied(run, scale))
    if isinstance(op, arith.SubIOp) and run_a == run_b:
        return common
    # Both step by one at once, so the sum steps by two: from an even number, or not.
    return gcd(common, 2)


def _whole(contiguity: int, divisibility: int) -> int:
    """Return what divides every number, not just where runs start."""
    return divisibility if contiguity == 1 else 1


def _product(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
    """A product has no runs, unless it is by one; its divisors multiply."""
    a, b = infos
    number = 0 if 0 in (a.constant, b.constant) else _folded(op, a, b)
    if number is not None:
        return _constant(op, number)
    keeps_a, keeps_b = b.constant == 1, a.constant == 1
    contiguity, divisibility = [], []
    for d in range(a.rank):
        run_a, run_b = a.contiguity[d], b.contiguity[d]
        contiguity.append(max(run_a if keeps_a else 1, run_b if keeps_b else 1))
        left = a.divisibility[d] if keeps_a else _whole(run_a, a.divisibility[d])
        right = b.divisibility[d] if keeps_b else _whole(run_b, b.divisibility[d])
        divisibility.append(multiplied(left, right))
    return AxisInfo(tuple(contiguity), tuple(divisibility), _common(a, b))


def _is_run_by_one(op: Operation, a: AxisInfo, b: AxisInfo, d: int) -> bool:
    """Tell whether a counts up along a whole dimension along which b is one number."""
    shape = types.shape(op.results[0].type)
    return bool(shape) and a.contiguity[d] == shape[d] and b.constancy[d] == shape[d]


def _quotient(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
    """A run divided by 2**n repeats each number 2**n times."""
    a, b = infos
    number = _folded(op, a, b)
    if number is not None:
        return _constant(op, number)
    is_tensor = types.is_tensor(op.results[0].type)
    constancy = list(_common(a, b)) if is_tensor else [1] * a.rank
    for d in range(a.rank):
        if _is_run_by_one(op, a, b, d):
            group = gcd(a.contiguity[d], a.divisibility[d], b.divisibility[d])
            constancy[d] = max(constancy[d], group)
    if b.constant == 1:
        return AxisInfo(a.contiguity, a.divisibility, tuple(constancy))
    divisibility = a.divisibility if a.constant == 0 else (1,) * a.rank
    by = abs(b.constant or 0)
    if a.constant != 0 and by and by & (by - 1) == 0:
        divisibility = tuple(
            max(1, div // by) if run == 1 else 1
            for run, div in zip(a.contiguity, a.divisibility, strict=True)
        )
    return AxisInfo((1,) * a.rank, divisibility, tuple(constancy))


def _remainder(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
    """A run modulo 2**n is cut into runs of 2**n."""
    a, b = infos
    number = 0 if b.constant == 1 else _folded(op, a, b)
    if number is not None:
        return _constant(op, number)
    runs = (
        gcd(a.contiguity[d], a.divisibility[d], b.divisibility[d])
        if _is_run_by_one(op, a, b, d)
        else 1
        for d in range(a.rank)
    )
    contiguity = told_contiguity(op, tuple(runs))
    divisibility = tuple(
        gcd(divides_group(a.contiguity[d], a.divisibility[d], run), b.divisibility[d])
        if b.constancy[d] > 1
        else 1
        for d, run in enumerate(contiguity)
    )
    is_tensor = types.is_tensor(op.results[0].type)
    constancy = _common(a, b) if is_tensor else (1,) * a.rank
    return AxisInfo(contiguity, divisibility, constancy)


def _bits(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
    """And, or, xor: only repetition is kept."""
    a, b = infos
    number = _folded(op, a, b)
    if number is not None:
        return _constant(op, number)
    ones = (1,) * a.rank
    return AxisInfo(ones, ones, _common(a, b))


def _shift(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
    """A shift multiplies or divides by a power of two; by nothing, it changes nothing."""
    a, b = infos
    number = _folded(op, a, b)
    if number is not None:
        return _constant(op, number)
    by = b.constant
    if by == 0:
        return AxisInfo(a.contiguity, a.divisibility, _common(a, b))
    whole = tuple(map(_whole, a.contiguity, a.divisibility))
    if isinstance(op, arith.ShLIOp):
        factor = 1 << min(by, _WIDEST_SHIFT) if by is not None and by > 0 else 1
        divisibility = tuple(multiplied(div, factor) for div in whole)
    elif by is None or by < 0:
        divisibility = (1,) * a.rank
    else:
        divisibility = tuple(max(1, div >> by) for div in whole)
    return AxisInfo((1,) * a.rank, divisibility, _common(a, b))


def _shifted_left(a: int, b: int, width: int) -> int | None:
    return a << b if 0 <= b < width else None


def _shifted_right(a: int, b: int, width: int) -> int | None:
    return a >> b if 0 <= b < width else None


def _shifted_right_unsigned(a: int, b: int, width: int) -> int | None:
    return (a % (1 << width)) >> b if 0 <= b < width else None


def _divided(a: int, b: int, width: int) -> int | None:
    """Divide towards zero."""
    if b == 0:
        return None
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _left_over(a: int, b: int, width: int) -> int | None:
    return None if b == 0 else abs(a) % abs(b) * (-1 if a < 0 else 1)


def _divided_unsigned(a: int, b: int, width: int) -> int | None:
    return None if b == 0 else a % (1 << width) // (b % (1 << width))


def _left_over_unsigned(a: int, b: int, width: int) -> int | None:
    return None if b == 0 else a % (1 << width) % (b % (1 << width))


_FOLDS: dict[type[Operation], Callable[[int, int, int], int | None]] = {
    arith.AddIOp: lambda a, b, width: a + b,
    arith.SubIOp: lambda a, b, width: a - b,
    arith.MulIOp: lambda a, b, width: a * b,
    arith.AndIOp: lambda a, b, width: a & b,
    arith.OrIOp: lambda a, b, width: a | b,
    arith.XOrIOp: lambda a, b, width: a ^ b,
    arith.ShLIOp: _shifted_left,
    arith.ShRSIOp: _shifted_right,
    arith.ShRUIOp: _shifted_right_unsigned,
    arith.DivSIOp: _divided,
    arith.RemSIOp: _left_over,
    arith.DivUIOp: _divided_unsigned,
    arith.RemUIOp: _left_over_unsigned,
}

RULES: dict[type[Operation], Rule] = {
    tt.AddPtrOp: _sum,
    arith.AddIOp: _sum,
    arith.SubIOp: _sum,
    arith.MulIOp: _product,
    arith.DivSIOp: _quotient,
    arith.DivUIOp: _quotient,
    arith.RemSIOp: _remainder,
    arith.RemUIOp: _remainder,
    arith.AndIOp: _bits,
    arith.OrIOp: _bits,
    arith.XOrIOp: _bits,
    arith.ShLIOp: _shift,
    arith.ShRSIOp: _shift,
    arith.ShRUIOp: _shift,
}
