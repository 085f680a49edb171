"""What an SSA value holds while a kernel runs.

All program instances of a batch run at once, so every value has a leading axis for them. An axis
along which a value does not change keeps size 1, and numpy broadcasts it. With 8 instances and
`%t : tensor<64x32xi32>`:

    (8, 64, 32)   differs everywhere
    (1, 64, 32)   is the same for all instances
    (8, 1, 1)     a `tt.splat` of a scalar that depends on the program id

So `tt.splat`, `tt.broadcast` and `tt.expand_dims` move no data. `full` materializes the axes where
an operation needs each element (a sum, an atomic).

An integer tensor computed from `tt.make_range` by additions and scalings is an `AffineTensor`. It
takes the memory of its base only, and an access through it can be a strided view, not a gather.

    %r = tt.make_range {start = 0, end = 1024}       AffineTensor(base (1, 1) = 0, strides (1,))
    %o = arith.addi %splat_of_pid_times_1024, %r     AffineTensor(base (8, 1),     strides (1,))
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, TypeVar, final

import numpy as np

from weft.interpreter.dtypes import I64

Index: TypeAlias = "slice | np.ndarray"


@final
class AffineTensor:
    """The tensor base[p, i, j, …] + stride₀·i + stride₁·j + …, modulo 2 to the dtype's bits.

    Attributes:
        base: int64, with the instance axis and one axis per tile axis; size 1 along an axis with
            a stride.
        strides: One Python int per tile axis.
        shape: The shape of the tile.
        dtype: The dtype of the elements.
    """

    __slots__ = ("__weakref__", "_bounds", "_dense", "base", "dtype", "shape", "strides")

    def __init__(
        self, base: np.ndarray, strides: tuple[int, ...], shape: tuple[int, ...], dtype: np.dtype
    ) -> None:
        self.base = base
        self.strides = strides
        self.shape = shape
        self.dtype = dtype
        self._bounds: tuple[int, int] | None = None
        self._dense: np.ndarray | None = None

    @property
    def count(self) -> int:
        """The size of the instance axis: 1 if the value is the same for all instances."""
        return self.base.shape[0]

    def bounds(self) -> tuple[int, int]:
        """Compute the least and the greatest element, without wrap-around."""
        if self._bounds is None:
            low, high = extent(self.base)
            for stride, size in zip(self.strides, self.shape, strict=True):
                reach = stride * (size - 1)
                low, high = (low + reach, high) if reach < 0 else (low, high + reach)
            self._bounds = (low, high)
        return self._bounds

    def fits(self) -> bool:
        """Check whether all elements are in the range of the dtype."""
        low, high = self.bounds()
        bits = 8 * self.dtype.itemsize - 1
        return -(1 << bits) <= low and high < 1 << bits

    def dense(self) -> np.ndarray:
        """Compute the elements; axes that do not change have size 1."""
        if self._dense is None:
            total = self.base.astype(self.dtype)
            for axis, (stride, size) in enumerate(zip(self.strides, self.shape, strict=True)):
                if stride:
                    steps = (np.arange(size, dtype=I64) * np.int64(_wrap(stride))).astype(
                        self.dtype
                    )
                    total = total + along(steps, axis, len(self.shape))
            self._dense = total
        return self._dense

    def like(self, base: np.ndarray, strides: tuple[int, ...] | None = None) -> AffineTensor:
        """Construct an affine tensor of the same tile with another base or other strides."""
        return AffineTensor(
            base, self.strides if strides is None else strides, self.shape, self.dtype
        )


PADS_WITH_NAN, ROUNDS_TO_TF32 = 1, 2
"""The flags of a tensor descriptor: what its loads do."""


class Bundle(tuple):
    """A block pointer or tensor descriptor.

    A block pointer is (base, *shape, *strides, *offsets), a descriptor (base, flags, *shape,
    *strides).
    """


Value: TypeAlias = "np.ndarray | AffineTensor | Bundle"
AnyValue = TypeVar("AnyValue", bound="Value | None")


def _wrap(number: int) -> int:
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


def along(steps: np.ndarray, axis: int, rank: int) -> np.ndarray:
    """Reshape a vector to lie along one tile axis; all other axes have size 1."""
    return steps.reshape((1,) * (axis + 1) + (-1,) + (1,) * (rank - axis - 1))


def extent(numbers: np.ndarray) -> tuple[int, int]:
    """Compute the least and the greatest of some integers as Python ints."""
    if numbers.size == 1:
        only = int(numbers.item())
        return only, only
    return int(numbers.min()), int(numbers.max())


def dense(value: Value) -> np.ndarray:
    """Convert a value to an array; axes that do not change have size 1."""
    return value.dense() if type(value) is AffineTensor else value  # pyright: ignore[reportReturnType]


def full(value: Value, shape: tuple[int, ...], count: int | None = None) -> np.ndarray:
    """Materialize all tile axes of a value, and, given `count`, all instances."""
    array = dense(value)
    full_shape = (array.shape[0] if count is None else count, *shape)
    return array if array.shape == full_shape else np.broadcast_to(array, full_shape)


def only(value: np.ndarray) -> object:
    """Look up the one number of all instances, None if they differ."""
    flat = value.reshape(-1)
    first = flat[0]
    return first.item() if flat.size == 1 or (flat == first).all() else None


def index_of(positions: np.ndarray) -> Index:
    """Convert sorted positions to a slice if they are evenly spaced, so that indexing is a view."""
    size = len(positions)
    first, last = int(positions[0]), int(positions[-1])
    if size == 1:
        return slice(first, first + 1)
    step = (last - first) // (size - 1)
    if step > 0 and (size == 2 or bool((np.diff(positions) == step).all())):
        return slice(first, last + 1, step)
    return positions


def take(value: AnyValue, index: Index) -> AnyValue:
    """Select some of the instances of a value."""
    if isinstance(value, np.ndarray):
        return value if value.shape[0] == 1 else value[index]  # pyright: ignore[reportReturnType]
    if isinstance(value, AffineTensor):
        same = value.count == 1
        return value if same else value.like(value.base[index])  # pyright: ignore[reportReturnType]
    if isinstance(value, Bundle):
        return Bundle(take(item, index) for item in value)  # pyright: ignore[reportReturnType]
    return value


def merge(parts: Sequence[tuple[Index, Value]], count: int) -> Value:
    """Merge the values of groups of instances.

    Args:
        parts: The positions of each group and its value; the groups cover all instances.
        count: The number of instances.
    """
    first = parts[0][1]
    if all(value is first for _, value in parts) and leading(first) == 1:
        return first
    if isinstance(first, Bundle):
        fields = [[(index, value[i]) for index, value in parts] for i in range(len(first))]  # pyright: ignore
        return Bundle(merge(field, count) for field in fields)
    if isinstance(first, AffineTensor) and all(_same_slope(first, value) for _, value in parts):
        bases = [(index, value.base) for index, value in parts if isinstance(value, AffineTensor)]
        return first.like(_merge_arrays(bases, count))
    return _merge_arrays([(index, dense(value)) for index, value in parts], count)


def leading(value: Value) -> int:
    """Compute the size of the instance axis of a value."""
    if isinstance(value, Bundle):
        return max(leading(item) for item in value)
    return value.count if isinstance(value, AffineTensor) else value.shape[0]


def _same_slope(one: AffineTensor, other: Value) -> bool:
    return (
        isinstance(other, AffineTensor)
        and one.strides == other.strides
        and one.dtype == other.dtype
    )


def _merge_arrays(parts: Sequence[tuple[Index, np.ndarray]], count: int) -> np.ndarray:
    first = parts[0][1]
    if all(array.shape[0] == 1 and np.array_equal(array, first) for _, array in parts):
        return first
    tile = np.broadcast_shapes(*(array.shape[1:] for _, array in parts))
    merged = np.empty((count, *tile), first.dtype)
    for index, array in parts:
        merged[index] = array
    return merged
