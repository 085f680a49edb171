"""The sections of an outer loop's body: the prologue of each inner loop, and the epilogue.

for i { a; for j { … }; b; for k { … }; c }      prologues a and b, epilogue c
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from weft.ir import scf
from weft.ir.builtin import Block, Operation, Region, SSAValue
from weft.passes.rewrite.nesting import is_nested_in

__all__ = ["Section", "split_body"]


class Section(Struct, frozen=True):
    """Consecutive operations of the outer loop's body.

    Attributes:
        ops: The operations.
        outputs: Their results that operations after the section use.
    """

    ops: tuple[Operation, ...]
    outputs: tuple[SSAValue, ...]

    def move_to(self, block: Block) -> None:
        """Move the operations to the end of a block."""
        for op in self.ops:
            op.detach()
            block.add_op(op)

    def replace_outputs(self, values: Sequence[SSAValue], inside: Region) -> None:
        """Replace the uses of the outputs, except those nested in a region."""
        for value, output in zip(values, self.outputs, strict=True):
            for use in tuple(output.uses):
                if not is_nested_in(use.operation, inside):
                    use.operation.operands[use.index] = value


def split_body(outer: scf.ForOp, inners: Sequence[scf.ForOp]) -> list[Section]:
    """List the prologue of each inner loop, in order, and the epilogue of the last."""
    sections: list[list[Operation]] = [[]]
    for op in outer.block.ops:
        if any(op is inner for inner in inners):
            sections.append([])
        elif op is not outer.terminator:
            sections[-1].append(op)
    return [_section(tuple(ops)) for ops in sections]


def _section(ops: tuple[Operation, ...]) -> Section:
    if not ops:
        return Section((), ())
    last = ops[-1]
    outputs = [
        result
        for op in ops
        for result in op.results
        if any(_is_inside_or_after(use.operation, last) for use in result.uses)
    ]
    return Section(ops, tuple(outputs))


def _is_inside_or_after(user: Operation, op: Operation) -> bool:
    """Check whether an operation is nested in another one or comes after it."""
    current: Operation | None = user
    while current is not None and current.parent is not op.parent:
        current = current.parent_op()
    if current is None or user is op:
        return False
    return current is op or op.is_before_in_block(current)
