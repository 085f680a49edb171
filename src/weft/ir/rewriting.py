"""Change the IR: the one module through which front end and passes build, move and remove.

Nothing else needs xDSL's rewriter. A pass keeps a worklist of its own and calls

    builder = Builder().before(op)
    total = builder.create(arith.AddIOp, [x, y], [x.type]).results[0]
    replace(op, [total])

`create` fills default properties and gives the new operation the builder's location.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Self, TypeVar, overload

from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue

from weft.ir import arith, attributes, types
from weft.ir.locations import LocationAttr
from weft.ir.locations import unknown as unknown_location
from weft.ir.operation import Op

_Op = TypeVar("_Op", bound=Op)
_Operation = TypeVar("_Operation", bound=Operation)


class Builder:
    """Insert operations at one place, at one source location."""

    __slots__ = ("_anchor", "_block", "location")

    def __init__(self, location: LocationAttr = unknown_location) -> None:
        self.location = location
        self._block: Block | None = None
        self._anchor: Operation | None = None

    @property
    def block(self) -> Block:
        """The block that the next operation goes into."""
        assert self._block is not None, "the builder stands nowhere yet"
        return self._block

    @property
    def place(self) -> tuple[Block | None, Operation | None]:
        """The insertion point, to be given back to `restore`."""
        return self._block, self._anchor

    def restore(self, place: tuple[Block | None, Operation | None]) -> Self:
        """Go back to an insertion point."""
        self._block, self._anchor = place
        return self

    def at_end(self, block: Block) -> Self:
        """Go on behind the last operation of a block."""
        self._block, self._anchor = block, None
        return self

    def at_start(self, block: Block) -> Self:
        """Go on before the first operation of a block."""
        self._block, self._anchor = block, block.first_op
        return self

    def before(self, op: Operation) -> Self:
        """Go on right before an operation, at its source location."""
        self._block, self._anchor = op.parent, op
        self.location = op.location
        return self

    def after(self, op: Operation) -> Self:
        """Go on right behind an operation, at its source location."""
        self._block, self._anchor = op.parent, op.next_op
        self.location = op.location
        return self

    def insert(self, op: Operation) -> None:
        """Put a detached operation at the insertion point."""
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
        """Make an operation and insert it.  Default properties are filled in."""
        op = cls.create(
            operands=operands,
            result_types=result_types,
            properties=dict(properties) if properties else {},
            attributes=dict(attributes) if attributes else {},
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
        """Make an operation of one result, insert it, and return the result."""
        return self.create(cls, operands, [result_type], properties).results[0]

    def constant(self, number: float | bool, type_: Attribute) -> OpResult:
        """Return a constant: a scalar, or a splat where the type is a tensor."""
        value: Attribute = attributes.scalar(number, types.element(type_))
        if types.is_tensor(type_):
            assert isinstance(value, IntegerAttr | FloatAttr)
            value = attributes.splat(value, type_)
        return self.create(arith.ConstantOp, (), (type_,), {"value": value}).results[0]


def walk(op: Operation) -> Iterator[Operation]:
    """Yield an operation and all inside it, outer before inner, in order.

    The operation just yielded may be erased or replaced; those after it in its block may not.
    """
    yield op
    for region in op.regions:
        for block in region.blocks:
            current = block.first_op
            while current is not None:
                following = current.next_op
                yield from walk(current)
                current = following


def replace(op: Operation, values: Sequence[SSAValue]) -> None:
    """Replace every use of an operation's results, then erase it."""
    for result, value in zip(op.results, values, strict=True):
        if result is not value:
            result.replace_all_uses_with(value)
    erase(op)


def erase(op: Operation) -> None:
    """Remove an operation that has no uses, with all inside it."""
    op.detach()
    op.erase()


def set_type(value: SSAValue, type_: Attribute) -> None:
    """Give a value another type; it stays the same value, and its readers are not told."""
    value._type = type_  # pyright: ignore[reportPrivateUsage]


def move_before(op: Operation, anchor: Operation) -> None:
    """Move an operation to right before another one."""
    op.detach()
    block = anchor.parent
    assert block is not None
    block.insert_op_before(op, anchor)


def clone(op: Operation, values: dict[SSAValue, SSAValue]) -> Operation:
    """Copy an operation with all inside it; it stands in no block yet.

    Args: values: what an operand becomes in the copy; operands not in it stay as they are.
          The results and block arguments of what is copied are added.
    """
    get = values.get
    regions = [clone_region(region, values) for region in op.regions]
    copied = type(op).create(
        operands=[get(operand, operand) for operand in op.operands],
        result_types=[result.type for result in op.results],
        properties=dict(op.properties),
        attributes=dict(op.attributes),
        successors=list(op.successors),
        regions=regions,
        location=op.location,
    )
    for old, new in zip(op.results, copied.results, strict=True):
        values[old] = new
    return copied


def clone_region(region: Region, values: dict[SSAValue, SSAValue]) -> Region:
    """Copy a region; branches inside it go to the copied blocks."""
    blocks: dict[Block, Block] = {}
    for block in region.blocks:
        copied = Block(arg_types=[arg.type for arg in block.args])
        for old, new in zip(block.args, copied.args, strict=True):
            new.location = old.location
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
    """Return the operation that defines a value, None for a block argument.

    Args:
        value: A result or a block argument.
        cls: If given, return the operation only if it is exactly of this class.
    """
    if type(value) is not OpResult:  # an isinstance of xDSL's classes costs ten times as much
        return None
    op = value.op
    return op if cls is None or type(op) is cls else None


def constant_value(value: SSAValue) -> int | float | None:
    """Return the number of a constant, or of a splat of one; None for anything else."""
    op = defining_op(value)
    return attributes.number(op.properties["value"]) if isinstance(op, arith.ConstantOp) else None


def used(op: Operation) -> bool:
    """Tell whether any result of an operation is used."""
    return any(result.first_use is not None for result in op.results)


def ancestors(op: Operation) -> Iterable[Operation]:
    """Yield the operations around an operation, innermost first."""
    parent = op.parent_op()
    while parent is not None:
        yield parent
        parent = parent.parent_op()
