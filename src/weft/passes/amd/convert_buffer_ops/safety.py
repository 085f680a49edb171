"""Check whether an access may be a buffer instruction: its offsets must fit in 32 bits.

    tt.addptr (tt.splat %a), %o      safe if %o has 32 bits, and either %a is an argument with
                                     tt.pointer_range = 32 (its array is within 2 GiB), or
                                     0 ≤ %o and the last byte is below 2 GiB

The offset of a buffer instruction is unsigned. A lane outside the buffer loads zero and stores
nothing, so a negative offset would silently lose the access.
"""

from __future__ import annotations

from msgspec import Struct

from weft.analysis.integer_ranges import IntegerRanges
from weft.ir import arith, tt, types
from weft.ir.builtin import BlockArgument, IntegerAttr, SSAValue
from weft.ir.rewriting import defining_op

__all__ = ["Access", "Refusal", "check_access", "row_stride"]

LIMIT_BYTES = (1 << 31) - 1

Facts = tuple[tuple[str, str], ...]


class Access(Struct, frozen=True):
    """An access that may be a buffer instruction.

    Attributes:
        base: the scalar pointer.
        offsets: 32-bit offsets in elements.
        reason: the reason, for the decision record.
        facts: (name, value) pairs for the decision record.
    """

    base: SSAValue
    offsets: SSAValue
    reason: str
    facts: Facts = ()


class Refusal(Struct, frozen=True):
    """Why an access may not be a buffer instruction."""

    reason: str
    facts: Facts = ()


def check_access(pointer: SSAValue, ranges: IntegerRanges, trust_small: bool) -> Access | Refusal:
    """Check an access through a pointer.

    Args:
        pointer: the pointer or tensor of pointers.
        ranges: integer ranges of the module.
        trust_small: whether `tt.pointer_range` of an argument is sufficient.
    """
    addptr = defining_op(pointer)
    if not isinstance(addptr, tt.AddPtrOp):
        return Refusal("its pointer is not defined by tt.addptr")
    splat, offsets = defining_op(addptr.operands[0]), addptr.operands[1]
    if not isinstance(splat, tt.SplatOp):
        return Refusal("its pointers have no common scalar base")
    base = splat.operands[0]
    if types.bit_width(offsets.type) != 32:
        bits = f"{types.bit_width(offsets.type)} bits"
        return Refusal("32-bit offsets are required", (("offset", bits),))
    # tt.pointer_range is sufficient even if the range of the offsets is unknown.
    if trust_small and _is_small(base):
        promise = (("tt.pointer_range", "32"),)
        return Access(base, offsets, "the argument's array is within 2 GiB", promise)
    return _by_range(base, offsets, addptr, ranges)


def _by_range(
    base: SSAValue, offsets: SSAValue, addptr: tt.AddPtrOp, ranges: IntegerRanges
) -> Access | Refusal:
    interval = ranges.of(offsets)
    if interval is None:
        return Refusal("the range of its offsets is unknown")
    facts: Facts = (("offset", f"[{interval.smin}, {interval.smax}]"),)
    # Signed: the offsets of tt.addptr are signed, those of the instruction unsigned.
    if interval.smin < 0 or interval.smax < 0:
        return Refusal("its offsets may be negative", facts)
    element = types.element(addptr.results[0].type)
    while types.is_pointer(element):
        element = element.pointee
    if not (types.is_integer(element) or types.is_float(element)):
        return Refusal("its elements are neither integers nor floats", (("element", str(element)),))
    bits = types.bit_width(element)
    reach = (bits * interval.smax + bits + 7) // 8  # the end of the last element
    facts = (*facts, ("reach", f"{reach} bytes"))
    if reach > LIMIT_BYTES:
        return Refusal("its offsets may reach beyond 2 GiB", facts)
    return Access(base, offsets, "its offsets are proved to be within 2 GiB", facts)


def _is_small(base: SSAValue) -> bool:
    """Check whether a pointer is a function argument whose array is within 2 GiB."""
    if not isinstance(base, BlockArgument):
        return False
    function = base.block.parent_op()
    if not isinstance(function, tt.FuncOp) or function.body.blocks.first is not base.block:
        return False
    pointer_range = function.argument_attributes(base.index).get("tt.pointer_range")
    return isinstance(pointer_range, IntegerAttr) and pointer_range.value.data <= 32


def row_stride(offsets: SSAValue) -> SSAValue | None:
    """Return the row stride of offsets `broadcast (rows · splat %stride) + …`, else None."""
    total = defining_op(offsets)
    for term in total.operands if isinstance(total, arith.AddIOp) else ():
        broadcast = defining_op(term)
        if not isinstance(broadcast, tt.BroadcastOp):
            continue
        product = defining_op(broadcast.operands[0])
        for factor in product.operands if isinstance(product, arith.MulIOp) else ():
            splat = defining_op(factor)
            if isinstance(splat, tt.SplatOp):
                return splat.operands[0]
    return None
