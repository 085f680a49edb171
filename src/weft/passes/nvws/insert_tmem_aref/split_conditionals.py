"""Split conditionals that release and acquire an accumulator.

    %x, %t = scf.if %c {                     scf.if %c { put.exit }             partition 1
      put.exit                               %x, %poison = scf.if %c {          partition 0
      …                                 →      …
      %u = put.enter                         }
      scf.yield %y, %u                       %t = scf.if %c {                   partition 1
    } else { scf.yield %z, %old }              %u = put.enter
                                             } else { scf.yield %old }

The loop scheduler places a conditional as a whole, but its parts belong to two partitions.
"""

from __future__ import annotations

from weft.ir import nvws, scf, ttg, ub
from weft.ir.builtin import Block, Operation, Region, SSAValue
from weft.ir.rewriting import Builder, walk_inner_first
from weft.passes.pipelining.partitions.attributes import (
    Placement,
    set_partition,
    set_partition_outputs,
)
from weft.passes.pipelining.schedule.loop_schedule import stage_and_cluster

__all__ = ["split_conditionals"]

_DEFAULT, _MMA = 0, 1


def split_conditionals(function: Operation) -> None:
    """Split all conditionals of a function that begin with a release and end with an acquire."""
    conditionals: list[tuple[scf.IfOp, nvws.ArefPutExitOp, nvws.ArefPutEnterOp]] = []
    for op in walk_inner_first(function):
        if isinstance(op, scf.IfOp):
            first, last = op.then_block.first_op, _yield(op.then_block).prev_op
            if isinstance(first, nvws.ArefPutExitOp) and isinstance(last, nvws.ArefPutEnterOp):
                conditionals.append((op, first, last))
    for op, leave, enter in conditionals:
        _split(op, leave, enter)


def _yield(block: Block) -> scf.YieldOp:
    assert isinstance(block.last_op, scf.YieldOp)
    return block.last_op


def _split(op: scf.IfOp, leave: nvws.ArefPutExitOp, enter: nvws.ArefPutEnterOp) -> None:
    token = enter.results[-1]
    assert op.else_block is not None
    yields = (_yield(op.then_block), _yield(op.else_block))
    index = list(yields[0].operands).index(token)
    old_token = yields[1].operands[index]
    outputs = [(_DEFAULT,)] * len(op.results)
    before = _conditional(Builder().before(op), op, leave, None)
    after = _conditional(Builder().after(op), op, enter, (token, old_token))
    op.results[index].replace_all_uses_with(after.results[0])
    poison = Builder().before(op).value(ub.PoisonOp, (), ttg.async_token)
    for each in yields:
        each.operands[index] = poison
    set_partition(before, (_MMA,))
    set_partition_outputs(before, ())
    set_partition(after, (_MMA,))
    set_partition_outputs(after, [(_MMA,)])
    set_partition(op, (_DEFAULT,))
    set_partition_outputs(op, outputs)


def _conditional(
    builder: Builder, op: scf.IfOp, body: Operation, tokens: tuple[SSAValue, SSAValue] | None
) -> scf.IfOp:
    """Create a conditional for one operation of another conditional.

    Args:
        builder: Where.
        op: The other conditional.
        body: The operation, which moves.
        tokens: What the conditional returns if it is true and if it is false.
    """
    blocks = [Block(), Block()] if tokens is not None else [Block()]
    body.detach()
    blocks[0].add_op(body)
    for number, block in enumerate(blocks):
        values = () if tokens is None else (tokens[number],)
        Builder(op.location).at_end(block).create(scf.YieldOp, values)
    regions = [Region(blocks[0]), Region(blocks[1:])]
    result_types = () if tokens is None else (ttg.async_token,)
    conditional = builder.create(
        scf.IfOp, [op.condition], result_types, attributes=op.attributes, regions=regions
    )
    Placement((_MMA,), stage_and_cluster(body)).assign(conditional)
    return conditional
