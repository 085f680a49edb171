"""Check a whole module: every operation by its own rules, and every use by scope and dominance.

xDSL's `verify` checks types and traits. What it leaves out: an operand must be defined before
its use, in the same block, in a block that dominates it, or in a region around it; and no
value of a function may be used in another one. Layouts must fit the module's hardware and one
another (`layout_rules`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.traits import IsolatedFromAbove, IsTerminator
from xdsl.utils.exceptions import VerifyException

from weft.errors import Location, VerifyError
from weft.ir import locations
from weft.ir.dominance import dominator_tree
from weft.ir.layout_rules import LayoutRules
from weft.ir.text.printer import print_operation


def verify(module: ModuleOp) -> None:
    """Check a module.

    Raises: VerifyError: naming the operation, its source line and the rule that it breaks.
    """
    rules = LayoutRules(module)
    for op, hardware in rules.operations():
        try:
            op.verify(verify_nested_ops=False)
            rules.check(op, hardware)
        except VerifyException as error:
            _fail(op, str(error))
        except ValueError:  # a value that nothing defines: the check of scopes names it
            continue
    for op in module.body.block.ops:
        _Scopes().operation(op)


def _fail(op: Operation, message: str) -> NoReturn:
    try:
        shown = print_operation(op).splitlines()[0]
    except (LookupError, AttributeError, AssertionError, ValueError, VerifyException):
        # too broken to print
        shown = op.name
    raise VerifyError(message, location=_place(op), found=shown)


def _place(op: Operation | None) -> Location | None:
    """Return where an operation stands, or else the nearest one around it that says so."""
    while op is not None:
        if (place := locations.position(op.location)) is not None:
            return place
        op = op.parent_op()
    return None


class _Scopes:
    """The values that may be used at the point reached.

    `order` lists them as they became visible, so that leaving a region forgets what it defined
    without copying the set: checking a module stays linear in its operations.
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
                _fail(
                    op, f"{op.name}: {_describe(operand)} before it is defined, or out of its scope"
                )
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
        """Check the blocks of a region in the order in which one dominates another."""
        children = dominator_tree(region)
        reached: set[Block] = set()
        todo: list[tuple[Block, int | None]] = [(blocks[0], None)]
        while todo:
            block, mark = todo.pop()
            if mark is not None:
                self.forget(mark)
                continue
            todo.append((block, len(self.order)))
            reached.add(block)
            self.block(block)
            todo += [(child, None) for child in children.get(block, ())]
        for block in blocks:
            if block not in reached:
                # As in MLIR, everything may be used where control never comes.
                mark = len(self.order)
                for other in blocks:
                    self.define(_defined(other))
                self.block(block)
                self.forget(mark)

    def block(self, block: Block) -> None:
        self.define(block.args)
        last = block.last_op
        for op in block.ops:
            self.operation(op)
            if op is not last and op.has_trait(IsTerminator):
                _fail(op, f"{op.name} must be the last operation of its block")


def _defined(block: Block) -> set[SSAValue]:
    found: set[SSAValue] = set(block.args)
    for op in block.ops:
        found.update(op.results)
    return found


def _describe(value: SSAValue) -> str:
    if isinstance(value, OpResult):
        return f"uses the result of {value.op.name}"
    if isinstance(value, BlockArgument):
        return f"uses block argument {value.index}"
    return "uses a value"
