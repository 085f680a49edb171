"""Transfer functions of integer arithmetic on axis info.

    [0 1 2 3 4 5 6 7] + splat(16 * k)      contiguity 8, divisibility 16 (of the run's start)
    [0 1 2 3 4 5 6 7] * splat(16 * k)      contiguity 1, divisibility 16 (of every number)
    [0 1 2 3 4 5 6 7] / splat(4)           constancy 4
    [0 1 2 3 4 5 6 7] % splat(4)           contiguity 4, divisibility 4

Numbers are taken not to wrap around, and dividends not to be negative. That holds for index
computations; Triton's analysis assumes the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import gcd

from weft.analysis.axis_info.hint_attributes import hinted_contiguity
from weft.analysis.axis_info.lattice import (
    AxisInfo,
    constant_info,
    divisor_of_groups,
    divisor_of_product,
    wrap_to_type,
)
from weft.ir import arith, tt, types
from weft.ir.builtin import Operation

__all__ = ["TRANSFER_FUNCTIONS"]

_TransferFunction = Callable[[Operation, Sequence[AxisInfo]], AxisInfo]
_MAX_SHIFT = 62  # a greater factor is no more precise than UNCONSTRAINED


def _constant(op: Operation, number: int) -> AxisInfo:
    """Construct the info of a result that is one number."""
    type_ = op.results[0].type
    return constant_info(wrap_to_type(number, type_), type_)


def _fold(op: Operation, a: AxisInfo, b: AxisInfo) -> int | None:
    """Compute the result of an operation on two constants, None if there is none."""
    fold = _FOLDS.get(type(op))
    if fold is None or a.constant is None or b.constant is None:
        return None
    return fold(a.constant, b.constant, types.bit_width(op.results[0].type))


def _common_constancy(a: AxisInfo, b: AxisInfo) -> tuple[int, ...]:
    return tuple(map(gcd, a.constancy, b.constancy))


def _add(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
    """Infer a sum or difference: a run plus a constant group of its length is a run.

    A constant minus a run counts down, so `subi` keeps the runs of its left operand only.
    """
    a, b = infos
    number = _fold(op, a, b)
    if number is not None:
        return _constant(op, number)
    scale = 1  # bytes by which a pointer advances per unit of the offset
    if isinstance(op, tt.AddPtrOp):
        pointee = types.element(op.ptr.type)
        assert types.is_pointer(pointee)
        scale = max(1, types.bit_width(pointee.pointee) // 8)
    # A run of one operand survives as far as the other operand is constant.
    runs = map(gcd, a.contiguity, b.constancy)
    if not isinstance(op, arith.SubIOp):
        runs = map(max, runs, map(gcd, a.constancy, b.contiguity))
    contiguity = tuple(runs)
    divisibility = tuple(
        _divisor_of_sum(op, a, b, d, run, scale) for d, run in enumerate(contiguity)
    )
    return AxisInfo(contiguity, divisibility, _common_constancy(a, b))


def _divisor_of_sum(op: Operation, a: AxisInfo, b: AxisInfo, d: int, run: int, scale: int) -> int:
    """Compute the divisibility of the runs of `a + scale * b` along dimension `d`."""
    common = gcd(a.divisibility[d], divisor_of_product(b.divisibility[d], scale))
    run_a, run_b = a.contiguity[d], b.contiguity[d]
    if run_a == 1 and run_b == 1:
        return common
    if run_a == 1 or run_b == 1:
        # Runs cut to `run` elements also start inside of the longer ones.
        return gcd(common, divisor_of_product(run, scale))
    if isinstance(op, arith.SubIOp) and run_a == run_b:
        return common
    # Both operands step by one, so the sum steps by two: 2 divides all of it or none.
    return gcd(common, 2)


def _divisor_of_all(contiguity: int, divisibility: int) -> int:
    """Compute what divides every number, not only the first of each run."""
    return divisibility if contiguity == 1 else 1


def _multiply(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
    """Infer a product: runs end, save in a product with 1; divisors multiply."""
    a, b = infos
    number = 0 if 0 in (a.constant, b.constant) else _fold(op, a, b)
    if number is not None:
        return _constant(op, number)
    # Times 1, the product equals the other operand, runs included. Otherwise its numbers step by
    # more than one, and each is a run: the divisor has to hold for every number.
    is_a, is_b = b.constant == 1, a.constant == 1
    contiguity: list[int] = []
    divisibility: list[int] = []
    for d in range(a.rank):
        run_a, run_b = a.contiguity[d], b.contiguity[d]
        contiguity.append(max(run_a if is_a else 1, run_b if is_b else 1))
        left = a.divisibility[d] if is_a else _divisor_of_all(run_a, a.divisibility[d])
        right = b.divisibility[d] if is_b else _divisor_of_all(run_b, b.divisibility[d])
        divisibility.append(divisor_of_product(left, right))
    return AxisInfo(tuple(contiguity), tuple(divisibility), _common_constancy(a, b))


def _is_run_by_constant(op: Operation, a: AxisInfo, b: AxisInfo, d: int) -> bool:
    """Check whether `a` is one run and `b` one number along the whole dimension `d`."""
    shape = types.shape(op.results[0].type)
    return bool(shape) and a.contiguity[d] == shape[d] and b.constancy[d] == shape[d]


def _divide(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
    """Infer a quotient: a run divided by 2ⁿ repeats each number 2ⁿ times."""
    a, b = infos
    number = _fold(op, a, b)
    if number is not None:
        return _constant(op, number)
    is_tensor = types.is_tensor(op.results[0].type)
    constancy = list(_common_constancy(a, b)) if is_tensor else [1] * a.rank
    for d in range(a.rank):
        if _is_run_by_constant(op, a, b, d):
            # Groups of equal quotients start at multiples of the divisor. They are groups of the
            # tensor only if runs start at multiples of it, too.
            group = gcd(a.contiguity[d], a.divisibility[d], b.divisibility[d])
            constancy[d] = max(constancy[d], group)
    if b.constant == 1:
        return AxisInfo(a.contiguity, a.divisibility, tuple(constancy))
    divisibility = a.divisibility if a.constant == 0 else (1,) * a.rank
    # A multiple of 2ᵐ divided by 2ⁿ is a multiple of 2ᵐ⁻ⁿ; other divisors keep no power of two.
    divisor = abs(b.constant or 0)
    if a.constant != 0 and divisor and divisor & (divisor - 1) == 0:
        divisibility = tuple(
            max(1, div // divisor) if run == 1 else 1
            for run, div in zip(a.contiguity, a.divisibility, strict=True)
        )
    return AxisInfo((1,) * a.rank, divisibility, tuple(constancy))


def _remainder(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
    """Infer a remainder: a run modulo 2ⁿ is cut into runs of 2ⁿ."""
    a, b = infos
    number = 0 if b.constant == 1 else _fold(op, a, b)
    if number is not None:
        return _constant(op, number)
    runs = (
        gcd(a.contiguity[d], a.divisibility[d], b.divisibility[d])
        if _is_run_by_constant(op, a, b, d)
        else 1
        for d in range(a.rank)
    )
    contiguity = hinted_contiguity(op, tuple(runs))
    # x mod b keeps the divisors that x and b share, at the starts of the shorter runs.
    divisibility = tuple(
        gcd(divisor_of_groups(a.contiguity[d], a.divisibility[d], run), b.divisibility[d])
        if b.constancy[d] > 1
        else 1
        for d, run in enumerate(contiguity)
    )
    is_tensor = types.is_tensor(op.results[0].type)
    constancy = _common_constancy(a, b) if is_tensor else (1,) * a.rank
    return AxisInfo(contiguity, divisibility, constancy)


def _bitwise(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
    """Infer and, or, xor: equal operands give equal results, no more is known."""
    a, b = infos
    number = _fold(op, a, b)
    if number is not None:
        return _constant(op, number)
    ones = (1,) * a.rank
    return AxisInfo(ones, ones, _common_constancy(a, b))


def _shift(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
    """Infer a shift: a product with, or a quotient by, a power of two."""
    a, b = infos
    number = _fold(op, a, b)
    if number is not None:
        return _constant(op, number)
    by = b.constant
    if by == 0:
        return AxisInfo(a.contiguity, a.divisibility, _common_constancy(a, b))
    # Every result is a run, as in a product.
    divisors = tuple(map(_divisor_of_all, a.contiguity, a.divisibility))
    if isinstance(op, arith.ShLIOp):
        factor = 1 << min(by, _MAX_SHIFT) if by is not None and by > 0 else 1
        divisibility = tuple(divisor_of_product(div, factor) for div in divisors)
    elif by is None or by < 0:
        divisibility = (1,) * a.rank
    else:
        divisibility = tuple(max(1, div >> by) for div in divisors)
    return AxisInfo((1,) * a.rank, divisibility, _common_constancy(a, b))


def _shift_left(a: int, b: int, width: int) -> int | None:
    return a << b if 0 <= b < width else None


def _shift_right(a: int, b: int, width: int) -> int | None:
    return a >> b if 0 <= b < width else None


def _shift_right_unsigned(a: int, b: int, width: int) -> int | None:
    return (a % (1 << width)) >> b if 0 <= b < width else None


def _divide_signed(a: int, b: int, width: int) -> int | None:
    """Divide, rounding toward zero."""
    if b == 0:
        return None
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _remainder_signed(a: int, b: int, width: int) -> int | None:
    return None if b == 0 else abs(a) % abs(b) * (-1 if a < 0 else 1)


def _divide_unsigned(a: int, b: int, width: int) -> int | None:
    return None if b == 0 else a % (1 << width) // (b % (1 << width))


def _remainder_unsigned(a: int, b: int, width: int) -> int | None:
    return None if b == 0 else a % (1 << width) % (b % (1 << width))


_FOLDS: dict[type[Operation], Callable[[int, int, int], int | None]] = {
    arith.AddIOp: lambda a, b, width: a + b,
    arith.SubIOp: lambda a, b, width: a - b,
    arith.MulIOp: lambda a, b, width: a * b,
    arith.AndIOp: lambda a, b, width: a & b,
    arith.OrIOp: lambda a, b, width: a | b,
    arith.XOrIOp: lambda a, b, width: a ^ b,
    arith.ShLIOp: _shift_left,
    arith.ShRSIOp: _shift_right,
    arith.ShRUIOp: _shift_right_unsigned,
    arith.DivSIOp: _divide_signed,
    arith.RemSIOp: _remainder_signed,
    arith.DivUIOp: _divide_unsigned,
    arith.RemUIOp: _remainder_unsigned,
}

TRANSFER_FUNCTIONS: dict[type[Operation], _TransferFunction] = {
    tt.AddPtrOp: _add,
    arith.AddIOp: _add,
    arith.SubIOp: _add,
    arith.MulIOp: _multiply,
    arith.DivSIOp: _divide,
    arith.DivUIOp: _divide,
    arith.RemSIOp: _remainder,
    arith.RemUIOp: _remainder,
    arith.AndIOp: _bitwise,
    arith.OrIOp: _bitwise,
    arith.XOrIOp: _bitwise,
    arith.ShLIOp: _shift,
    arith.ShRSIOp: _shift,
    arith.ShRUIOp: _shift,
}
