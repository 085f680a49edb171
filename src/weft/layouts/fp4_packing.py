"""Infer the encoding of fp4 values from that of the bytes that pack two of them, and back.

The byte at column 3 unpacks into the values at columns 6 and 7. A thread unpacks the bytes that it
holds, so both values of a byte are neighbours in its registers, and every step along the columns
becomes twice as long:

    packed bytes    register=1 -> column 1                           lane=1 -> column 2
    fp4 values      register=1 -> column 1, register=2 -> column 2   lane=1 -> column 4

Along the fastest dimension a blocked encoding stays blocked, with twice the elements per thread,
and a dot operand stays one, with twice the kWidth. Otherwise the result is a linear encoding.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.errors import LayoutError
from weft.layouts.dimension_order import dimension_order
from weft.layouts.encodings import BlockedEncoding, DotOperandEncoding, Encoding
from weft.layouts.inference import linear_encoding_of
from weft.layouts.linear_layout import LinearLayout

__all__ = ["infer_pack", "infer_unpack"]


def infer_unpack(encoding: Encoding, shape: Sequence[int], axis: int) -> Encoding:
    """Compute the encoding of the fp4 values.

    Args:
        encoding: the encoding of the packed bytes.
        shape: the shape of the packed bytes.
        axis: the dimension along which a byte becomes two values.
    """
    layout = encoding.linear(shape)
    if dimension_order(layout)[axis] == 0:
        if isinstance(encoding, DotOperandEncoding):
            return DotOperandEncoding(encoding.op_idx, encoding.parent, encoding.k_width * 2)
        if isinstance(encoding, BlockedEncoding):
            return _with_size(encoding, axis, encoding.size_per_thread[axis] * 2)
    # The values of a byte are neighbours along the axis, and further steps are twice as long.
    pair = tuple(int(d == axis) for d in range(len(shape)))
    return linear_encoding_of(
        layout, lambda v: (*v[:axis], 2 * v[axis], *v[axis + 1 :]), registers=[pair]
    )


def infer_pack(encoding: Encoding, shape: Sequence[int], axis: int) -> Encoding:
    """Compute the encoding of the bytes that unpack to fp4 values in `encoding`.

    Args:
        encoding: the encoding of the fp4 values.
        shape: the shape of the fp4 values.
        axis: the dimension along which two values share a byte.

    Raises:
        LayoutError: the two values of a byte are not in one thread.
    """
    layout = encoding.linear(shape)
    if dimension_order(layout)[axis] == 0:
        if isinstance(encoding, DotOperandEncoding):
            if encoding.k_width < 2:
                raise _not_in_one_thread(encoding, axis)
            return DotOperandEncoding(encoding.op_idx, encoding.parent, encoding.k_width // 2)
        if isinstance(encoding, BlockedEncoding):
            if encoding.size_per_thread[axis] < 2:
                raise _not_in_one_thread(encoding, axis)
            return _with_size(encoding, axis, encoding.size_per_thread[axis] // 2)
    # The step between the values of a byte must be one register, and part of no other step.
    pair = 1 << layout.out_shifts[f"dim{axis}"]
    registers = list(layout.images("register"))
    if pair not in registers:
        raise _not_in_one_thread(encoding, axis)
    registers.remove(pair)
    ins = tuple((n, tuple(registers) if n == "register" else v) for n, v in layout.ins)
    halved = LinearLayout(ins, layout.outs)
    if any(column & pair for column in halved.columns):
        raise _not_in_one_thread(encoding, axis)
    return linear_encoding_of(halved, lambda v: (*v[:axis], v[axis] // 2, *v[axis + 1 :]))


def _not_in_one_thread(encoding: Encoding, axis: int) -> LayoutError:
    return LayoutError(
        f"unpacking along {axis} needs both values of a byte in one thread", found=str(encoding)
    )


def _with_size(encoding: BlockedEncoding, axis: int, size: int) -> BlockedEncoding:
    """Compute the encoding with another number of elements per thread along a dimension."""
    sizes = list(encoding.size_per_thread)
    sizes[axis] = size
    return BlockedEncoding(
        tuple(sizes),
        encoding.threads_per_warp,
        encoding.warps_per_cta,
        encoding.order,
        encoding.cga_layout,
    )
