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
    """Gather elements along an axis; an index out of bounds is an error."""
    axis = int_of(op, "axis") + 1
    shape, index_shape = (types.shape(value.type) for value in op.operands)
    size = shape[axis - 1]

    def run(batch: Batch, source: Value, index: Value) -> np.ndarray:
        array, indices = dense(source), dense(index)
        count = max(array.shape[0], indices.shape[0])
        indices = full(indices, index_shape, count).astype(I64)
        out_of_bounds = (indices < 0) | (indices >= size)
        if out_of_bounds.any():
            instance, *tile = (int(n) for n in np.argwhere(out_of_bounds)[0])
            raise OutOfBoundsError(
                f"gather outside of a tile of {size} along axis {axis - 1}",
                location=locations.position(op.location),
                found=f"index {indices[(instance, *tile)]} at tile element {tuple(tile)} in program"
                f" {batch.program(instance)} of {batch.launch.kernel}",
                accepted=(f"0 to {size - 1}",),
            )
        return np.take_along_axis(full(array, shape, count), indices, axis)

    return run


@pure(tt.HistogramOp)
def histogram(op: Operation) -> Evaluate:
    """Count how often each number below the number of bins occurs; others are not counted."""
    bins, dtype = types.shape(op.results[0].type)[0], dtype_of(op.results[0].type)
    shape = types.shape(op.operands[0].type)

    def count(source: Value, mask: np.ndarray | None = None) -> np.ndarray:
        numbers = full(source, shape)
        if mask is not None:
            instances = max(numbers.shape[0], mask.shape[0])
            numbers, mask = (full(v, shape, instances) for v in (numbers, mask))
        in_range = (numbers >= 0) & (numbers < bins)
        in_range = in_range if mask is None else in_range & mask
        instances = numbers.shape[0]
        first = np.arange(instances, dtype=I64)[:, None] * bins
        counts = np.bincount((numbers.astype(I64) + first)[in_range], minlength=instances * bins)
        return counts.reshape(instances, bins).astype(dtype)

    return count
