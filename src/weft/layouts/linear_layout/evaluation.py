"""Outputs of inputs: of one, of arrays of them, and of all as a table.

numpy takes longer to load than this package, and only arrays need it: the functions that compute
with them import it when they are called.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from weft.errors import LayoutError
from weft.layouts.basis_vectors import Images, OutDims, out_shifts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    IntArray = NDArray[np.int64]

__all__ = ["apply", "matrix", "packed_table", "table"]

# Limits: inputs of a table; bits of an int64 coordinate.
_MAX_TABLE_BITS = 28
_MAX_ARRAY_BITS = 62


def apply(
    images: Images, outs: OutDims, ins: Mapping[str, int] | Mapping[str, int | NDArray[np.integer]]
) -> dict[str, int] | dict[str, IntArray]:
    """Compute the output of an input, or of many.

    Args:
        images: The bases of the layout.
        outs: Its out-dimensions.
        ins: For each in-dimension a value below its size, or an array of such values.

    Raises:
        LayoutError: A dimension is missing or unknown, or a value is out of range.
    """
    if ins.keys() != images.keys():
        raise _wrong_names(images, list(ins))
    image = 0
    for name, vectors in images.items():
        value = ins[name]
        if not isinstance(value, int):
            return _apply_arrays(images, outs, ins)
        if value < 0 or value >> len(vectors):
            raise _out_of_range(name, vectors, value)
        while value:
            low = value & -value
            image ^= vectors[low.bit_length() - 1]
            value ^= low
    shifts, _ = out_shifts(outs)
    return {name: image >> shifts[name] & (size - 1) for name, size in outs}


def _apply_arrays(
    images: Images, outs: OutDims, ins: Mapping[str, int | NDArray[np.integer]]
) -> dict[str, IntArray]:
    import numpy as np

    shifts, bits = out_shifts(outs)
    if bits > _MAX_ARRAY_BITS:
        raise LayoutError(f"arrays hold coordinates of at most {_MAX_ARRAY_BITS} bits", found=bits)
    image = np.zeros((), np.int64)
    for name, vectors in images.items():
        value = np.asarray(ins[name])
        if value.dtype.kind not in "iu":
            raise LayoutError(f"{name} must hold integers", found=str(value.dtype))
        if value.size and (value.min() < 0 or int(value.max()) >> len(vectors)):
            outside = value[(value < 0) | (value >> len(vectors) != 0)].flat[0]
            raise _out_of_range(name, vectors, int(outside))
        numbers = value.astype(np.int64)
        for bit, vector in enumerate(vectors):
            image = image ^ (numbers >> bit & 1) * vector
    return {name: image >> shifts[name] & (size - 1) for name, size in outs}


def _wrong_names(images: Images, names: list[str]) -> LayoutError:
    for name in names:
        if name not in images:
            return LayoutError(f"no in-dimension {name}", accepted=list(images))
    missing = next(name for name in images if name not in names)
    return LayoutError(f"no value for in-dimension {missing}", found=names, accepted=list(images))


def _out_of_range(name: str, vectors: Sequence[int], value: int) -> LayoutError:
    return LayoutError(f"{name} must be in 0..{(1 << len(vectors)) - 1}", found=value)


def packed_table(columns: Sequence[int], out_bits: int) -> IntArray:
    """Compute the packed output of every input, the first input bit lowest.

    The table is built by doubling: with bases 1, 2 and 7 of three input bits it grows as
    [0], [0, 1], [0, 1, 2, 3], [0, 1, 2, 3, 7, 6, 5, 4].

    Args:
        columns: The bases of the input bits.
        out_bits: The number of output bits.

    Returns:
        An array that is read-only.

    Raises:
        LayoutError: There are too many bits.
    """
    import numpy as np

    if len(columns) > _MAX_TABLE_BITS or out_bits > _MAX_ARRAY_BITS:
        raise LayoutError(
            f"a table has at most 2^{_MAX_TABLE_BITS} inputs and outputs of {_MAX_ARRAY_BITS} bits",
            found=f"{len(columns)} input bits, {out_bits} output bits",
        )
    images = np.zeros(1 << len(columns), np.int64)
    filled = 1
    for column in columns:
        np.bitwise_xor(images[:filled], column, out=images[filled : 2 * filled])
        filled *= 2
    images.flags.writeable = False
    return images.view()  # numpy refuses to make a view of a read-only array writeable


def table(packed: IntArray, in_sizes: Sequence[int], outs: OutDims) -> IntArray:
    """Unpack the output of every input.

    Args:
        packed: The packed outputs.
        in_sizes: The sizes of the in-dimensions.
        outs: The out-dimensions.

    Returns:
        An array indexed by the in-dimensions in order and then by the out-dimension.
    """
    import numpy as np

    # The first in-dimension lies lowest, which is what Fortran order means.
    packed = packed.reshape(in_sizes, order="F")
    if not outs:
        return np.empty((*packed.shape, 0), np.int64)
    shifts, _ = out_shifts(outs)
    return np.stack([packed >> shifts[name] & (size - 1) for name, size in outs], axis=-1)


def matrix(columns: Sequence[int], out_bits: int) -> NDArray[np.uint8]:
    """Write packed columns as a matrix of 0 and 1, a row per output bit."""
    import numpy as np

    rows = [[column >> bit & 1 for column in columns] for bit in range(out_bits)]
    return np.array(rows, np.uint8).reshape(out_bits, len(columns))
