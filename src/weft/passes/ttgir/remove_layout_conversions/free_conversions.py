"""Conversions without cost: producers that accept any layout, conversions within a thread.

tt.splat, tt.make_range, arith.constant, ttg.local_load    create their result in any layout
ttg.convert_layout %x -> #a, followed by #a -> #b          converts %x to #b instead
#mma -> #dot_op, if each thread has the elements           moves no data between threads
"""

from __future__ import annotations

from functools import lru_cache

from weft.analysis.encoding_inference import is_expensive_view
from weft.ir import arith, tt, ttg, types
from weft.ir.builtin import Operation
from weft.layouts import Encoding, LinearLayout, NvidiaMmaEncoding

__all__ = ["can_fold_conversion", "is_free_conversion", "moves_no_data_between_threads"]

_ANY_RESULT_LAYOUT = frozenset(
    {
        arith.ConstantOp,
        tt.HistogramOp,
        tt.MakeRangeOp,
        tt.SplatOp,
        ttg.LocalAllocOp,
        ttg.LocalLoadOp,
        ttg.LocalStoreOp,
    }
)


def can_fold_conversion(op: Operation, encoding: Encoding) -> bool:
    """Check whether an operation can create its result in a layout with the same operands."""
    cls = type(op)
    if cls in _ANY_RESULT_LAYOUT:
        return True
    if cls is ttg.ConvertLayoutOp:
        # Conversions to the layout of an NVIDIA MMA are not merged.
        source = types.encoding(op.operands[0].type)
        return not isinstance(encoding, NvidiaMmaEncoding) or encoding is source
    if cls is tt.ReshapeOp:
        if "allow_reorder" not in op.properties or "efficient_layout" in op.properties:
            return False
        type_ = types.with_encoding(op.results[0].type, encoding)
        return not is_expensive_view(op.operands[0].type, type_)
    if cls is tt.CatOp:
        # tt.cat concatenates the registers of its operands: the result needs at least as many.
        type_ = op.results[0].type
        result_encoding, shape = types.encoding(type_), types.shape(type_)
        assert result_encoding is not None
        registers = len(encoding.linear(shape).images("register"))
        return registers >= len(result_encoding.linear(shape).images("register"))
    return False


def is_free_conversion(op: Operation) -> bool:
    """Check whether an operation is a conversion that moves no data between threads."""
    if type(op) is not ttg.ConvertLayoutOp:
        return False
    source, target = types.encoding(op.operands[0].type), types.encoding(op.results[0].type)
    assert source is not None
    assert target is not None
    return moves_no_data_between_threads(source, target, types.shape(op.results[0].type))


@lru_cache(maxsize=16384)
def moves_no_data_between_threads(
    source: Encoding, target: Encoding, shape: tuple[int, ...]
) -> bool:
    """Check whether each thread has all elements that it needs in the target layout."""
    # The map from where an element is in the target to where it is in the source. If it is the
    # identity on blocks, warps and lanes, these can be divided out and only registers remain.
    conversion: LinearLayout | None = target.linear(shape).invert_and_compose(source.linear(shape))
    for dim in ("block", "warp", "lane"):
        if conversion is None or dim not in conversion.in_dims:
            break
        conversion = conversion.quotient([dim])
    return conversion is not None and not set(conversion.in_dims) - {"register"}
