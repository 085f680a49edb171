"""Build, replace, move, clone and erase operations.

    builder = Builder().before(op)
    total = builder.create(arith.AddIOp, [x, y], [x.type]).results[0]
    replace(op, [total])

`create` adds default properties and gives the new operation the location of the builder.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Self, TypeVar, overload

from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import (
    Attribute,
    Block,
    BlockArgument,
    Operation,
    OpResult,
    Region,
    SSAValue,
)

from weft.ir import arith, attributes, types
from weft.ir.locations import LocationAttr, location_of
from weft.ir.locations import unknown as unknown_location
from weft.ir.operation import operands_of

_Op = TypeVar("_Op", bound=Operation)
_Operation = TypeVar("_Operation", bound=Operation)


def locate_loop_arguments(block: Block, inits: Sequence[SSAValue], location: LocationAttr) -> None:
    """Set the locations of a new `scf.for`'s arguments, as MLIR's builder does.

    Args:
        block: The body.
        inits: The values before the loop; their arguments have the same locations.
        location: The location of the loop and of its induction variable.
    """
    block.args[0].location = location
    for argument, init in zip(block.args[1:], inits, strict=True):
        argument.location = location_of(init)
        argument.name_hint = init.name_hint if isinstance(init, BlockArgument) else None


class Builder:
    """Creates operations at an insertion point, with a source location."""

    __slots__ = ("_anchor", "_block", "location")

    def __init__(self, location: LocationAttr = unknown_location) -> None:
        self.location = location
        self._block: Block | None = None
        self._anchor: Operation | None = None

    @property
    def block(self) -> Block:
        """The block of the insertion point."""
        assert self._block is not None, "the builder has no insertion point"
        return self._block

    @property
    def place(self) -> tuple[Block | None, Operation | None]:
        """The insertion point, for `restore`."""
        return self._block, self._anchor

    def restore(self, place: tuple[Block | None, Operation | None]) -> Self:
        """Set the insertion point to an earlier `place`."""
        self._block, self._anchor = place
        return self

    def at_end(self, block: Block) -> Self:
        """Set the insertion point to the end of a block."""
        self._block, self._anchor = block, None
        return self

    def at_start(self, block: Block) -> Self:
        """Set the insertion point to the start of a block."""
        self._block, self._anchor = block, block.first_op
        return self

    def before(self, op: Operation) -> Self:
        """Set the insertion point to before an operation, and the location to its location."""
        self._block, self._anchor = op.parent, op
        self.location = op.location
        return self

    def after(self, op: Operation) -> Self:
        """Set the insertion point to after an operation, and the location to its location."""
        self._block, self._anchor = op.parent, op.next_op
        self.location = op.location
        return self

    def insert(self, op: Operation) -> None:
        """Insert a detached operation."""
        if self._anchor is None:
            self.block.add_op(op)
        else:
            self.block.insert_op_before(op, self._anchor)

    def create(
        self,
        cls: type[_Op],
        operands: Sequence[SSAValue] = (),
        result_types: Sequence[Attribute] = (),
        properties: Mapping[str, Attribute] | None = None,
        attributes: Mapping[str, Attribute] | None = None,
        regions: Sequence[Region] = (),
        successors: Sequence[Block] = (),
    ) -> _Op:
        """Create an operation with default properties and insert it."""
        op = cls.create(
            operands=operands,
            result_types=result_types,
            properties=properties or {},
            attributes=attributes or {},
            regions=regions,
            successors=successors,
            location=self.location,
        )
        if self._block is not None:
            self.insert(op)
        return op

    def value(
        self,
        cls: type[_Op],
        operands: Sequence[SSAValue],
        result_type: Attribute,
        properties: Mapping[str, Attribute] | None = None,
    ) -> OpResult:
        """Create an operation with one result, insert it, and return the result."""
        return self.create(cls, operands, [result_type], properties).results[0]

    def constant(self, number: float | bool, type_: Attribute) -> OpResult:
        """Create an `arith.constant`, a splat if the type is a tensor."""
        value: Attribute = attributes.scalar(number, types.element(type_))
        if types.is_tensor(type_):
            assert isinstance(value, IntegerAttr | FloatAttr)
            value = attributes.splat(value, type_)
        return self.create(arith.ConstantOp, (), (type_,), {"value": value}).results[0]


def walk(op: Operation) -> Iterator[Operation]:
    """Iterate over an operation and those nested in it, in preorder.

    The caller may erase or replace the current operation, but not the next one of its block.
    """
    yield op
    for region in op.regions:
        for block in region.blocks:
            current = block.first_op
            while current is not None:
                following = current.next_op
                if current.regions:
                    yield from walk(current)
                else:  # a generator for each operation would cost more than the walk
                    yield current
                current = following


def walk_inner_first(root: Operation) -> Iterator[Operation]:
    """Yield an operation and everything inside, each after the operations in its regions."""
    for region in root.regions:
        for block in region.blocks:
            op = block.first_op
            while op is not None:
                following = op.next_op
                if op.regions:
                    yield from walk_inner_first(op)
                else:
                    yield op
                op = following
    yield root


def replace(op: Operation, values: Sequence[SSAValue]) -> None:
    """Replace all uses of the results of an operation, and erase it."""
    for result, value in zip(op.results, values, strict=True):
        if result is not value:
            result.replace_all_uses_with(value)
    erase(op)


def erase(op: Operation) -> None:
    """Erase an operation without uses."""
    op.detach()
    op.erase()


def set_type(value: SSAValue, type_: Attribute) -> None:
    """Change the type of a value in place."""
    value._type = type_  # pyright: ignore[reportPrivateUsage]


def move_before(op: Operation, anchor: Operation) -> None:
    """Move an operation to before another one."""
    op.detach()
    block = anchor.parent
    assert block is not None
    block.insert_op_before(op, anchor)


def clone(op: Operation, values: dict[SSAValue, SSAValue]) -> Operation:
    """Clone an operation and its regions; the clone is detached.

    Args:
        op: The operation.
        values: The operands to replace, and their replacements; `clone` adds the results and block
            arguments.
    """
    get = values.get
    regions = [clone_region(region, values) for region in op.regions]
    copied = type(op).create(
        operands=[get(operand, operand) for operand in operands_of(op)],
        result_types=[result.type for result in op.results],
        properties=op.properties,  # `create` copies them
        attributes=op.attributes,
        successors=op._successors,  # pyright: ignore[reportPrivateUsage]
        regions=regions,
        location=op.location,
    )
    for old, new in zip(op.results, copied.results, strict=True):
        new.name_hint = old.name_hint
        values[old] = new
    return copied


def clone_region(region: Region, values: dict[SSAValue, SSAValue]) -> Region:
    """Clone a region; branches within it target the cloned blocks."""
    # All blocks and their arguments first, so that operations can refer to later blocks.
    blocks: dict[Block, Block] = {}
    for block in region.blocks:
        copied = Block(arg_types=[arg.type for arg in block.args])
        for old, new in zip(block.args, copied.args, strict=True):
            new.location, new.name_hint = old.location, old.name_hint
            values[old] = new
        blocks[block] = copied
    result = Region(list(blocks.values()))
    for block, copied in blocks.items():
        for op in block.ops:
            twin = clone(op, values)
            if twin.successors:
                twin.successors = [blocks.get(target, target) for target in twin.successors]
            copied.add_op(twin)
    return result


@overload
def defining_op(value: SSAValue) -> Operation | None: ...


@overload
def defining_op(value: SSAValue, cls: type[_Operation]) -> _Operation | None: ...


def defining_op(value: SSAValue, cls: type[Operation] | None = None) -> Operation | None:
    """Get the operation that defines a value, None for a block argument.

    Args:
        value: A result or a block argument.
        cls: If given, return the operation only if it is exactly of this class.
    """
    if type(value) is not OpResult:  # an isinstance of xDSL's classes costs ten times as much
        return None
    op = value.op
    return op if cls is None or type(op) is cls else None


def constant_value(value: SSAValue) -> int | float | None:
    """Read the number of a constant scalar or splat, None for other values."""
    op = defining_op(value)
    return attributes.number(op.properties["value"]) if isinstance(op, arith.ConstantOp) else None


def used(op: Operation) -> bool:
    """Check whether any result of an operation is used."""
    return any(result.first_use is not None for result in op.results)


def ancestors(op: Operation) -> Iterable[Operation]:
    """Iterate over the ancestors of an operation, innermost first."""
    parent = op.parent_op()
    while parent is not None:
        yield parent
        parent = parent.parent_op()
