"""The locations that Triton's builder has, and the names that it adds to locations of values."""

from __future__ import annotations

from collections.abc import Iterable

from weft.ir import locations
from weft.ir.builtin import Block, BlockArgument, Operation, SSAValue

__all__ = ["location_of_end", "name_locations"]


def location_of_end(block: Block, location: locations.LocationAttr) -> locations.LocationAttr:
    """Return the location of a block's last operation, `location` if there is none.

    Triton's builder has this location when it continues at the end of a block.

    Args:
        block: The block.
        location: The location of the operation around the block.
    """
    return location if block.last_op is None else block.last_op.location


def name_locations(name: str, values: Iterable[SSAValue]) -> None:
    """Add a name to the locations of values, outside of the names that they have.

    The operation of several results gets a name for each: an `scf.for` that carries `a` and `b` has
    `loc("b"("a"(…)))`.
    """
    for value in values:
        carrier = value if isinstance(value, BlockArgument) else value.owner
        assert isinstance(carrier, BlockArgument | Operation)
        carrier.location = locations.named(name, carrier.location)
