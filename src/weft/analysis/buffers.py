"""Which buffers of shared memory a value may mean.

    %a = ttg.local_alloc : !ttg.memdesc<2x64x32xf16, …>          {%a}
    %b = ttg.memdesc_index %a[%i]                                {%a}
    %c = scf.for … iter_args(%x = %b) { … scf.yield %y }         {%a} and what %y may mean

A view means what it is a view of; what a loop carries or a conditional gives means what any path
gives it. Buffers are the results of allocations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from weft.ir import scf, tt, ttg
from weft.ir.builtin import Block, Operation, SSAValue
from weft.ir.rewriting import walk

__all__ = ["ALLOCATIONS", "buffers_of"]

ALLOCATIONS = ("ttg.local_alloc",)
_VIEWS = (
    "ttg.memdesc_index",
    "ttg.memdesc_subslice",
    "ttg.memdesc_trans",
    "ttg.memdesc_reshape",
    "ttg.memdesc_reinterpret",
    "ttng.tmem_subslice",
    "ttng.warp_group_dot_wait",
)
Buffers = frozenset[SSAValue]


def buffers_of(
    function: tt.FuncOp, allocations: Sequence[str] = ALLOCATIONS
) -> Mapping[SSAValue, Buffers]:
    """Return for each value in shared memory the allocations that it may lie in.

    Args: allocations: the operations that make buffers; others than those of shared memory ask
    about another memory.
    """
    found: dict[SSAValue, Buffers] = {}
    edges: dict[SSAValue, list[SSAValue]] = {}
    for op in walk(function):
        if op.name in allocations:
            found[op.results[0]] = frozenset(op.results[:1])
        elif op.name in _VIEWS:
            for result, operand in zip(op.results, op.operands, strict=False):
                edges.setdefault(operand, []).append(result)
        else:
            _connect(op, edges)
    waiting = list(found)
    while waiting:
        value = waiting.pop()
        for reached in edges.get(value, ()):
            before = found.get(reached, frozenset())
            after = before | found[value]
            if after != before:
                found[reached] = after
                waiting.append(reached)
    return found


def _connect(op: Operation, edges: dict[SSAValue, list[SSAValue]]) -> None:
    """Add the ways of values through a loop, a conditional, or to a block."""

    def carry(sources: object, targets: object) -> None:
        for source, target in zip(sources, targets, strict=False):  # pyright: ignore
            if isinstance(source.type, ttg.MemDescType):
                edges.setdefault(source, []).append(target)

    if isinstance(op, scf.ForOp):
        for values in (op.init_args, op.terminator.operands):
            carry(values, op.iter_args)
            carry(values, op.results)
    elif isinstance(op, scf.WhileOp):
        passed = _last(op.before_block).operands[1:]
        carry(op.operands, op.before_block.args)
        carry(_last(op.after_block).operands, op.before_block.args)
        carry(passed, op.after_block.args)
        carry(passed, op.results)
    elif isinstance(op, scf.IfOp):
        for region in op.regions:
            if region.blocks:
                carry(_last(region.block).operands, op.results)
    elif isinstance(op, scf.ExecuteRegionOp):
        for block in op.regions[0].blocks:
            if isinstance(block.last_op, scf.YieldOp):
                carry(block.last_op.operands, op.results)
    elif isinstance(op, ttg.WarpSpecializeOp):
        for region in op.partitions:
            carry(op.holder.operands, region.blocks[0].args)
        carry(_last(op.defaultRegion.blocks[0]).operands, op.results)
    elif op.name == "arith.select":
        carry(op.operands[1:2], op.results)
        carry(op.operands[2:3], op.results)
    elif op.name == "cf.br":
        carry(op.operands, op.successors[0].args)
    elif op.name == "cf.cond_br":
        count = len(op.successors[0].args)
        carry(op.operands[1 : 1 + count], op.successors[0].args)
        carry(op.operands[1 + count :], op.successors[1].args)


def _last(block: Block) -> Operation:
    last = block.last_op
    assert last is not None
    return last
