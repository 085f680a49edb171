"""What a pattern changes the IR with, so that whatever a change touches is looked at again.

    rewriter.replace(%s, [%x])      %s = arith.addi %x, %c0     erased; its readers read %x
                                    %t = arith.muli %s, %y      pushed: it reads something else
                                    %c0 = arith.constant 0      pushed: it may be dead now

Every change goes through a `Rewriter`; what it pushes on the worklist, and in which order, is
that of MLIR's rewriters, because it shows in the IR (see `greedy`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from weft.ir.arith import ConstantOp
from weft.ir.builtin import Attribute, Block, Operation, OpResult, Region, SSAValue
from weft.ir.tt import FuncOp
from weft.passes.rewrite.worklist import Worklist

__all__ = ["Rewriter", "drop_block"]

_OpT = TypeVar("_OpT", bound=Operation)


class Rewriter:
    """Change the IR and remember what has to be looked at again."""

    def __init__(self, scope: Region) -> None:
        self._scope = scope
        self.worklist = Worklist()
        self.made_constants = False

    # ------------------------------------------------------------------- what to look at again
    def touch(self, op: Operation) -> None:
        """Put an operation and those around it, up to the scope, on the worklist."""
        push = self.worklist.push
        inside: list[Operation] = []
        current: Operation | None = op
        while current is not None:
            inside.append(current)
            block = current.parent
            region = block.parent if block is not None else None
            if region is self._scope:
                for one in inside:
                    if type(one) is not FuncOp:
                        push(one)
                return
            current = region.parent if region is not None else None

    def _touch_producers(self, op: Operation) -> None:
        """Look again at what `op` alone, or with one other operation, still uses."""
        for operand in op.operands:
            if type(operand) is not OpResult:
                continue
            other: Operation | None = None
            for use in operand.uses:
                user = use.operation
                if user is op or user is other:
                    continue
                if other is not None:
                    break
                other = user
            else:
                self.touch(operand.op)

    # ---------------------------------------------------------------------------------- change
    def create(
        self,
        cls: type[_OpT],
        operands: Sequence[SSAValue],
        result_types: Sequence[Attribute] = (),
        properties: Mapping[str, Attribute] | None = None,
        attributes: Mapping[str, Attribute] | None = None,
        regions: Sequence[Region] = (),
        successors: Sequence[Block] = (),
        *,
        before: Operation | None = None,
        at_end: Block | None = None,
        location: Any = None,
    ) -> _OpT:
        """Make an operation before another one, or at the end of a block; return it.

        location: that of the operation whose work it does; by default that of `before`.
        """
        made = cls.create(
            operands=operands,
            result_types=result_types,
            properties=dict(properties) if properties else {},
            attributes=dict(attributes) if attributes else {},
            successors=successors,
            regions=regions,
        )
        if location is None and before is not None:
            location = before.location
        if cls is ConstantOp:
            self.made_constants = True
        if location is not None:
            made.location = location
        if before is not None:
            block = before.parent
            assert block is not None
            block.insert_op_before(made, before)
        else:
            assert at_end is not None
            at_end.add_op(made)
        self.touch(made)
        return made

    def constant(self, value: Attribute, type_: Attribute, before: Operation) -> SSAValue:
        """Make an `arith.constant` before an operation and return its result."""
        made = self.create(ConstantOp, (), (type_,), {"value": value}, before=before)
        return made.results[0]

    def modified(self, op: Operation) -> None:
        """Say that an operation was changed in place."""
        self.touch(op)

    def set_operand(self, op: Operation, index: int, value: SSAValue) -> None:
        """Replace one operand."""
        op.operands[index] = value
        self.touch(op)

    def replace_uses(self, old: SSAValue, new: SSAValue) -> None:
        """Replace a value wherever it is used."""
        if old is new:
            return
        for use in tuple(old.uses):
            user = use.operation
            user.operands[use.index] = new
            self.touch(user)
        if new.name_hint is None:
            new.name_hint = old.name_hint

    def replace(self, op: Operation, values: Sequence[SSAValue | None]) -> None:
        """Replace an operation's results (None: of an unused one) and erase it."""
        for result, value in zip(op.results, values, strict=True):
            if value is not None:
                self.replace_uses(result, value)
        self.erase(op)

    def erase(self, op: Operation) -> None:
        """Erase an operation without uses, inner operations last to first."""
        for region in reversed(op.regions):
            for block in reversed(tuple(region.blocks)):
                inner = block.last_op
                while inner is not None:
                    before = inner.prev_op
                    self.erase(inner)
                    inner = before
        self._touch_producers(op)
        self.worklist.remove(op)
        op.detach()
        op.erase(safe_erase=False)

    def move_before(self, op: Operation, place: Operation) -> None:
        """Move an operation in front of another one."""
        op.detach()
        block = place.parent
        assert block is not None
        block.insert_op_before(op, place)
        self.touch(op)

    def move_to_end(self, op: Operation, block: Block) -> None:
        """Move an operation to the end of a block."""
        op.detach()
        block.add_op(op)
        self.touch(op)

    def inline_before(self, block: Block, place: Operation, values: Sequence[SSAValue]) -> None:
        """Move a block's operations in front of one; `values` stand for its arguments."""
        for argument, value in zip(block.args, values, strict=True):
            self.replace_uses(argument, value)
        while (op := block.first_op) is not None:
            self.move_before(op, place)
        drop_block(block)

    def merge_blocks(self, block: Block, into: Block, values: Sequence[SSAValue]) -> None:
        """Move a block's operations to the end of another; `values` stand for its arguments."""
        for argument, value in zip(block.args, values, strict=True):
            self.replace_uses(argument, value)
        while (op := block.first_op) is not None:
            self.move_to_end(op, into)
        drop_block(block)


def drop_block(block: Block) -> None:
    """Erase an empty block whose arguments have no uses."""
    region = block.parent
    if region is not None:
        region.detach_block(block)
    block.erase()
