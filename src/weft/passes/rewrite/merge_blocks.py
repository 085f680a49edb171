"""Merge blocks that do the same on other values, and drop arguments that are always the same.

    ^bb1: tt.return %x          ^bb1(%a): tt.return %a       (both edges now lead to ^bb1,
    ^bb2: tt.return %y     →                                  one with %x, one with %y)

    ^bb3(%c): …  (every edge passes %z)     →     ^bb3: … %z …

Two blocks merge if their operations are equal one by one, go on to the same blocks, and differ
only in values from outside; those become arguments of the block that stays. A block with regions,
or with a value that another block reads, stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from weft.ir.builtin import Block, BlockArgument, Operation, OpResult, Region, SSAValue
from weft.ir.cf import BranchOp, CondBranchOp
from weft.ir.interfaces.branch import BranchOpInterface, incoming_values
from weft.passes.rewrite.regions import cut_off

__all__ = ["drop_repeated_arguments", "merge_identical_blocks"]

Place = tuple[int, int]


@dataclass(slots=True)
class _Cluster:
    """Blocks that can become one; differing: (operation, operand) where their values differ."""

    leader: Block
    others: list[Block] = field(default_factory=list)
    differing: set[Place] = field(default_factory=set)

    def take(self, block: Block) -> bool:
        """Add a block if it does the same as the leader."""
        if [a.type for a in self.leader.args] != [a.type for a in block.args]:
            return False
        found = _differences(self.leader, block)
        if found is None:
            return False
        self.others.append(block)
        self.differing |= found
        return True

    def merge(self) -> bool:
        blocks = [self.leader, *self.others]
        places = sorted(self.differing)
        if not self.others or (places and not all(_takes_values(block) for block in blocks)):
            return False
        ops = [list(block.ops) for block in blocks]
        # Places at which every block has the same value as at an earlier one share its argument.
        columns: dict[tuple[SSAValue, ...], list[Place]] = {}
        for i, j in places:
            columns.setdefault(tuple(own[i].operands[j] for own in ops), []).append((i, j))
        for number, block in enumerate(blocks):
            for branch, side in _edges(block):
                _pass_on(branch, side, [column[number] for column in columns])
        for column, shared in columns.items():
            argument = self.leader.insert_arg(column[0].type, len(self.leader.args))
            for i, j in shared:
                ops[0][i].operands[j] = argument
        for block in self.others:
            _redirect(block, self.leader)
        return True


def merge_identical_blocks(region: Region) -> bool:
    """Merge equal blocks of a region and of those inside; return whether there were any."""
    changed = False
    groups: dict[tuple[Block, ...], list[Block]] = {}
    for index, block in enumerate(region.blocks):
        last = block.last_op
        if index and last is not None and _can_merge(block):
            groups.setdefault(tuple(last.successors), []).append(block)
        for op in block.ops:
            for inner in op.regions:
                changed |= merge_identical_blocks(inner)
    for blocks in groups.values():
        clusters: list[_Cluster] = []
        for block in blocks:
            if not any(cluster.take(block) for cluster in clusters):
                clusters.append(_Cluster(block))
        for cluster in clusters:
            changed |= cluster.merge()
    return changed


def _can_merge(block: Block) -> bool:
    if any(op.regions for op in block.ops):
        return False
    return not any(_read_elsewhere(argument, block) for argument in block.args)


def _read_elsewhere(value: SSAValue, block: Block) -> bool:
    return any(use.operation.parent is not block for use in value.uses)


def _differences(first: Block, second: Block) -> set[Place] | None:
    """Return where two blocks differ in outer values; None where they differ otherwise."""
    ours, theirs = list(first.ops), list(second.ops)
    if len(ours) != len(theirs):
        return None
    order = _numbers(first, ours), _numbers(second, theirs)
    found: set[Place] = set()
    for index, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        if not _same_operation(a, b):
            return None
        for place, (x, y) in enumerate(zip(a.operands, b.operands, strict=True)):
            if x is y:
                continue
            here, there = order[0].get(x), order[1].get(y)
            if x.type != y.type or here != there:
                return None
            if here is None:
                found.add((index, place))
        if any(_read_elsewhere(r, first) for r in a.results):
            return None
        if any(_read_elsewhere(r, second) for r in b.results):
            return None
    return found


def _numbers(block: Block, ops: Iterable[Operation]) -> dict[SSAValue, int]:
    """Number what a block defines."""
    values: list[SSAValue] = [*block.args, *(result for op in ops for result in op.results)]
    return {value: number for number, value in enumerate(values)}


def _same_operation(a: Operation, b: Operation) -> bool:
    return (
        type(a) is type(b)
        and len(a.operands) == len(b.operands)
        and a.properties == b.properties
        and a.attributes == b.attributes
        and [result.type for result in a.results] == [result.type for result in b.results]
    )


def _edges(block: Block) -> list[tuple[Operation, int]]:
    return [(use.operation, use.index) for use in block.uses]


def _takes_values(block: Block) -> bool:
    return all(isinstance(branch, BranchOp | CondBranchOp) for branch, _ in _edges(block))


def _pass_on(branch: Operation, side: int, values: list[SSAValue]) -> None:
    """Let a branch pass more values to one of its targets."""
    if not values:
        return
    assert isinstance(branch, BranchOpInterface)
    branch.set_successor_operands(side, (*branch.successor_operands(side), *values))


def _redirect(block: Block, to: Block) -> None:
    """Lead every edge to another block and erase the one that it led to."""
    for branch, side in _edges(block):
        targets = list(branch.successors)
        targets[side] = to
        branch.successors = targets
    region = block.parent
    assert region is not None
    region.detach_block(block)
    block.erase(safe_erase=False)


def drop_repeated_arguments(region: Region) -> bool:
    """Replace arguments to which every edge passes one value by that value."""
    changed = False
    for block in region.blocks:
        for op in block.ops:
            for inner in op.regions:
                changed |= drop_repeated_arguments(inner)
        if block is region.blocks.first or not _takes_values(block):
            continue
        for argument in reversed(block.args):
            passed = list(incoming_values(argument))
            if (
                passed
                and all(value is passed[0] for value in passed)
                and _is_other(passed[0], argument)
            ):
                argument.replace_all_uses_with(passed[0])
                cut_off(argument)
                block.erase_arg(argument)
                changed = True
    return changed


def _is_other(value: SSAValue, argument: BlockArgument) -> bool:
    """Tell whether a value is not the argument itself, going round a loop."""
    return isinstance(value, OpResult) or value is not argument
