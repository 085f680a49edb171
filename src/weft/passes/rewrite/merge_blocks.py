"""Merge identical blocks, and replace block arguments that always have the same value.

    ^bb1: tt.return %x          ^bb1(%a): tt.return %a       (both edges now lead to ^bb1,
    ^bb2: tt.return %y     →                                  one with %x, one with %y)

    ^bb3(%c): …  (every edge passes %z)     →     ^bb3: … %z …

Two blocks merge if they have the same successors and their operations agree one by one, except for
operands that are defined outside the blocks. These become arguments of the merged block. A block
does not merge if it contains regions or if other blocks use its values.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct, field

from weft.ir.builtin import Block, BlockArgument, Operation, OpResult, Region, SSAValue
from weft.ir.cf import BranchOp, CondBranchOp
from weft.ir.interfaces.branch import BranchOpInterface, incoming_values
from weft.passes.rewrite.simplify_regions import remove_branch_operands

__all__ = ["drop_repeated_arguments", "has_branches", "merge_identical_blocks"]

OperandPosition = tuple[int, int]
"""(index of an operation in its block, index of one of its operands)."""


class _Cluster(Struct):
    """Identical blocks.

    Attributes:
        leader: The block that remains.
        others: The blocks that merge into it.
        differing: The operands that differ between the blocks.
    """

    leader: Block
    others: list[Block] = field(default_factory=list)
    differing: set[OperandPosition] = field(default_factory=set)

    def add(self, block: Block) -> bool:
        """Add a block if it is identical to the leader; return whether it is."""
        if [a.type for a in self.leader.args] != [a.type for a in block.args]:
            return False
        differences = _differing_operands(self.leader, block)
        if differences is None:
            return False
        self.others.append(block)
        self.differing |= differences
        return True

    def merge(self) -> bool:
        """Merge the blocks into the leader; return whether that was possible."""
        blocks = [self.leader, *self.others]
        positions = sorted(self.differing)
        if not self.others or (positions and not all(_can_add_arguments(b) for b in blocks)):
            return False
        ops = [list(block.ops) for block in blocks]
        # One new argument per distinct tuple of values, one value per block: operands that agree
        # with each other in every block share an argument.
        columns: dict[tuple[SSAValue, ...], list[OperandPosition]] = {}
        for i, j in positions:
            columns.setdefault(tuple(own[i].operands[j] for own in ops), []).append((i, j))
        for number, block in enumerate(blocks):
            for branch, successor in _edges(block):
                _append_branch_operands(branch, successor, [column[number] for column in columns])
        for column, users in columns.items():
            argument = self.leader.insert_arg(column[0].type, len(self.leader.args))
            for i, j in users:
                ops[0][i].operands[j] = argument
        for block in self.others:
            _redirect(block, self.leader)
        return True


def has_branches(region: Region) -> bool:
    """Check whether a region or a region inside it has several blocks."""
    block = region.blocks.first
    if block is None:
        return False
    if block.next_block is not None:
        return True
    op = block.first_op
    while op is not None:
        for inner in op.regions:
            if has_branches(inner):
                return True
        op = op.next_op
    return False


def merge_identical_blocks(region: Region) -> bool:
    """Merge identical blocks in a region and the regions inside; return whether any merged."""
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
            if not any(cluster.add(block) for cluster in clusters):
                clusters.append(_Cluster(block))
        for cluster in clusters:
            changed |= cluster.merge()
    return changed


def _can_merge(block: Block) -> bool:
    if any(op.regions for op in block.ops):
        return False
    return not any(_is_used_outside(argument, block) for argument in block.args)


def _is_used_outside(value: SSAValue, block: Block) -> bool:
    return any(use.operation.parent is not block for use in value.uses)


def _differing_operands(first: Block, second: Block) -> set[OperandPosition] | None:
    """Find the operands from outside in which two blocks differ, None if they differ otherwise."""
    ours, theirs = list(first.ops), list(second.ops)
    if len(ours) != len(theirs):
        return None
    numbers_a, numbers_b = _number_values(first, ours), _number_values(second, theirs)
    differing: set[OperandPosition] = set()
    for index, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        if not _same_operation(a, b):
            return None
        for position, (x, y) in enumerate(zip(a.operands, b.operands, strict=True)):
            if x is y:
                continue
            # Values defined in the blocks must correspond; others, without number, may differ.
            number = numbers_a.get(x)
            if x.type != y.type or number != numbers_b.get(y):
                return None
            if number is None:
                differing.add((index, position))
        if any(_is_used_outside(r, first) for r in a.results):
            return None
        if any(_is_used_outside(r, second) for r in b.results):
            return None
    return differing


def _number_values(block: Block, ops: Iterable[Operation]) -> dict[SSAValue, int]:
    """Number the values that a block defines, in order."""
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
    """List the edges to a block as (branch, index of the successor)."""
    return [(use.operation, use.index) for use in block.uses]


def _can_add_arguments(block: Block) -> bool:
    """Check whether every branch to a block can pass additional operands."""
    return all(isinstance(branch, BranchOp | CondBranchOp) for branch, _ in _edges(block))


def _append_branch_operands(branch: Operation, successor: int, values: list[SSAValue]) -> None:
    if not values:
        return
    assert isinstance(branch, BranchOpInterface)
    operands = (*branch.successor_operands(successor), *values)
    branch.set_successor_operands(successor, operands)


def _redirect(block: Block, to: Block) -> None:
    """Redirect every edge to another block and erase the block."""
    for branch, index in _edges(block):
        successors = list(branch.successors)
        successors[index] = to
        branch.successors = successors
    region = block.parent
    assert region is not None
    region.detach_block(block)
    block.erase(safe_erase=False)


def drop_repeated_arguments(region: Region) -> bool:
    """Replace block arguments for which every edge passes the same value; return whether any is."""
    changed = False
    for block in region.blocks:
        for op in block.ops:
            for inner in op.regions:
                changed |= drop_repeated_arguments(inner)
        if block is region.blocks.first or not _can_add_arguments(block):
            continue
        for argument in reversed(block.args):
            values = list(incoming_values(argument))
            if (
                values
                and all(value is values[0] for value in values)
                and not _is_same(values[0], argument)
            ):
                argument.replace_all_uses_with(values[0])
                remove_branch_operands(argument)
                block.erase_arg(argument)
                changed = True
    return changed


def _is_same(value: SSAValue, argument: BlockArgument) -> bool:
    return not isinstance(value, OpResult) and value is argument
