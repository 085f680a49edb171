"""The trip counts of inner loops and of the loop that they are fused into.

An outer loop of n iterations with inner loops of a and b iterations:

    one outer iteration     max(1, a) + max(1, b) - 1, because adjacent inner loops share one
    the fused loop          n times that

If b depends on the outer induction variable i, "one outer iteration" omits it, and a loop over i
adds up max(1, b(i)):

    total = scf.for i in range(n) iter_args(sum = n * (max(1, a) - 1)) { yield sum + max(1, b(i)) }
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from weft.ir import arith, scf
from weft.ir.builtin import Block, Region, SSAValue
from weft.ir.rewriting import clone, locate_loop_arguments
from weft.passes.ttgir.fuse_nested_loops.bounds import InnerLoop, LoopArithmetic

__all__ = ["TripCounts", "compute_trip_counts", "recompute_trip_count"]


class TripCounts(Struct, frozen=True):
    """Trip counts that are known before the outer loop.

    Attributes:
        inner: The trip count of each inner loop; zero for a variable one.
        outer_iteration: The iterations of one outer iteration, without variable inner loops.
        fused: The trip count of the fused loop.
    """

    inner: tuple[SSAValue, ...]
    outer_iteration: SSAValue
    fused: SSAValue


def compute_trip_counts(
    outer: scf.ForOp, inners: Sequence[InnerLoop], arithmetic: LoopArithmetic
) -> TripCounts:
    """Compute the trip counts of a loop nest before its outer loop."""
    make = arithmetic
    outer_trip_count = make.trip_count(outer.bounds)
    counts = [
        make.constant(0) if inner.is_variable else make.cast(make.trip_count(inner.op.bounds))
        for inner in inners
    ]
    outer_iteration = make.constant(0)
    for inner, count in zip(inners, counts, strict=True):
        if not inner.is_variable:
            outer_iteration = make.value(arith.AddIOp, outer_iteration, make.at_least_one(count))
    # The last iteration of an inner loop is the first of the next one.
    overlap = make.constant(len(inners) - 1)
    outer_iteration = make.value(arith.SubIOp, outer_iteration, overlap)
    product = make.value(arith.MulIOp, make.cast(outer_trip_count), outer_iteration)
    fused = _add_variable_counts(product, outer, inners, arithmetic)
    return TripCounts(tuple(counts), outer_iteration, fused)


def _add_variable_counts(
    start: SSAValue, outer: scf.ForOp, inners: Sequence[InnerLoop], arithmetic: LoopArithmetic
) -> SSAValue:
    """Add the trip counts of variable inner loops over all outer iterations, in a loop."""
    make, builder = arithmetic, arithmetic.builder
    body = Region(Block(arg_types=[outer.induction_variable.type, start.type]))
    locate_loop_arguments(body.block, [start], outer.location)
    loop = builder.create(scf.ForOp, [*outer.bounds, start], [start.type], regions=[body])
    insertion_point = builder.place
    builder.at_end(body.block)
    total: SSAValue = loop.iter_args[0]
    values: dict[SSAValue, SSAValue] = {outer.induction_variable: loop.induction_variable}
    for inner in inners:
        if inner.is_variable:
            count = make.cast(recompute_trip_count(inner, values, arithmetic))
            total = make.value(arith.AddIOp, total, make.at_least_one(count))
    builder.create(scf.YieldOp, [total])
    builder.restore(insertion_point)
    return loop.results[0]


def recompute_trip_count(
    inner: InnerLoop, values: dict[SSAValue, SSAValue], arithmetic: LoopArithmetic
) -> SSAValue:
    """Compute the trip count of a variable inner loop at the builder's position.

    Args:
        inner: The loop.
        values: Maps values to their replacements at this position; cloned results are added.
        arithmetic: Builds the operations.
    """
    for op in inner.bound_ops:
        # Two inner loops may share operations, so an earlier one may have cloned this one.
        if op.results[0] not in values:
            arithmetic.builder.insert(clone(op, values))
    return arithmetic.trip_count([values.get(bound, bound) for bound in inner.op.bounds])
