"""Find operations that exchange data between the warps of a block.

Such an operation writes to shared memory, waits at a barrier and reads:

    lower warps     write, barrier 1, read …
    upper warps              write, barrier 1

If half of the warps are one barrier late, the lower warps read what the upper ones have not
written yet. Triton 3.7.1 delays the warps of such loops too, and computes wrong results.
"""

from __future__ import annotations

from weft.ir import attributes, scf, tt, ttg, types
from weft.ir.builtin import Attribute, Operation
from weft.layouts import LinearLayout
from weft.layouts.column_action import remove_broadcast
from weft.layouts.plans.conversion_map import check_convertible, conversion_map

__all__ = ["exchanges_between_warps"]

_ALWAYS = (tt.GatherOp, tt.HistogramOp, tt.AtomicRMWOp, tt.AtomicCASOp)
_WARPS = ("warp", "block")


def exchanges_between_warps(loop: scf.ForOp) -> bool:
    """Check whether an operation in a loop needs data of other warps of the block."""
    return any(_exchanges(op) for op in loop.walk())


def _exchanges(op: Operation) -> bool:
    if isinstance(op, ttg.LocalAllocOp):
        return bool(op.operands)  # written here and read in the same iteration
    if isinstance(op, ttg.ConvertLayoutOp):
        source, result = _linear(op.operands[0].type), _linear(op.results[0].type)
        target = check_convertible(source, result)
        distinct_source = remove_broadcast(source).apply(source)
        distinct_target = remove_broadcast(target).apply(target)
        return conversion_map(distinct_source, distinct_target, _WARPS) is None
    if isinstance(op, tt.ReduceOp | tt.ScanOp):
        axis = attributes.number(op.axis)
        assert isinstance(axis, int)
        return any(image[axis] for image in _linear(op.operands[0].type).bases["warp"])
    return isinstance(op, _ALWAYS)


def _linear(type_: Attribute) -> LinearLayout:
    encoding = types.encoding(type_)
    assert encoding is not None
    return encoding.linear(types.shape(type_))
