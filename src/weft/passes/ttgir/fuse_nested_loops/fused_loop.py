"""The fused loop with an empty body, and the order of its iter_args.

    t                       the iteration within the outer iteration, from 0
    i                       the outer induction variable
    outer                   the outer iter_args
    counts                  the trip count of each inner loop
    outer count             the iterations of one outer iteration
    induction variables     those of the inner loops
    results                 the inner results
    outputs                 the outputs of the prologues

i starts one step below the lower bound, because the first iteration of each outer iteration
increments it. A value that no iteration has computed yet is zero, or poison if its type has none.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

from weft.ir import arith, attributes, scf, types
from weft.ir.builtin import Attribute, Block, Region, SSAValue
from weft.ir.rewriting import Builder, locate_loop_arguments
from weft.ir.ub import PoisonOp
from weft.passes.ttgir.fuse_nested_loops.body_sections import Section
from weft.passes.ttgir.fuse_nested_loops.bounds import InnerLoop, LoopArithmetic
from weft.passes.ttgir.fuse_nested_loops.trip_counts import TripCounts

__all__ = ["FusedLoop", "create_fused_loop"]


class _InitArgs(Struct):
    """The init args of the fused loop.

    Attributes:
        values: The init args.
        starts: The index of the first one of each kind.
    """

    values: list[SSAValue] = field(default_factory=list[SSAValue])
    starts: dict[str, int] = field(default_factory=dict[str, int])

    def add(self, kind: str, values: Sequence[SSAValue]) -> None:
        self.starts[kind] = len(self.values)
        self.values += values


class FusedLoop(Struct, frozen=True):
    """A fused loop.

    Attributes:
        op: The loop.
        starts: The index of the first iter_arg of each kind.
    """

    op: scf.ForOp
    starts: dict[str, int]

    @property
    def t(self) -> SSAValue:
        """The iteration within the outer iteration."""
        return self.op.iter_args[0]

    @property
    def i(self) -> SSAValue:
        """The outer induction variable in the iteration before."""
        return self.op.iter_args[1]

    def iter_args(self, kind: str, start: int, count: int) -> list[SSAValue]:
        """List consecutive iter_args of a kind."""
        first = self.starts[kind] + start
        return list(self.op.iter_args[first : first + count])


def create_fused_loop(
    outer: scf.ForOp,
    inners: Sequence[InnerLoop],
    sections: Sequence[Section],
    counts: TripCounts,
    arithmetic: LoopArithmetic,
) -> FusedLoop:
    """Create a fused loop with an empty body before the outer loop.

    Args:
        outer: The outer loop.
        inners: The inner loops, in order.
        sections: The prologue of each inner loop, and the epilogue.
        counts: The trip counts.
        arithmetic: Builds the operations, at the position of the loop.
    """
    make, inits = arithmetic, _InitArgs()

    def undefined(types_: Sequence[Attribute]) -> list[SSAValue]:
        return [_undefined(type_, make.builder) for type_ in types_]

    low, _, step = outer.bounds
    inits.add("t", [make.constant(0)])
    inits.add("i", [make.value(arith.SubIOp, low, step)])
    inits.add("outer", outer.init_args)
    inits.add("counts", counts.inner)
    inits.add("outer count", [counts.outer_iteration])
    induction_variables = [inner.op.induction_variable.type for inner in inners]
    inits.add("induction variables", undefined(induction_variables))
    inits.add("results", undefined([r.type for inner in inners for r in inner.op.results]))
    outputs = [value.type for prologue in sections[:-1] for value in prologue.outputs]
    inits.add("outputs", undefined(outputs))
    result_types = [value.type for value in inits.values]
    block = Block(arg_types=[make.type, *result_types])
    locate_loop_arguments(block, inits.values, outer.location)
    zero, one = make.constant(0), make.constant(1)
    operands = [zero, counts.fused, one, *inits.values]
    op = make.builder.create(scf.ForOp, operands, result_types, regions=[Region(block)])
    return FusedLoop(op, inits.starts)


def _undefined(type_: Attribute, builder: Builder) -> SSAValue:
    """Create the value of an iter_arg that no iteration has computed yet: zero or poison."""
    element = types.element(type_)
    if types.is_integer(element) or types.is_float(element) or type_ == types.index:
        value: Attribute = attributes.scalar(0, element)
        if types.is_tensor(type_):
            return builder.constant(0, type_)
        return builder.create(arith.ConstantOp, (), (type_,), {"value": value}).results[0]
    return builder.create(PoisonOp, (), (type_,)).results[0]
