"""Masked elements of asynchronous copies: who gives them their value?

`cp.async` can only fill masked elements with zeros. For another value the pipeliner, as Triton's,
selects it after the load from shared memory:

    %view = ttg.memdesc_index %buffers[%i]
    ttg.async_copy_global_to_local %p, %view mask %m other %other      the copy may write zeros
    %x = ttg.local_load %view
    %y = arith.select %m, %x, %other
"""

from __future__ import annotations

from collections.abc import Iterator

from weft.ir import arith, ttg
from weft.ir.builtin import Operation, SSAValue
from weft.ir.constants import constant_attribute, float_value, integer_value

__all__ = ["selects_replace_masked_elements"]

_VIEWS = (
    ttg.MemDescIndexOp,
    ttg.MemDescReinterpretOp,
    ttg.MemDescReshapeOp,
    ttg.MemDescSubsliceOp,
    ttg.MemDescTransOp,
)
_NO_READS = (ttg.AsyncCopyGlobalToLocalOp, ttg.LocalDeallocOp)


def selects_replace_masked_elements(copy: ttg.AsyncCopyGlobalToLocalOp) -> bool:
    """Check whether everything that is loaded from a copy's buffer goes through selects of `other`.

    Args:
        copy: A copy with `other`.

    Returns:
        Whether the values of masked elements in the buffer are never used.
    """
    other = copy.other
    assert other is not None
    buffer = copy.result
    while isinstance(buffer.owner, _VIEWS):
        buffer = buffer.owner.operands[0]
    if not isinstance(buffer.owner, ttg.LocalAllocOp) or buffer.owner.src is not None:
        return False
    readers = [op for op in _users(buffer) if not isinstance(op, _NO_READS)]
    return bool(readers) and all(_is_selected(op, other) for op in readers)


def _users(buffer: SSAValue) -> Iterator[Operation]:
    """List the users of a buffer and of its views, without the views."""
    for use in buffer.uses:
        if isinstance(use.operation, _VIEWS):
            yield from _users(use.operation.results[0])
        else:
            yield use.operation


def _is_selected(op: Operation, other: SSAValue) -> bool:
    """Check for a load that only selects between it and `other` use."""
    return isinstance(op, ttg.LocalLoadOp) and all(
        isinstance(use.operation, arith.SelectOp)
        and use.index == 1
        and _are_equal(use.operation.false_value, other)
        for use in op.results[0].uses
    )


def _are_equal(a: SSAValue, b: SSAValue) -> bool:
    """Check for one value, or for constants of one number; their layouts may differ."""
    if a is b:
        return True
    constants = [constant_attribute(value) for value in (a, b)]
    numbers = [
        number
        for read in (float_value, integer_value)
        for number in map(read, constants)
        if number is not None
    ]
    return len(numbers) == 2 and numbers[0] == numbers[1]
