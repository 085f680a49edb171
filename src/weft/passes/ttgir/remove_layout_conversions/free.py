"""What costs nothing: results that can be had in any layout, conversions that move registers.

tt.splat, tt.make_range, a constant, ttg.local_load      made in any layout as well
ttg.convert_layout %x -> #a, to be had in #b             converted to #b instead
#mma -> #dot_op, both of one thread's registers          no data leaves its thread
"""

from __future__ import annotations

from functools import lru_cache

from weft.analysis.encoding_inference import is_expensive_view
from weft.ir import arith, tt, ttg, types
from weft.ir.builtin import Operation
from weft.layouts import Encoding, LinearLayout, NvidiaMmaEncoding

__all__ = ["can_take_result", "is_free_conversion", "moves_only_registers"]

_ANY_RESULT = frozenset(
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


def can_take_result(op: Operation, encoding: Encoding) -> bool:
    """Tell whether an operation gives its result in a layout without its operands changing."""
    cls = type(op)
    if cls in _ANY_RESULT:
        return True
    if cls is ttg.ConvertLayoutOp:
        # To get into an NVIDIA product's layout takes a way of its own.
        source = types.encoding(op.operands[0].type)
        return not isinstance(encoding, NvidiaMmaEncoding) or encoding is source
    if cls is tt.ReshapeOp:
        if "allow_reorder" not in op.properties or "efficient_layout" in op.properties:
            return False
        type_ = types.with_encoding(op.results[0].type, encoding)
        return not is_expensive_view(op.operands[0].type, type_)
    if cls is tt.CatOp:
        # The registers of the operands are put one behind the other: there is room for more.
        type_ = op.results[0].type
        given, shape = types.encoding(type_), types.shape(type_)
        assert given is not None
        return len(encoding.linear(shape).images("register")) >= len(
            given.linear(shape).images("register")
        )
    return False


def is_free_conversion(op: Operation) -> bool:
    """Tell whether an operation is a conversion in which no data leaves its thread."""
    if type(op) is not ttg.ConvertLayoutOp:
        return False
    source, target = types.encoding(op.operands[0].type), types.encoding(op.results[0].type)
    assert source is not None
    assert target is not None
    return moves_only_registers(source, target, types.shape(op.results[0].type))


@lru_cache(maxsize=16384)
def moves_only_registers(source: Encoding, target: Encoding, shape: tuple[int, ...]) -> bool:
    """Tell whether a conversion keeps every element in its thread."""
    between: LinearLayout | None = target.linear(shape).invert_and_compose(source.linear(shape))
    for dim in ("block", "warp", "lane"):
        if between is None or dim not in between.in_dims:
            break
        between = between.quotient([dim])
    return between is not None and not set(between.in_dims) - {"register"}
