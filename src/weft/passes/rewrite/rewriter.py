"""Change the IR from a pattern, and enqueue the operations that each change affects.

    rewriter.replace(%s, [%x])      %s = arith.addi %x, %c0     erased; its users use %x
                                    %t = arith.muli %s, %y      enqueued: an operand changed
                                    %c0 = arith.constant 0      enqueued: it may be dead now

A pattern makes every change through a `Rewriter`. Which operations a change enqueues, and in which
order, follows MLIR's PatternRewriter, because the order is visible in the IR (see `greedy`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from weft.ir.arith import ConstantOp
from weft.ir.builtin import Attribute, Block, Operation, OpResult, Region, SSAValue
from weft.ir.locations import LocationAttr
from weft.ir.tt import FuncOp
from weft.passes.rewrite.worklist import Worklist

__all__ = ["Rewriter", "drop_block"]

_OpT = TypeVar("_OpT", bound=Operation)


class Rewriter:
    """Changes the IR and maintains the worklist of the greedy driver.

    Attributes:
        worklist: The operations to visit.
        has_new_constants: Whether a constant was created since the driver last reset it.
    """

    def __init__(self, scope: Region) -> None:
        self._scope = scope
        self.worklist = Worklist()
        self.has_new_constants = False

    # ---------------------------------------------------------------------------- worklist
    def enqueue(self, op: Operation) -> None:
        """Add an operation and its ancestors in the scope to the worklist."""
        push = self.worklist.push
        nest: list[Operation] = []
        current: Operation | None = op
        while current is not None:
            nest.append(current)
            block = current.parent
            region = block.parent if block is not None else None
            if region is self._scope:
                for ancestor in nest:
                    if type(ancestor) is not FuncOp:
                        push(ancestor)
                return
            current = region.parent if region is not None else None

    def _enqueue_producers(self, op: Operation) -> None:
        """Enqueue the producers of operands that at most one other operation uses."""
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
                self.enqueue(operand.op)

    # ----------------------------------------------------------------------------- changes
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
        location: LocationAttr | None = None,
    ) -> _OpT:
        """Create an operation before another one or at the end of a block.

        Args:
            cls: The class of the operation.
            operands: Its operands.
            result_types: The types of its results.
            properties: Its properties.
            attributes: Its attributes.
            regions: Its regions.
            successors: Its successor blocks.
            before: The operation to insert it before.
            at_end: The block to append it to, if `before` is not given.
            location: Its location, by default that of `before`.
        """
        op = cls.create(
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
            self.has_new_constants = True
        if location is not None:
            op.location = location
        if before is not None:
            block = before.parent
            assert block is not None
            block.insert_op_before(op, before)
        else:
            assert at_end is not None
            at_end.add_op(op)
        self.enqueue(op)
        return op

    def constant(
        self,
        value: Attribute,
        type_: Attribute,
        before: Operation,
        location: LocationAttr | None = None,
    ) -> SSAValue:
        """Create an `arith.constant` before an operation and return its result."""
        properties = {"value": value}
        op = self.create(ConstantOp, (), (type_,), properties, before=before, location=location)
        return op.results[0]

    def modified(self, op: Operation) -> None:
        """Announce that an operation changed in place."""
        self.enqueue(op)

    def set_operand(self, op: Operation, index: int, value: SSAValue) -> None:
        """Replace one operand."""
        op.operands[index] = value
        self.enqueue(op)

    def replace_uses(self, old: SSAValue, new: SSAValue) -> None:
        """Replace all uses of a value; the new value inherits its name hint if it has none."""
        if old is new:
            return
        for use in tuple(old.uses):
            user = use.operation
            user.operands[use.index] = new
            self.enqueue(user)
        if new.name_hint is None:
            new.name_hint = old.name_hint

    def replace(self, op: Operation, values: Sequence[SSAValue | None]) -> None:
        """Replace the results of an operation and erase it.

        Args:
            op: The operation.
            values: The new value of each result, None for a result without uses.
        """
        for result, value in zip(op.results, values, strict=True):
            if value is not None:
                self.replace_uses(result, value)
        self.erase(op)

    def erase(self, op: Operation) -> None:
        """Erase an operation without uses, and its nested operations last to first."""
        for region in reversed(op.regions):
            for block in reversed(tuple(region.blocks)):
                inner = block.last_op
                while inner is not None:
                    before = inner.prev_op
                    self.erase(inner)
                    inner = before
        self._enqueue_producers(op)
        self.worklist.remove(op)
        op.detach()
        op.erase(safe_erase=False)

    def move_before(self, op: Operation, other: Operation) -> None:
        """Move an operation before another one."""
        op.detach()
        block = other.parent
        assert block is not None
        block.insert_op_before(op, other)
        self.enqueue(op)

    def move_to_end(self, op: Operation, block: Block) -> None:
        """Move an operation to the end of a block."""
        op.detach()
        block.add_op(op)
        self.enqueue(op)

    def inline_before(self, block: Block, other: Operation, values: Sequence[SSAValue]) -> None:
        """Move the operations of a block before another one and erase the block.

        Args:
            block: The block.
            other: The operation to insert before.
            values: The values that replace the arguments of the block.
        """
        for argument, value in zip(block.args, values, strict=True):
            self.replace_uses(argument, value)
        while (op := block.first_op) is not None:
            self.move_before(op, other)
        drop_block(block)

    def merge_blocks(self, block: Block, into: Block, values: Sequence[SSAValue]) -> None:
        """Move the operations of a block to the end of another one and erase the block.

        Args:
            block: The block.
            into: The block to append to.
            values: The values that replace the arguments of `block`.
        """
        for argument, value in zip(block.args, values, strict=True):
            self.replace_uses(argument, value)
        while (op := block.first_op) is not None:
            self.move_to_end(op, into)
        drop_block(block)

    def replace_with_region(
        self, op: Operation, region: Region, values: Sequence[SSAValue]
    ) -> None:
        """Replace an operation by the only block of one of its regions.

        Args:
            op: The operation. The operands of the region's terminator replace its results.
            region: The region.
            values: The values that replace the arguments of the block.
        """
        block = region.block
        terminator = block.last_op
        assert terminator is not None
        self.inline_before(block, op, values)
        self.replace(op, tuple(terminator.operands))
        self.erase(terminator)


def drop_block(block: Block) -> None:
    """Erase an empty block whose arguments have no uses."""
    region = block.parent
    if region is not None:
        region.detach_block(block)
    block.erase()
