"""The encoding before and after numbers of half a byte are unpacked along one dimension.

A byte at column 3 unpacks into columns 6 and 7. A thread unpacks the bytes that it holds, so the
two numbers of a byte lie next to one another in its registers, and all that stepped along the
columns steps twice as far:

    packed     register bit 0 → column 1, lane bit 0 → column 2
    unpacked   register bit 0 → column 1, register bit 1 → column 2, lane bit 0 → column 4

Where the dimension is the fastest one, a blocked encoding stays blocked (twice the elements per
thread) and a dot operand stays one (twice kWidth); otherwise the answer is a linear encoding.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.errors import LayoutError
from weft.layouts.dimension_order import dimension_order
from weft.layouts.encodings import (
    BlockedEncoding,
    DotOperandEncoding,
    Encoding,
    LinearEncoding,
)

__all__ = ["infer_pack", "infer_unpack"]


def infer_unpack(encoding: Encoding, shape: Sequence[int], axis: int) -> Encoding:
    """Return the encoding of the unpacked numbers.

    Args: encoding, shape: of the packed bytes.
    """
    shape = tuple(shape)
    if dimension_order(encoding.linear(shape))[axis] == 0:
        if isinstance(encoding, DotOperandEncoding):
            return DotOperandEncoding(encoding.op_idx, encoding.parent, encoding.k_width * 2)
        if isinstance(encoding, BlockedEncoding):
            return _with_size(encoding, axis, encoding.size_per_thread[axis] * 2)
    bases = {
        name: [_scaled(vector, axis, 2) for vector in vectors]
        for name, vectors in encoding.linear(shape).bases.items()
    }
    register = [_unit(len(shape), axis), *bases["register"]]
    return LinearEncoding(register, bases["lane"], bases["warp"], bases["block"])


def infer_pack(encoding: Encoding, shape: Sequence[int], axis: int) -> Encoding:
    """Return the encoding of the bytes that unpack to numbers in `encoding`.

    Args: encoding, shape: of the unpacked numbers.
    Raises: LayoutError where the two numbers of a byte are not in one thread.
    """
    shape = tuple(shape)
    if dimension_order(encoding.linear(shape))[axis] == 0:
        if isinstance(encoding, DotOperandEncoding):
            if encoding.k_width < 2:
                raise _apart(encoding, axis)
            return DotOperandEncoding(encoding.op_idx, encoding.parent, encoding.k_width // 2)
        if isinstance(encoding, BlockedEncoding):
            if encoding.size_per_thread[axis] < 2:
                raise _apart(encoding, axis)
            return _with_size(encoding, axis, encoding.size_per_thread[axis] // 2)
    bases = encoding.linear(shape).bases
    pair = _unit(len(shape), axis)
    if pair not in bases["register"]:
        raise _apart(encoding, axis)
    bases["register"].remove(pair)
    if any(vector[axis] % 2 for vectors in bases.values() for vector in vectors):
        raise _apart(encoding, axis)
    halved = {
        name: [[*vector[:axis], vector[axis] // 2, *vector[axis + 1 :]] for vector in vectors]
        for name, vectors in bases.items()
    }
    return LinearEncoding(halved["register"], halved["lane"], halved["warp"], halved["block"])


def _apart(encoding: Encoding, axis: int) -> LayoutError:
    return LayoutError(
        f"unpacking along {axis} needs both numbers of a byte in one thread", found=str(encoding)
    )


def _with_size(encoding: BlockedEncoding, axis: int, size: int) -> BlockedEncoding:
    sizes = list(encoding.size_per_thread)
    sizes[axis] = size
    return BlockedEncoding(
        sizes,
        encoding.threads_per_warp,
        encoding.warps_per_cta,
        encoding.order,
        encoding.cga_layout,
    )


def _scaled(vector: Sequence[int], axis: int, factor: int) -> list[int]:
    return [part * factor if d == axis else part for d, part in enumerate(vector)]


def _unit(rank: int, axis: int) -> list[int]:
    return [int(d == axis) for d in range(rank)]
