"""Evaluate a linear layout: at one input, at arrays of inputs, at all of them.

The table of all inputs is built by doubling. With images 1, 2 and 7 of three input bits:

    [0]  ->  [0, 1]  ->  [0, 1, 2, 3]  ->  [0, 1, 2, 3, 7, 6, 5, 4]
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from weft.errors import LayoutError
from weft.layouts.bases import BasisVectors

if TYPE_CHECKING:
    import numpy as np

__all__ = ["apply", "packed_table", "table"]

_MOST_BITS = 28
_INT64_BITS = 62
_KEPT_BITS = 16


def apply(layout: BasisVectors, ins: Mapping[str, Any]) -> dict[str, Any]:
    """Return the coordinates of an input, or of arrays of inputs that broadcast."""
    if not ins.keys() <= layout._images.keys():
        extra = min(set(ins) - set(layout._images))
        raise LayoutError(f"no in-dimension {extra}", accepted=list(layout.in_dims))
    image = 0
    for name, images in layout.ins:
        value = ins.get(name)
        if type(value) is not int and value is not None:
            return _apply_arrays(layout, ins)
        if value is None or value < 0 or value >> len(images):
            raise LayoutError(f"{name} must be in 0..{(1 << len(images)) - 1}", found=value)
        while value:
            low = value & -value
            image ^= images[low.bit_length() - 1]
            value ^= low
    return dict(zip(layout.starts, layout.unpack(image), strict=True))


def _apply_arrays(layout: BasisVectors, ins: Mapping[str, Any]) -> dict[str, Any]:
    import numpy as np

    if layout.out_bits > _INT64_BITS:
        raise LayoutError(
            f"arrays hold coordinates of at most {_INT64_BITS} bits", found=layout.out_bits
        )
    image = np.zeros((), np.int64)
    for name, images in layout.ins:
        value = np.asarray(ins.get(name, -1))
        if value.dtype.kind not in "iu":
            raise LayoutError(f"{name} must hold integers", found=str(value.dtype))
        if value.size and (value.min() < 0 or int(value.max()) >> len(images)):
            wrong = value[(value < 0) | (value >> len(images) != 0)].flat[0]
            raise LayoutError(
                f"{name} must be in 0..{(1 << len(images)) - 1}",
                found=int(wrong) if name in ins else None,
            )
        value = value.astype(np.int64)
        for bit, column in enumerate(images):
            image = image ^ (value >> bit & 1) * column
    return dict(zip(layout.starts, _coordinates(layout, image), strict=True))


def _coordinates(layout: BasisVectors, image: np.ndarray) -> list[np.ndarray]:
    """Return one array per out-dimension from packed images."""
    return [image >> layout.starts[name] & (size - 1) for name, size in layout.outs]


def packed_table(layout: BasisVectors) -> np.ndarray:
    """Return the packed image of every input, the first in-dimension in the lowest bits.

    A small table is kept with its layout, so it must not be written to, and refuses to be.
    """
    kept = layout._answers.get("packed_table")
    if kept is not None:
        return kept
    import numpy as np

    if layout.in_bits > _MOST_BITS or layout.out_bits > _INT64_BITS:
        raise LayoutError(
            f"a table has at most 2^{_MOST_BITS} inputs and outputs of {_INT64_BITS} bits",
            found=f"{layout.in_bits} input bits, {layout.out_bits} output bits",
        )
    images = np.zeros(1 << layout.in_bits, np.int64)
    filled = 1
    for column in layout.columns:
        np.bitwise_xor(images[:filled], column, out=images[filled : 2 * filled])
        filled *= 2
    if layout.in_bits <= _KEPT_BITS:
        images.flags.writeable = False
        layout._answers["packed_table"] = images
    return images


def table(layout: BasisVectors) -> np.ndarray:
    """Return the coordinates of every input.

    Returns: an array indexed by the in-dimensions in order and then by the out-dimension:
    `table[register, lane, warp, block]` is the element's coordinates.
    """
    import numpy as np

    packed = packed_table(layout)
    sizes = list(layout.in_dims.values())
    # The first in-dimension lies lowest, which is what Fortran order means.
    shaped = packed.reshape(sizes, order="F")
    return (
        np.stack(_coordinates(layout, shaped), axis=-1)
        if layout.outs
        else shaped[..., None][..., :0]
    )
