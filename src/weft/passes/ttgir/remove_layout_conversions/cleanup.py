"""Clean up between the phases: fold conversions, drop what nobody reads, shrink loops.

`fold_conversions` applies the patterns of ttg.convert_layout. `drop_dead` finds carried values
that only feed themselves:

    %r:2 = scf.for … iter_args(%a = %x, %b = %y) {        %b is read by %n alone, and that is
      %m = arith.addf %a, %c                              only yielded for %b; %r#1 is not read:
      %n = arith.addf %b, %c                              what reads %b reads %y, so that the
      scf.yield %m, %n                                    pattern of scf.for can drop %b
    }
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from weft.ir import scf, tt
from weft.ir.builtin import Block, BlockArgument, ModuleOp, Operation, OpResult, SSAValue
from weft.ir.effects import Effect, effects
from weft.passes.rewrite.greedy import Rules, apply, apply_from, apply_once
from weft.passes.rewrite.regions import incoming
from weft.passes.ttgir.remove_layout_conversions.order import operations
from weft.passes.ttir.canonicalize import FOLDS, convert_layout, scf_for, scf_if

__all__ = ["drop_dead", "fold_conversions", "fold_from", "shrink_control_flow"]

_CONVERSIONS = Rules(FOLDS, convert_layout.PATTERNS, top_down=False, merge_blocks=True)
_CONTROL_FLOW = Rules(
    FOLDS, {**scf_for.PATTERNS, **scf_if.PATTERNS}, top_down=False, merge_blocks=True
)
_LOOPS = frozenset({scf.ForOp, scf.WhileOp})
_CARRYING = frozenset({scf.ForOp, scf.IfOp})
_FLOW = _LOOPS | _CARRYING
_PASSED_ON = frozenset({scf.YieldOp, scf.ConditionOp})


def fold_conversions(module: ModuleOp) -> None:
    """Fold, drop what is dead, and apply the patterns of conversions until nothing changes."""
    if _has_branches(module):
        apply(module, _CONVERSIONS)
    else:
        apply_once(module, _CONVERSIONS)


def fold_from(module: ModuleOp, touched: Iterable[Operation]) -> None:
    """Do the same where the last phase made or left something; the rest is folded already."""
    if _has_branches(module):
        apply(module, _CONVERSIONS)
    else:
        apply_from(module, _CONVERSIONS, touched)


def shrink_control_flow(module: ModuleOp, functions: Iterable[tt.FuncOp]) -> None:
    """Fold, drop what is dead, and apply the patterns of loops and conditionals."""
    if _has_branches(module):
        apply(module, _CONTROL_FLOW)
        return
    flow = [op for function in functions for op in operations(function) if type(op) in _CARRYING]
    apply_from(module, _CONTROL_FLOW, flow)


def _has_branches(module: ModuleOp) -> bool:
    """Tell whether a function has several blocks, which may be merged or unreachable."""
    return any(len(region.blocks) > 1 for op in module.body.block.ops for region in op.regions)


def drop_dead(function: tt.FuncOp) -> list[Operation]:
    """Let readers of a carried value that is not needed read its initial value; return them."""
    ops = operations(function)
    pairs = [pair for op in ops if type(op) in _LOOPS for pair in _carried(op)]
    changed: list[Operation] = []
    if any(argument.first_use is not None for argument, _ in pairs):
        live = _live(ops)
        for argument, initial in pairs:
            if argument not in live:
                changed += (use.operation for use in argument.uses)
                argument.replace_all_uses_with(initial)
    return changed


def _carried(loop: Operation) -> Iterator[tuple[BlockArgument, SSAValue]]:
    if isinstance(loop, scf.ForOp):
        return zip(loop.iter_args, loop.operands[3:], strict=True)
    assert isinstance(loop, scf.WhileOp)
    return zip(loop.before_block.args, loop.operands, strict=True)


def _live(ops: list[Operation]) -> set[SSAValue]:
    """Return every value that something with an effect, or the function's result, depends on."""
    live: set[SSAValue] = set()
    todo: list[SSAValue] = []

    def need(values: Iterable[SSAValue]) -> None:
        for value in values:
            if value not in live:
                live.add(value)
                todo.append(value)

    for op in ops:
        need(_needed_by_itself(op))
    while todo:
        need(_needed_for(todo.pop()))
    return live


def _needed_by_itself(op: Operation) -> Iterable[SSAValue]:
    """Return what an operation needs whoever reads it: for its effect, or to go on."""
    cls = type(op)
    if cls in _PASSED_ON:
        return ()
    if effects(op) is Effect.NONE and cls is not tt.ReturnOp and not op.successors:
        return ()
    return _decided_by(op) if cls in _FLOW else op.operands


def _decided_by(op: Operation) -> tuple[SSAValue, ...]:
    """Return what decides how often, or whether, the regions of an operation run."""
    if isinstance(op, scf.ForOp):
        return tuple(op.operands[:3])
    if isinstance(op, scf.IfOp):
        return (op.condition,)
    assert isinstance(op, scf.WhileOp)
    return (_last(op.before_block).operands[0],)


def _needed_for(value: SSAValue) -> Iterable[SSAValue]:
    """Return what a value is computed from."""
    if isinstance(value, OpResult):
        op, index = value.op, value.index
        if isinstance(op, scf.ForOp):
            return (*op.operands[:3], op.operands[3 + index], op.terminator.operands[index])
        if isinstance(op, scf.IfOp):
            ends = [_last(block) for region in op.regions for block in region.blocks]
            return (op.condition, *(end.operands[index] for end in ends))
        if isinstance(op, scf.WhileOp):
            condition = _last(op.before_block)
            return (condition.operands[0], condition.operands[1 + index])
        return op.operands
    assert isinstance(value, BlockArgument)
    return _passed_to(value)


def _passed_to(argument: BlockArgument) -> Iterable[SSAValue]:
    """Return the values that a block's argument may be."""
    block, index = argument.block, argument.index
    around = block.parent_op()
    if isinstance(around, scf.ForOp):
        carried = index - 1
        if not index:
            return ()
        return (around.operands[3 + carried], around.terminator.operands[carried])
    if isinstance(around, scf.WhileOp):
        if block is around.before_block:
            return (around.operands[index], _last(around.after_block).operands[index])
        return (_last(around.before_block).operands[1 + index],)
    return tuple(incoming(argument))


def _last(block: Block) -> Operation:
    last = block.last_op
    assert last is not None
    return last
