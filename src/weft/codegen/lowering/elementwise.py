"""Arithmetic, comparison and selection: one instruction per register.

    %c = arith.addf %a, %b : tensor<128xf32, #blocked>    →    %7 = fadd contract float %3, %5 …

fadd, fsub and fmul have the flag `contract`, so that LLVM fuses multiply and add, as Triton does
unless a kernel sets `enable_fp_fusion=False`.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Operation

from weft.codegen.llvm.constants import constant_registers
from weft.codegen.llvm.types import arithmetic_type, intrinsic_suffix, llvm_type
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.float8_signs import float8_negative, is_float8
from weft.codegen.lowering.common.multiplication import (
    define_multiplication,
    define_multiplication_with_nan,
    nan_select_of,
)
from weft.codegen.lowering.common.registers import representative_parts
from weft.codegen.lowering.common.select_phis import if_with_phi_for
from weft.codegen.lowering.registry import lowers
from weft.ir import arith, tt, types, ub
from weft.ir.bit_enums import FlagsAttr
from weft.ir.enums import CmpFPredicate, CmpIPredicate, PropagateNan

_INTEGER = {
    arith.AddIOp: "add",
    arith.SubIOp: "sub",
    arith.MulIOp: "mul",
    arith.AndIOp: "and",
    arith.OrIOp: "or",
    arith.XOrIOp: "xor",
    arith.ShLIOp: "shl",
    arith.ShRSIOp: "ashr",
    arith.ShRUIOp: "lshr",
}
_WORD = 32  # bits
_LINEAR = (arith.AddIOp, arith.MulIOp)
_FLOAT = {
    arith.AddFOp: "fadd",
    arith.SubFOp: "fsub",
}
_INTRINSIC = {
    arith.MinSIOp: "smin",
    arith.MinUIOp: "umin",
    arith.MaxSIOp: "smax",
    arith.MaxUIOp: "umax",
}
_FLOAT_INTRINSIC = {
    arith.MaxNumFOp: "maxnum",
    arith.MinNumFOp: "minnum",
    arith.MaximumFOp: "maximum",
    arith.MinimumFOp: "minimum",
}


@lowers(*_INTEGER)
def _integer(ctx: LoweringContext, op: Operation) -> None:
    flags = op.properties.get("overflowFlags")
    words = "".join(f" {flag}" for flag in flags.data[1:]) if isinstance(flags, FlagsAttr) else ""
    if not isinstance(op, _LINEAR) or not (_by_constants(ctx, op) or _by_steps(ctx, op)):
        _binary(ctx, op, f"{_INTEGER[type(op)]}{words}", llvm_type(op.results[0].type))


def _by_constants(ctx: LoweringContext, op: Operation) -> bool:
    """Compute registers that differ by constants as one base plus constants, if possible.

    By hand: x + (t | 1) and x + (t | 2) become y + 1 and y + 2 with y = x + t, whose constants an
    address can encode as immediates.

    Returns:
        Whether the result is defined.
    """
    sums, wrap = ctx.threads.sums, _wrapped(types.bit_width(op.results[0].type))
    sums_by_register: dict[int, tuple[str, str, int]] = {}
    for n, (x, y) in enumerate(zip(*(ctx[operand] for operand in op.operands), strict=True)):
        (a, first), (b, second) = sums.get(x, (x, 0)), sums.get(y, (y, 0))
        constant = first + second
        if isinstance(op, arith.MulIOp):
            if not _is_number(y):
                return False
            b, constant = y, first * int(y)
        sums_by_register[n] = a, b, wrap(constant)
    bases = {(a, b) for a, b, _ in sums_by_register.values()}
    if len(bases) == len({*sums_by_register.values()}):
        return False
    head = f"{_INTEGER[type(op)]} {llvm_type(op.results[0].type)}"
    bases_written = {
        pair: ctx.writer.value(f"{head} {pair[0]}, {pair[1]}") for pair in sorted(bases)
    }
    add = f"add {llvm_type(op.results[0].type)}"

    def make(n: int) -> str:
        *pair, constant = sums_by_register[n]
        base = bases_written[pair[0], pair[1]]
        if not constant:
            return base
        value = ctx.writer.value(f"{add} {base}, {constant}")
        sums[value] = base, constant
        return value

    ctx.define_each(op.results[0], make)
    return True


def _by_steps(ctx: LoweringContext, op: Operation) -> bool:
    """Compute 64-bit products of sums and one factor as sums of products, if possible.

    By hand: rows x, x + 4, … x + 28 start at p = x * s, p + 4s, … A 64-bit product takes several
    instructions, a sum two: with q = p + 8s, row x + 12 starts at q + 4s.

    Returns:
        Whether the result is defined.
    """
    if not isinstance(op, arith.MulIOp) or types.bit_width(op.results[0].type) <= _WORD:
        return False
    rows, factors = sorted((ctx[operand] for operand in op.operands), key=lambda x: -len(set(x)))
    places = [ctx.threads.sums.get(row, (row, 0)) for row in rows]
    alike = len({base for base, _ in places}) == len({*places})
    if len(set(factors)) > 1 or alike or min(constant for _, constant in places) < 0:
        return False
    factor, type_, value = factors[0], llvm_type(op.results[0].type), ctx.writer.value
    cache: dict[tuple[str, int], str] = {}
    steps: dict[int, str] = {}

    def product(base: str, constant: int) -> str:
        if (base, constant) not in cache:
            cache[base, constant] = written(base, constant)
        return cache[base, constant]

    def written(base: str, constant: int) -> str:
        if not constant:
            return value(f"mul {type_} {base}, {factor}")
        last = constant & -constant
        if last not in steps:
            steps[last] = value(f"mul {type_} {factor}, {last}")
        return value(f"add {type_} {product(base, constant - last)}, {steps[last]}")

    ctx.define_each(op.results[0], lambda n: product(*places[n]))
    return True


def _wrapped(bits: int) -> Callable[[int], int]:
    """Create the function that wraps a number to a signed integer of some bits."""
    half = 1 << bits - 1
    return lambda number: (number + half) % (2 * half) - half


def _is_number(text: str) -> bool:
    return text.removeprefix("-").isdigit()


@lowers(*_FLOAT)
def _float(ctx: LoweringContext, op: Operation) -> None:
    _binary(ctx, op, f"{_FLOAT[type(op)]}{ctx.contract_flag}", arithmetic_type(op.results[0].type))


@lowers(arith.MulFOp)
def _multiply(ctx: LoweringContext, op: arith.MulFOp) -> None:
    """Multiply, unless the only user selects between NaN and the product."""
    if nan_select_of(op) is None:
        define_multiplication(ctx, op.results[0], op, *(ctx[operand] for operand in op.operands))


@lowers(arith.RemFOp)
def _remainder(ctx: LoweringContext, op: arith.RemFOp) -> None:
    """Compute the remainder of 16-bit floats in f32, where it is exact."""
    element = types.element(op.results[0].type)
    if types.bit_width(element) > 16:
        _binary(ctx, op, "frem", arithmetic_type(element))
        return
    firsts = representative_parts(op.results[0].type)
    floats, distinct = ctx.floats, sorted(set(firsts))
    a, b = (
        floats.convert([ctx[operand][n] for n in distinct], element, types.f32)
        for operand in op.operands
    )
    rests = [ctx.writer.value(f"frem float {x}, {y}") for x, y in zip(a, b, strict=True)]
    # The remainder is exact in bf16: truncate the bits, which LLVM would round.
    remainder_of = dict(zip(distinct, floats.shortened(rests, element), strict=True))
    ctx.define(op.results[0], [remainder_of[first] for first in firsts])


def _binary(ctx: LoweringContext, op: Operation, verb: str, type_: str) -> None:
    a, b = ctx[op.operands[0]], ctx[op.operands[1]]
    head = f"{verb} {type_}"
    value = ctx.writer.value
    ctx.define_each(op.results[0], lambda n: value(f"{head} {a[n]}, {b[n]}"))


@lowers(arith.DivFOp)
def _divide(ctx: LoweringContext, op: arith.DivFOp) -> None:
    a, b = ctx[op.operands[0]], ctx[op.operands[1]]
    type_ = arithmetic_type(op.results[0].type)
    ctx.define_each(
        op.results[0], lambda n: ctx.hardware.arithmetic.divide(ctx.writer, type_, a[n], b[n])
    )


@lowers(tt.PreciseDivFOp)
def _divide_precisely(ctx: LoweringContext, op: tt.PreciseDivFOp) -> None:
    _binary(ctx, op, "fdiv", arithmetic_type(op.results[0].type))


@lowers(arith.NegFOp)
def _negate(ctx: LoweringContext, op: arith.NegFOp) -> None:
    (a,) = (ctx[operand] for operand in op.operands)
    type_ = op.results[0].type
    if is_float8(type_):
        ctx.define_each(op.results[0], lambda n: float8_negative(ctx.writer, type_, a[n]))
        return
    head = f"fneg {arithmetic_type(type_)}"
    ctx.define_each(op.results[0], lambda n: ctx.writer.value(f"{head} {a[n]}"))


@lowers(*_INTRINSIC)
def _integer_intrinsic(ctx: LoweringContext, op: Operation) -> None:
    _by_intrinsic(ctx, op, _INTRINSIC[type(op)], llvm_type(op.results[0].type))


@lowers(*_FLOAT_INTRINSIC)
def _float_intrinsic(ctx: LoweringContext, op: Operation) -> None:
    _by_intrinsic(ctx, op, _FLOAT_INTRINSIC[type(op)], arithmetic_type(op.results[0].type))


def _by_intrinsic(ctx: LoweringContext, op: Operation, name: str, type_: str) -> None:
    a, b = ctx[op.operands[0]], ctx[op.operands[1]]
    callee = f"llvm.{name}.{intrinsic_suffix(type_)}"
    call = ctx.writer.call
    ctx.define_each(op.results[0], lambda n: call(type_, callee, (type_, a[n]), (type_, b[n])))


@lowers(arith.CmpIOp)
def _compare_integers(ctx: LoweringContext, op: arith.CmpIOp) -> None:
    predicate = CmpIPredicate.of(op.properties["predicate"])
    _compare(ctx, op, f"icmp {predicate.keyword} {llvm_type(op.operands[0].type)}")


@lowers(arith.CmpFOp)
def _compare_floats(ctx: LoweringContext, op: arith.CmpFOp) -> None:
    predicate = CmpFPredicate.of(op.properties["predicate"])
    _compare(ctx, op, f"fcmp {predicate.keyword} {arithmetic_type(op.operands[0].type)}")


def _compare(ctx: LoweringContext, op: Operation, head: str) -> None:
    a, b = ctx[op.operands[0]], ctx[op.operands[1]]
    ctx.define_each(op.results[0], lambda n: ctx.writer.value(f"{head} {a[n]}, {b[n]}"))


@lowers(arith.SelectOp)
def _select(ctx: LoweringContext, op: arith.SelectOp) -> None:
    """Select register by register, or by phis of a following `scf.if` on the condition.

    wgmma may still be writing the registers to select from. An instruction that reads them would
    make ptxas serialize the wgmma instructions; a phi does not.
    """
    branch = if_with_phi_for(op)
    if branch is not None:
        ctx.select_phis.setdefault(branch, []).append(op)
        return
    if define_multiplication_with_nan(ctx, op):
        return
    chosen, a, b = (ctx[operand] for operand in op.operands)
    type_ = llvm_type(op.results[0].type)
    if len(chosen) == 1:
        chosen = chosen * ctx.num_registers(
            op.results[0]
        )  # a scalar condition selects whole tensors
    ctx.define_each(
        op.results[0],
        lambda n: ctx.writer.value(f"select i1 {chosen[n]}, {type_} {a[n]}, {type_} {b[n]}"),
    )


@lowers(arith.ConstantOp)
def _constant(ctx: LoweringContext, op: arith.ConstantOp) -> None:
    ctx.define(op.results[0], constant_registers(op, ctx.num_registers(op.results[0])))


@lowers(ub.PoisonOp)
def _poison(ctx: LoweringContext, op: ub.PoisonOp) -> None:
    ctx.define(op.results[0], ["poison"] * ctx.num_registers(op.results[0]))


@lowers(tt.ClampFOp)
def _clamp(ctx: LoweringContext, op: tt.ClampFOp) -> None:
    """Clamp a value; a NaN propagates, or becomes the lower bound."""
    x, least, most = (ctx[operand] for operand in op.operands)
    type_ = arithmetic_type(op.results[0].type)
    nan = PropagateNan.of(op.properties["propagateNan"]) is PropagateNan.ALL
    clamp = ctx.hardware.arithmetic.clamp
    ctx.define_each(
        op.results[0],
        lambda n: clamp(ctx.writer, type_, x[n], least[n], most[n], propagate_nan=nan),
    )


@lowers(tt.MulhiUIOp)
def _high_product(ctx: LoweringContext, op: tt.MulhiUIOp) -> None:
    a, b = ctx[op.operands[0]], ctx[op.operands[1]]
    bits = types.bit_width(op.results[0].type)
    value = ctx.writer.value

    def make(n: int) -> str:
        wide = [value(f"zext i{bits} {side[n]} to i{2 * bits}") for side in (a, b)]
        product = value(f"mul i{2 * bits} {wide[0]}, {wide[1]}")
        high = value(f"lshr i{2 * bits} {product}, {bits}")
        return value(f"trunc i{2 * bits} {high} to i{bits}")

    ctx.define_each(op.results[0], make)
