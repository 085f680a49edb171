"""tt.gather and tt.histogram."""

from __future__ import annotations

import numpy as np
from xdsl.ir import Operation

from weft.errors import OutOfBoundsError
from weft.interpreter.dtypes import I64, dtype_of
from weft.interpreter.program_batch import Batch
from weft.interpreter.properties import int_of
from weft.interpreter.registry import Evaluate, effect, pure
from weft.interpreter.values import Value, dense, full
from weft.ir import locations, tt, types


@effect(tt.GatherOp)
def gather(op: Operation) -> Evaluate:
    """Pick elements along an axis; an index outside of it is an error, as an access outside is."""
    axis = int_of(op, "axis") + 1
    shape, wanted = (types.shape(value.type) for value in op.operands)
    size = shape[axis - 1]

    def pick(batch: Batch, source: Value, index: Value) -> np.ndarray:
        array, places = dense(source), dense(index)
        count = max(array.shape[0], places.shape[0])
        places = full(places, wanted, count).astype(I64)
        outside = (places < 0) | (places >= size)
        if outside.any():
            instance, *tile = (int(n) for n in np.argwhere(outside)[0])
            raise OutOfBoundsError(
                f"gather outside of a tile of {size} along axis {axis - 1}",
                location=locations.position(op.location),
                found=f"index {places[(instance, *tile)]} at tile element {tuple(tile)} in program"
                f" {batch.program(instance)} of {batch.launch.kernel}",
                accepted=(f"0 to {size - 1}",),
            )
        return np.take_along_axis(full(array, shape, count), places, axis)

    return pick


@pure(tt.HistogramOp)
def histogram(op: Operation) -> Evaluate:
    """Count how often each number below the result's size occurs; others are not counted."""
    bins, dtype = types.shape(op.results[0].type)[0], dtype_of(op.results[0].type)
    shape = types.shape(op.operands[0].type)

    def count(source: Value, mask: np.ndarray | None = None) -> np.ndarray:
        numbers = full(source, shape)
        if mask is not None:
            instances = max(numbers.shape[0], mask.shape[0])
            numbers, mask = (full(v, shape, instances) for v in (numbers, mask))
        counted = (numbers >= 0) & (numbers < bins)
        counted = counted if mask is None else counted & mask
        instances = numbers.shape[0]
        first = np.arange(instances, dtype=I64)[:, None] * bins
        found = np.bincount((numbers.astype(I64) + first)[counted], minlength=instances * bins)
        return found.reshape(instances, bins).astype(dtype)

    return count
