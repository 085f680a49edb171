"""The straight stretches of an outer loop's body: before, between and behind its inner loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weft.ir import scf
from weft.ir.builtin import Block, Operation, Region, SSAValue

__all__ = ["Stretch", "stretches_of"]


@dataclass(frozen=True, slots=True)
class Stretch:
    """Operations in a row, and those of their results that are read behind them."""

    ops: tuple[Operation, ...]
    outputs: tuple[SSAValue, ...]

    def move_to(self, block: Block) -> None:
        """Move the operations to the end of a block."""
        for op in self.ops:
            op.detach()
            block.add_op(op)

    def stand_in(self, values: Sequence[SSAValue], inside: Region) -> None:
        """Let values stand for the outputs, but for uses in a region and below."""
        for value, output in zip(values, self.outputs, strict=True):
            for use in tuple(output.uses):
                if not _is_within(use.operation, inside):
                    use.operation.operands[use.index] = value


def stretches_of(outer: scf.ForOp, inners: Sequence[scf.ForOp]) -> list[Stretch]:
    """Return one stretch in front of each inner loop, and one behind the last."""
    rows: list[list[Operation]] = [[]]
    for op in outer.block.ops:
        if any(op is inner for inner in inners):
            rows.append([])
        elif op is not outer.terminator:
            rows[-1].append(op)
    return [_stretch(tuple(row)) for row in rows]


def _stretch(ops: tuple[Operation, ...]) -> Stretch:
    if not ops:
        return Stretch((), ())
    last = ops[-1]
    outputs = [
        result
        for op in ops
        for result in op.results
        if any(_is_in_or_behind(use.operation, last) for use in result.uses)
    ]
    return Stretch(ops, tuple(outputs))


def _is_in_or_behind(user: Operation, op: Operation) -> bool:
    """Tell whether an operation is inside of another one, or comes after it."""
    current: Operation | None = user
    while current is not None and current.parent is not op.parent:
        current = current.parent_op()
    if current is None or user is op:
        return False
    return current is op or op.is_before_in_block(current)


def _is_within(op: Operation, region: Region) -> bool:
    current: Operation | None = op
    while current is not None:
        block = current.parent
        if block is not None and block.parent is region:
            return True
        current = current.parent_op()
    return False
