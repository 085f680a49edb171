"""Verify a module: each operation, layouts, and the dominance of definitions over uses.

xDSL's `verify` checks types and traits of operations. Added here are layouts (`layout_verifier`)
and MLIR's rule that the definition of an operand properly dominates its use: it precedes the use
in the same block, or is in a block that dominates the block of the use, or in a region around it.
A region that is isolated from above sees no value of the regions around it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NoReturn

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import (
    Block,
    BlockArgument,
    Operation,
    OpResult,
    Region,
    SSAValue,
)
from xdsl.traits import IsolatedFromAbove, IsTerminator, NoTerminator
from xdsl.utils.exceptions import VerifyException

from weft.errors import LayoutError, Location, VerifyError
from weft.ir import locations
from weft.ir.context import UnregisteredOp
from weft.ir.definition_verifier import NestedVerifyException
from weft.ir.dialect_attributes import verify_dialect_attributes
from weft.ir.dominance import dominator_tree
from weft.ir.layout_verifier import LayoutVerifier, ThreadHierarchy
from weft.ir.text.printer import print_operation


def verify(module: ModuleOp) -> None:
    """Verify a module.

    Raises:
        VerifyError: With the operation, its location and the rule that it violates.
    """
    for error in violations(module):
        raise error


def violations(module: ModuleOp) -> Iterator[VerifyError]:
    """Find the first violation in each function of a module, as MLIR reports them."""
    layouts = LayoutVerifier(module)
    invalid: set[Operation] = set()
    parents: list[tuple[Operation, Operation]] = []
    function: Operation = module
    for op, hierarchy in layouts.operations():
        if op.parent is module.body.block:
            function = op
        if function in invalid:
            continue
        if op.regions:
            parents.append((function, op))
        try:
            _verify_operation(op, hierarchy, layouts)
        except VerifyError as error:
            invalid.add(function)
            yield error
    for function, op in reversed(parents):
        if function not in invalid:
            try:
                _verify_blocks(op)
            except VerifyError as error:
                invalid.add(function)
                yield error
    for op in module.body.block.ops:
        if op not in invalid:
            try:
                _Scopes().operation(op)
            except VerifyError as error:
                yield error


def _verify_operation(op: Operation, hierarchy: ThreadHierarchy, layouts: LayoutVerifier) -> None:
    """Verify one operation, without the blocks of its regions."""
    try:
        verify_dialect_attributes(op)
        layouts.verify(op, hierarchy)
        # Not `op.verify`, which also checks the terminator of the block around the operation.
        op.verify_()
    except NestedVerifyException as error:
        _fail(error.op, str(error))
    except VerifyException as error:
        _fail(op, str(error), error.__cause__)
    except LayoutError as error:
        _fail(op, error.message)
    except ValueError:  # an operand without a definition, which `_Scopes` reports
        pass


def _verify_blocks(op: Operation) -> None:
    """Verify the terminators and the successors of the blocks of an operation's regions."""
    for region in op.regions:
        needs_terminator = len(region.blocks) > 1 or not op.has_trait(NoTerminator)
        for block in region.blocks:
            last = block.last_op
            if last is None:
                if needs_terminator:
                    _fail(op, "empty block: expect at least a terminator")
                continue
            for inner in block.ops:
                if inner.successors and inner is not last:
                    message = "operation with block successors must terminate its parent block"
                    _fail(inner, message)
            if any(successor.parent is not region for successor in last.successors):
                _fail(last, "branching to block of a different region")
            if needs_terminator and not _may_terminate(last):
                _fail(last, f"block with no terminator, has {_text(last)}")


def _may_terminate(op: Operation) -> bool:
    return isinstance(op, UnregisteredOp) or op.has_trait(IsTerminator)


def _text(op: Operation) -> str:
    """Print the first line of an operation."""
    try:
        return print_operation(op).splitlines()[0]
    except Exception:  # its custom form may rely on any rule that the operation violates
        return op.name


def _fail(op: Operation, message: str, cause: BaseException | None = None) -> NoReturn:
    """Raise an error about an operation, in the form of MLIR's `emitOpError`.

    Args:
        op: The operation.
        message: The message.
        cause: Another violated rule, which becomes the cause of the error.
    """
    text = _text(op)
    # xDSL's own messages begin with the name in one of two forms, and may have several lines.
    message = message.removeprefix(f"Operation {op.name} ").removeprefix(f"'{op.name}' ")
    message = message.replace("\n", " ")
    location = _location(op)
    reason = None
    if isinstance(cause, VerifyException):
        reason = VerifyError(f"'{op.name}' op {cause}", location=location, found=text)
    raise VerifyError(f"'{op.name}' op {message}", location=location, found=text) from reason


def _location(op: Operation | None) -> Location | None:
    """Get the source location of an operation, or of the nearest one around it that has one."""
    while op is not None:
        if (position := locations.position(op.location)) is not None:
            return position
        op = op.parent_op()
    return None


class _Scopes:
    """The values whose definitions dominate the current point.

    Attributes:
        visible: The values.
        order: The values in the order of their definition. Leaving a region truncates the list,
            so that verification stays linear in the number of operations.
    """

    def __init__(self) -> None:
        self.visible: set[SSAValue] = set()
        self.order: list[SSAValue] = []

    def define(self, values: Iterable[SSAValue]) -> None:
        fresh = [value for value in values if value not in self.visible]
        self.visible.update(fresh)
        self.order += fresh

    def forget(self, mark: int) -> None:
        self.visible.difference_update(self.order[mark:])
        del self.order[mark:]

    def operation(self, op: Operation) -> None:
        visible = self.visible
        for operand in op.operands:
            if operand not in visible:
                index = list(op.operands).index(operand)
                _fail(op, f"operand #{index} does not dominate this use: {_describe(operand)}")
        if op.regions:
            inner = _Scopes() if op.has_trait(IsolatedFromAbove) else self
            for region in op.regions:
                inner.region(region)
        self.define(op.results)

    def region(self, region: Region) -> None:
        mark = len(self.order)
        blocks = list(region.blocks)
        if len(blocks) == 1:
            self.block(blocks[0])
        elif blocks:
            self.blocks(region, blocks)
        self.forget(mark)

    def blocks(self, region: Region, blocks: list[Block]) -> None:
        """Verify the blocks of a region in preorder of the dominator tree."""
        children = dominator_tree(region)
        reached: set[Block] = set()
        # A block is pushed twice: to enter it, and with a mark to leave its subtree.
        stack: list[tuple[Block, int | None]] = [(blocks[0], None)]
        while stack:
            block, mark = stack.pop()
            if mark is not None:
                self.forget(mark)
                continue
            stack.append((block, len(self.order)))
            reached.add(block)
            self.block(block)
            stack += [(child, None) for child in children.get(block, ())]
        for block in blocks:
            if block not in reached:
                # As in MLIR, unreachable blocks may use every value of the region.
                mark = len(self.order)
                for other in blocks:
                    self.define(_defined(other))
                self.block(block)
                self.forget(mark)

    def block(self, block: Block) -> None:
        self.define(block.args)
        for op in block.ops:
            self.operation(op)


def _defined(block: Block) -> set[SSAValue]:
    values: set[SSAValue] = set(block.args)
    for op in block.ops:
        values.update(op.results)
    return values


def _describe(value: SSAValue) -> str:
    if isinstance(value, OpResult):
        return f"the result of {value.op.name}"
    if isinstance(value, BlockArgument):
        return f"block argument {value.index}"
    return "a value without a definition"
