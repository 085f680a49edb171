"""Peel the last iteration of a loop.

Before:  %r = scf.for %i = %lb to %ub step %s iter_args(%a = %x) { %b = … ; yield %b }

After:   %r' = scf.for %i = %lb to %ub - %s step %s iter_args(%a = %x) { %b = … ; yield %b }
         %last = (%ub - %lb - 1) / %s * %s + %lb
         %r = scf.if %lb < %ub {                the last iteration, with %last and %r'
           %b' = … ; yield %b'
         } else {
           yield %r'
         }

Source: Triton, lib/Dialect/Triton/Transforms/LoopPeeling.cpp.
"""

from __future__ import annotations

from weft.ir import arith, scf, types
from weft.ir.builtin import Block, OpResult, Region, SSAValue
from weft.ir.enums import CmpIPredicate
from weft.ir.rewriting import Builder, ancestors, clone_region

__all__ = ["peel_last_iteration"]

_UPPER_BOUND = 1
"""The index of this operand of a loop."""


def peel_last_iteration(loop: scf.ForOp) -> scf.IfOp:
    """Peel the last iteration of a loop.

    Returns:
        The conditional that runs this iteration.
    """
    lower_bound, upper_bound, step = loop.bounds
    type_ = step.type
    builder = Builder().before(loop)
    new_upper_bound = builder.value(arith.SubIOp, [upper_bound, step], type_)
    builder.after(loop)
    builder.location = loop.location
    last = _last_induction_value(builder, loop)
    predicate = {"predicate": CmpIPredicate.SLT.attr()}
    condition = builder.value(arith.CmpIOp, [lower_bound, upper_bound], types.i1, predicate)
    values: dict[SSAValue, SSAValue] = {loop.induction_variable: last}
    values |= zip(loop.iter_args, loop.results, strict=True)
    arguments = dict(values)
    body = clone_region(loop.regions[0], values)
    # Replace the arguments of the clone by the values of the last iteration.
    for old, argument in zip(loop.block.args, tuple(body.block.args), strict=True):
        argument.replace_all_uses_with(arguments[old])
        body.block.erase_arg(argument)
    otherwise = Region(Block())
    conditional = builder.create(
        scf.IfOp,
        [condition],
        [result.type for result in loop.results],
        regions=[body, otherwise],
    )
    Builder(loop.location).at_end(otherwise.block).create(scf.YieldOp, list(loop.results))
    for old, new in zip(loop.results, conditional.results, strict=True):
        _replace_outside(old, new, conditional)
    loop.operands[_UPPER_BOUND] = new_upper_bound
    return conditional


def _last_induction_value(builder: Builder, loop: scf.ForOp) -> OpResult:
    """Compute the induction variable of the last iteration."""
    lower_bound, upper_bound, step = loop.bounds
    type_ = step.type
    difference = builder.value(arith.SubIOp, [upper_bound, lower_bound], type_)
    one = builder.constant(1, type_)
    difference = builder.value(arith.SubIOp, [difference, one], type_)
    quotient = builder.value(arith.DivSIOp, [difference, step], type_)
    offset = builder.value(arith.MulIOp, [quotient, step], type_)
    return builder.value(arith.AddIOp, [offset, lower_bound], type_)


def _replace_outside(old: SSAValue, new: SSAValue, conditional: scf.IfOp) -> None:
    """Replace the uses of a value outside of a conditional."""
    for use in list(old.uses):
        if conditional not in ancestors(use.operation):
            use.operation.operands[use.index] = new
