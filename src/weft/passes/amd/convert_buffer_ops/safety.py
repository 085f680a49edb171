"""May an access go through a buffer instruction? Only if 32 bits of offset surely reach it.

    tt.addptr (tt.splat %a), %o      %o: 32 bits; and %a is an argument whose array lies within
                                     2 GiB (tt.pointer_range = 32), or 0 ≤ %o and its last byte
                                     is below 2 GiB

The offset of a buffer instruction is unsigned, and a lane outside of the buffer reads zero and
writes nothing: an offset that turned negative would be lost without a word.
"""

from __future__ import annotations

from dataclasses import dataclass

from weft.analysis.integer_ranges import IntegerRanges
from weft.ir import arith, tt, types
from weft.ir.builtin import BlockArgument, IntegerAttr, SSAValue
from weft.ir.rewriting import defining_op

__all__ = ["Access", "Refusal", "examined", "row_stride"]

LIMIT_BYTES = (1 << 31) - 1

Facts = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Access:
    """An access that may be a buffer instruction: its base and offsets, and why it may."""

    base: SSAValue
    offsets: SSAValue
    why: str
    facts: Facts = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an access may not be one."""

    why: str
    facts: Facts = ()


def examined(pointer: SSAValue, ranges: IntegerRanges, trust_small: bool) -> Access | Refusal:
    """Return what is known of an access through a pointer.

    Args: trust_small: whether an argument's promise that its array is small is enough.
    """
    added = defining_op(pointer)
    if not isinstance(added, tt.AddPtrOp):
        return Refusal("its pointer is no sum of a base and offsets")
    spread, offsets = defining_op(added.operands[0]), added.operands[1]
    if not isinstance(spread, tt.SplatOp):
        return Refusal("its pointers have no base in common")
    base = spread.operands[0]
    if types.bit_width(offsets.type) != 32:
        bits = f"{types.bit_width(offsets.type)} bits"
        return Refusal("an offset of 32 bits is needed", (("offset", bits),))
    if trust_small and _is_small(base):
        promise = (("tt.pointer_range", "32"),)
        return Access(base, offsets, "all of the argument's array lies within 2 GiB", promise)
    return _by_range(base, offsets, added, ranges)


def _by_range(
    base: SSAValue, offsets: SSAValue, added: tt.AddPtrOp, ranges: IntegerRanges
) -> Access | Refusal:
    found = ranges.of(offsets)
    if found is None:
        return Refusal("nothing is known of the range of its offsets")
    facts: Facts = (("offset", f"[{found.smin}, {found.smax}]"),)
    if found.smin < 0 or found.smax < 0:
        return Refusal("its offsets may be negative", facts)
    element = types.element(added.results[0].type)
    while types.is_pointer(element):
        element = element.pointee
    if not (types.is_integer(element) or types.is_float(element)):
        return Refusal("its elements are no numbers", (("element", str(element)),))
    bits = types.bit_width(element)
    reach = (bits * found.smax + bits + 7) // 8
    facts = (*facts, ("reach", f"{reach} bytes"))
    if reach > LIMIT_BYTES:
        return Refusal("its offsets may reach beyond 2 GiB", facts)
    return Access(base, offsets, "its offsets are proved to lie within 2 GiB", facts)


def _is_small(base: SSAValue) -> bool:
    """Tell whether a pointer is an argument whose array lies within 2 GiB."""
    if not isinstance(base, BlockArgument):
        return False
    function = base.block.parent_op()
    if not isinstance(function, tt.FuncOp) or function.body.blocks.first is not base.block:
        return False
    told = function.argument_attributes(base.index).get("tt.pointer_range")
    return isinstance(told, IntegerAttr) and told.value.data <= 32


def row_stride(offsets: SSAValue) -> SSAValue | None:
    """Return the distance of rows in `broadcast (rows · splat %stride) + …`, None elsewhere."""
    total = defining_op(offsets)
    for term in total.operands if isinstance(total, arith.AddIOp) else ():
        spread = defining_op(term)
        if isinstance(spread, tt.BroadcastOp):
            product = defining_op(spread.operands[0])
            for factor in product.operands if isinstance(product, arith.MulIOp) else ():
                repeated = defining_op(factor)
                if isinstance(repeated, tt.SplatOp):
                    return repeated.operands[0]
    return None
