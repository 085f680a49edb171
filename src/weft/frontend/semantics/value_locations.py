"""The names that Triton's builder adds to the locations of values.

    x = tl.load(p)                        loc("x"(…)): from the statement that creates the value
    for i in range(n):                    loc("x"("x"(…))): from the loop that carries it
        if c: x = x + 1                   … and once more for each `if` that yields it

Triton lowers the body of a loop twice. The first time, to find the names that it carries, their
values are those from before the loop, and an `if` adds its names to these. weft lowers a body once:
a `LocationLog` records the changes, repeats those of a loop, and applies them at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from msgspec import Struct, field

from weft.ir import locations
from weft.ir.builtin import Block, BlockArgument, Operation, SSAValue

__all__ = ["LocationLog", "location_of_end"]

_Carrier: TypeAlias = Operation | BlockArgument


class _Change(Struct, frozen=True):
    """A change of the location of a value.

    Attributes:
        target: The value or operation.
        source: The name to add, or the value or operation whose location to copy.
        enters_loop: Whether it is made where a loop begins, for a block argument of the loop.
    """

    target: SSAValue | Operation
    source: str | SSAValue | Operation
    enters_loop: bool = False


def location_of_end(block: Block, location: locations.LocationAttr) -> locations.LocationAttr:
    """Return the location of a block's last operation, `location` if there is none.

    Triton's builder has this location when it continues at the end of a block.

    Args:
        block: The block.
        location: The location of the operation around the block.
    """
    return location if block.last_op is None else block.last_op.location


class LocationLog(Struct):
    """The changes of locations in a function, in the order in which Triton makes them."""

    _changes: list[_Change] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self._changes)

    def name(self, name: str, values: Iterable[SSAValue]) -> None:
        """Add a name to the locations of values, outside of the names that they have.

        The operation of several results gets a name for each: an `scf.for` that carries `a` and `b`
        has `loc("b"("a"(…)))`.
        """
        self._changes.extend(_Change(value, name) for value in values)

    def copy_previous(self, op: Operation) -> None:
        """Give a terminator the location of the operation before it, with its names so far."""
        if op.prev_op is not None:
            self._changes.append(_Change(op, op.prev_op))

    def enter_loop(
        self, name: str, arguments: Iterable[SSAValue], inits: Iterable[SSAValue] = ()
    ) -> None:
        """Name the block arguments of a name that a loop carries.

        Args:
            name: The name.
            arguments: The block arguments.
            inits: The values whose locations they have first, if any.
        """
        arguments = tuple(arguments)
        for argument, init in zip(arguments, inits, strict=False):
            self._changes.append(_Change(argument, init, enters_loop=True))
        for argument in arguments:
            self._changes.append(_Change(argument, name, enters_loop=True))

    def repeat_loop(
        self,
        start: int,
        body: Block,
        inits: Mapping[SSAValue, SSAValue],
        removed: Mapping[SSAValue, SSAValue],
        induction_variable: SSAValue | None = None,
    ) -> None:
        """Insert the changes that the first lowering of a loop's body makes.

        Args:
            start: The length of the log before the loop.
            body: The block of the body.
            inits: The value before the loop of each block argument.
            removed: The same for the arguments that the loop does not carry.
            induction_variable: Triton replaces it after the body, so that it loses its names.
        """
        first: list[_Change] = []
        second: list[_Change] = []
        for change in self._changes[start:]:
            target, source = change.target, change.source
            if target is induction_variable:
                continue
            if not change.enters_loop:
                # The first time, an argument's value is the one from before the loop.
                earlier = _replaced(target, inits)
                if isinstance(source, str) and not _is_inside(earlier, body):
                    first.append(_Change(earlier, source))
                second.append(_Change(_replaced(target, removed), source))
            elif target not in removed:
                source = source if isinstance(source, str) else _replaced(source, removed)
                second.append(_Change(target, source, enters_loop=True))
        self._changes[start:] = first + second

    def end_mirrored_loop(self, name: str, variable: SSAValue) -> None:
        """Locate the operations that compute the induction variable of a loop that counts down.

        Triton inserts them when the body is complete, at the location of its first operation.
        """
        last = _carrier(variable)
        assert isinstance(last, Operation)
        first = last.next_op
        assert first is not None
        op: Operation | None = last
        while op is not None:
            self._changes.append(_Change(op, first))
            op = op.prev_op
        self.name(name, [variable])

    def apply(self) -> None:
        """Make the changes."""
        for change in self._changes:
            carrier = _carrier(change.target)
            if isinstance(change.source, str):
                carrier.location = locations.named(change.source, carrier.location)
            else:
                carrier.location = _carrier(change.source).location


def _replaced(
    target: SSAValue | Operation, values: Mapping[SSAValue, SSAValue]
) -> SSAValue | Operation:
    return values.get(target, target) if isinstance(target, SSAValue) else target


def _carrier(target: SSAValue | Operation) -> _Carrier:
    """Get the operation or block argument that carries the location of a value."""
    if isinstance(target, Operation | BlockArgument):
        return target
    owner = target.owner
    assert isinstance(owner, Operation)
    return owner


def _is_inside(value: SSAValue | Operation, body: Block) -> bool:
    """Check whether a block contains a value, also in regions inside."""
    carrier = _carrier(value)
    block = carrier.owner if isinstance(carrier, BlockArgument) else carrier.parent
    while block is not None and block is not body:
        parent = block.parent_op()
        block = parent.parent if parent is not None else None
    return block is body
