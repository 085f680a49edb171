"""Arithmetic, comparison and choice: one instruction per register.

    %c = arith.addf %a, %b : tensor<128xf32, #blocked>    →    %7 = fadd contract float %3, %5 …

Products and sums carry `contract`, so that a chip with fused multiply-add uses it, as Triton does
unless a kernel says `enable_fp_fusion=False`.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Operation

from weft.codegen.llvm.constants import constant_registers
from weft.codegen.llvm.types import llvm_type, suffix
from weft.codegen.lowering.common.lowering import Lowering, first_parts
from weft.codegen.lowering.common.multiplication import (
    choice_of_nan,
    define_product,
    define_product_or_nan,
)
from weft.codegen.lowering.common.select_phis import branch_behind
from weft.codegen.lowering.registry import lowers
from weft.ir import arith, tt, types, ub
from weft.ir.enums import CmpFPredicate, CmpIPredicate, PropagateNan
from weft.ir.flags import FlagsAttr

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
    arith.MaxNumFOp: "maxnum",
    arith.MinNumFOp: "minnum",
    arith.MaximumFOp: "maximum",
    arith.MinimumFOp: "minimum",
}


@lowers(*_INTEGER)
def _integer(low: Lowering, op: Operation) -> None:
    flags = op.properties.get("overflowFlags")
    words = "".join(f" {flag}" for flag in flags.data[1:]) if isinstance(flags, FlagsAttr) else ""
    if not isinstance(op, _LINEAR) or not (_by_constants(low, op) or _by_steps(low, op)):
        _binary(low, op, f"{_INTEGER[type(op)]}{words}")


def _by_constants(low: Lowering, op: Operation) -> bool:
    """Write registers that differ by constants as one value and the constants; whether it could.

    A program's offset and the places of a thread's elements, x + (t | 1) and x + (t | 2), become
    y + 1 and y + 2 with y = x + t: an access takes such a constant into its address.
    """
    sums, wrap = low.threads.sums, _wrapped(types.bit_width(op.results[0].type))
    wanted: dict[int, tuple[str, str, int]] = {}
    for n, (x, y) in enumerate(zip(*(low[operand] for operand in op.operands), strict=True)):
        (a, first), (b, second) = sums.get(x, (x, 0)), sums.get(y, (y, 0))
        constant = first + second
        if isinstance(op, arith.MulIOp):
            if not _is_number(y):
                return False
            b, constant = y, first * int(y)
        wanted[n] = a, b, wrap(constant)
    bases = {(a, b) for a, b, _ in wanted.values()}
    if len(bases) == len({*wanted.values()}):
        return False
    head = f"{_INTEGER[type(op)]} {llvm_type(op.results[0].type)}"
    made = {pair: low.writer.value(f"{head} {pair[0]}, {pair[1]}") for pair in sorted(bases)}
    add = f"add {llvm_type(op.results[0].type)}"

    def make(n: int) -> str:
        *pair, constant = wanted[n]
        base = made[pair[0], pair[1]]
        if not constant:
            return base
        value = low.writer.value(f"{add} {base}, {constant}")
        sums[value] = base, constant
        return value

    low.each(op.results[0], make)
    return True


def _by_steps(low: Lowering, op: Operation) -> bool:
    """Write products of sums and one wide factor as sums of products; whether it could.

    Rows x and x + 4 … x + 28 begin at p = x * s and at p + 4s … A chip makes a product of 64 bits
    of several instructions, and a sum of two: with q = p + 8s, the row x + 12 begins at q + 4s.
    """
    if not isinstance(op, arith.MulIOp) or types.bit_width(op.results[0].type) <= _WORD:
        return False
    rows, factors = sorted((low[operand] for operand in op.operands), key=lambda x: -len(set(x)))
    places = [low.threads.sums.get(row, (row, 0)) for row in rows]
    alike = len({base for base, _ in places}) == len({*places})
    if len(set(factors)) > 1 or alike or min(constant for _, constant in places) < 0:
        return False
    factor, type_, value = factors[0], llvm_type(op.results[0].type), low.writer.value
    made: dict[tuple[str, int], str] = {}
    steps: dict[int, str] = {}

    def product(base: str, constant: int) -> str:
        if (base, constant) not in made:
            made[base, constant] = written(base, constant)
        return made[base, constant]

    def written(base: str, constant: int) -> str:
        if not constant:
            return value(f"mul {type_} {base}, {factor}")
        last = constant & -constant
        if last not in steps:
            steps[last] = value(f"mul {type_} {factor}, {last}")
        return value(f"add {type_} {product(base, constant - last)}, {steps[last]}")

    low.each(op.results[0], lambda n: product(*places[n]))
    return True


def _wrapped(bits: int) -> Callable[[int], int]:
    """Return what brings a number into the range of a signed integer of some bits."""
    half = 1 << bits - 1
    return lambda number: (number + half) % (2 * half) - half


def _is_number(text: str) -> bool:
    return text.removeprefix("-").isdigit()


@lowers(*_FLOAT)
def _float(low: Lowering, op: Operation) -> None:
    _binary(low, op, f"{_FLOAT[type(op)]}{low.fusion}")


@lowers(arith.MulFOp)
def _multiply(low: Lowering, op: arith.MulFOp) -> None:
    """Write a product, unless a choice between it and NaN stands for both."""
    if choice_of_nan(op) is None:
        define_product(low, op.results[0], op, *(low[operand] for operand in op.operands))


@lowers(arith.RemFOp)
def _remainder(low: Lowering, op: arith.RemFOp) -> None:
    """Compute the remainder of 16-bit floats in f32, where it is exact; chips have none of bf16."""
    element = types.element(op.results[0].type)
    if types.bit_width(element) > 16:
        _binary(low, op, "frem")
        return
    firsts = first_parts(op.results[0].type)
    floats, distinct = low.floats, sorted(set(firsts))
    a, b = (
        floats.convert([low[operand][n] for n in distinct], element, types.f32)
        for operand in op.operands
    )
    rests = [low.writer.value(f"frem float {x}, {y}") for x, y in zip(a, b, strict=True)]
    # Exact, and by bits: LLVM would make a remainder of bf16 of a rounding.
    made = dict(zip(distinct, floats.shortened(rests, element), strict=True))
    low.define(op.results[0], [made[first] for first in firsts])


def _binary(low: Lowering, op: Operation, verb: str) -> None:
    a, b = low[op.operands[0]], low[op.operands[1]]
    head = f"{verb} {llvm_type(op.results[0].type)}"
    value = low.writer.value
    low.each(op.results[0], lambda n: value(f"{head} {a[n]}, {b[n]}"))


@lowers(arith.DivFOp)
def _divide(low: Lowering, op: arith.DivFOp) -> None:
    a, b = low[op.operands[0]], low[op.operands[1]]
    type_ = llvm_type(op.results[0].type)
    low.each(op.results[0], lambda n: low.hardware.arithmetic.divide(low.writer, type_, a[n], b[n]))


@lowers(tt.PreciseDivFOp)
def _divide_precisely(low: Lowering, op: tt.PreciseDivFOp) -> None:
    _binary(low, op, "fdiv")


@lowers(arith.NegFOp)
def _negate(low: Lowering, op: arith.NegFOp) -> None:
    (a,) = (low[operand] for operand in op.operands)
    head = f"fneg {llvm_type(op.results[0].type)}"
    low.each(op.results[0], lambda n: low.writer.value(f"{head} {a[n]}"))


@lowers(*_INTRINSIC)
def _intrinsic(low: Lowering, op: Operation) -> None:
    a, b = low[op.operands[0]], low[op.operands[1]]
    type_ = llvm_type(op.results[0].type)
    callee = f"llvm.{_INTRINSIC[type(op)]}.{suffix(type_)}"
    call = low.writer.call
    low.each(op.results[0], lambda n: call(type_, callee, (type_, a[n]), (type_, b[n])))


@lowers(arith.CmpIOp)
def _compare_integers(low: Lowering, op: arith.CmpIOp) -> None:
    _compare(low, op, f"icmp {CmpIPredicate.of(op.properties['predicate']).keyword}")


@lowers(arith.CmpFOp)
def _compare_floats(low: Lowering, op: arith.CmpFOp) -> None:
    _compare(low, op, f"fcmp {CmpFPredicate.of(op.properties['predicate']).keyword}")


def _compare(low: Lowering, op: Operation, verb: str) -> None:
    a, b = low[op.operands[0]], low[op.operands[1]]
    head = f"{verb} {llvm_type(op.operands[0].type)}"
    low.each(op.results[0], lambda n: low.writer.value(f"{head} {a[n]}, {b[n]}"))


@lowers(arith.SelectOp)
def _select(low: Lowering, op: arith.SelectOp) -> None:
    """Choose register by register, or where control parts on the condition anyway: there.

    Products of wgmma may still be on their way to registers that are chosen from, and an
    instruction that reads them would make ptxas wait for each product.
    """
    branch = branch_behind(op)
    if branch is not None:
        low.choices.setdefault(branch, []).append(op)
        return
    if define_product_or_nan(low, op):
        return
    chosen, a, b = (low[operand] for operand in op.operands)
    type_ = llvm_type(op.results[0].type)
    if len(chosen) == 1:
        chosen = chosen * low.count(op.results[0])  # a scalar condition chooses whole tensors
    low.each(
        op.results[0],
        lambda n: low.writer.value(f"select i1 {chosen[n]}, {type_} {a[n]}, {type_} {b[n]}"),
    )


@lowers(arith.ConstantOp)
def _constant(low: Lowering, op: arith.ConstantOp) -> None:
    low.define(op.results[0], constant_registers(op, low.count(op.results[0])))


@lowers(ub.PoisonOp)
def _poison(low: Lowering, op: ub.PoisonOp) -> None:
    low.define(op.results[0], ["poison"] * low.count(op.results[0]))


@lowers(tt.ClampFOp)
def _clamp(low: Lowering, op: tt.ClampFOp) -> None:
    """Bound a value; a NaN comes through where it is to, and else becomes the lower bound."""
    x, least, most = (low[operand] for operand in op.operands)
    type_ = llvm_type(op.results[0].type)
    nan = PropagateNan.of(op.properties["propagateNan"]) is PropagateNan.ALL
    clamp = low.hardware.arithmetic.clamp
    low.each(
        op.results[0],
        lambda n: clamp(low.writer, type_, x[n], least[n], most[n], propagate_nan=nan),
    )


@lowers(tt.MulhiUIOp)
def _high_product(low: Lowering, op: tt.MulhiUIOp) -> None:
    a, b = low[op.operands[0]], low[op.operands[1]]
    bits = types.bit_width(op.results[0].type)
    value = low.writer.value

    def make(n: int) -> str:
        wide = [value(f"zext i{bits} {side[n]} to i{2 * bits}") for side in (a, b)]
        product = value(f"mul i{2 * bits} {wide[0]}, {wide[1]}")
        high = value(f"lshr i{2 * bits} {product}, {bits}")
        return value(f"trunc i{2 * bits} {high} to i{bits}")

    low.each(op.results[0], make)
