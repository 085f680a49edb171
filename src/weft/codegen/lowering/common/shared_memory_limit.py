"""Check that a kernel's shared memory fits the chip, and report the largest buffers if not.

error: matmul needs more shared memory than a block of cuda:80 has
  found: 196608 bytes: 131072 for 4x128x128xf16 of ttg.local_alloc (matmul.py:57), 65536 for …
  accepted: at most 166912 bytes
"""

from __future__ import annotations

from xdsl.ir import Attribute, Operation, SSAValue

from weft.analysis.allocation import Allocation
from weft.errors import OutOfResourcesError
from weft.ir import locations, types
from weft.ir.ttg import MemDescType
from weft.targets import Target

__all__ = ["check_shared_memory_limit"]

_NAMED = 6  # values that the message names


def check_shared_memory_limit(allocation: Allocation, kernel: str, chip: Target) -> None:
    """Check that the shared memory of a kernel is at most what a block can have.

    Raises:
        OutOfResourcesError: It is more, with the bytes of each value that is live when most are.
    """
    if allocation.size <= chip.lds_bytes:
        return
    takers = allocation.live_at_peak()
    descriptions = [f"{placed.size} for {_describe(owner)}" for owner, placed in takers[:_NAMED]]
    if rest := takers[_NAMED:]:
        descriptions.append(f"{sum(placed.size for _, placed in rest)} for {len(rest)} others")
    largest = takers[0][0]
    op = largest if isinstance(largest, Operation) else largest.owner
    raise OutOfResourcesError(
        allocation.size,
        chip.lds_bytes,
        "shared memory",
        message=f"{kernel} needs more shared memory than a block of {chip} has",
        location=locations.position(op.location) if isinstance(op, Operation) else None,
        found=f"{allocation.size} bytes: {', '.join(descriptions)}",
        accepted=[f"at most {chip.lds_bytes} bytes"],
        hint="smaller tiles, or a smaller num_stages, take less",
    )


def _describe(owner: SSAValue | Operation) -> str:
    """Describe a value: its type, the operation that defines it, and the line."""
    op = owner if isinstance(owner, Operation) else owner.owner
    assert isinstance(op, Operation)
    values = (*op.operands, *op.results) if isinstance(owner, Operation) else (owner,)
    formatted = (_format_type(value.type) for value in values)
    position = locations.position(op.location)
    line = f" ({position.file.rpartition('/')[2]}:{position.line})" if position else ""
    return f"{next(filter(None, formatted), 'a value')} of {op.name}{line}"


def _format_type(type_: Attribute) -> str:
    """Format a shape and element type, 2x64x32xf16; "" for a scalar."""
    if isinstance(type_, MemDescType):
        return "x".join([*map(str, type_.shape), str(type_.element_type)])
    if types.is_tensor(type_):
        return "x".join([*map(str, types.shape(type_)), str(types.element(type_))])
    return ""
