"""What a name of the IR holds while a kernel runs.

All program instances of a batch run at once, so every value has a leading axis for them. An
axis along which the value does not change keeps size 1 and numpy's broadcasting does the rest:
with 8 instances and `%t : tensor<64x32xi32>`,

    (8, 64, 32)   differs everywhere
    (1, 64, 32)   is the same for every instance
    (8, 1, 1)     is `tt.splat` of a scalar that depends on the program id

so `tt.splat`, `tt.broadcast` and `tt.expand_dims` move no data. `full` writes a value out where
an operation needs each element (a sum, an atomic).

An integer tensor made of `tt.make_range`, additions and scalings is a `Ramp`: it costs what its
base costs, and an access through it can be a strided view instead of a gather.

    %r = tt.make_range {start = 0, end = 1024}       Ramp(base (1, 1) = 0, strides (1,))
    %o = arith.addi %splat_of_pid_times_1024, %r     Ramp(base (8, 1),     strides (1,))
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, TypeVar, final

import numpy as np

from weft.interpreter.dtypes import I64

Index: TypeAlias = "slice | np.ndarray"


@final
class Ramp:
    """Hold base[p, i, j, …] + stride₀·i + stride₁·j + …, taken modulo 2 to the dtype's bits.

    Args: base: int64, one axis per instance and tile axis; size 1 where the stride is not 0.
          strides: one Python int per tile axis.  shape: of the tile.  dtype: of the elements.
    """

    __slots__ = ("_bounds", "_dense", "base", "dtype", "shape", "strides")

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
        """The size of the instance axis: 1 where the value is the same for all."""
        return self.base.shape[0]

    def bounds(self) -> tuple[int, int]:
        """Return the least and greatest element before any wrap-around."""
        if self._bounds is None:
            low, high = extent(self.base)
            for stride, size in zip(self.strides, self.shape, strict=True):
                reach = stride * (size - 1)
                low, high = (low + reach, high) if reach < 0 else (low, high + reach)
            self._bounds = (low, high)
        return self._bounds

    def fits(self) -> bool:
        """Tell whether no element wraps around."""
        low, high = self.bounds()
        bits = 8 * self.dtype.itemsize - 1
        return -(1 << bits) <= low and high < 1 << bits

    def dense(self) -> np.ndarray:
        """Return the elements, broadcast axes left at size 1."""
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

    def like(self, base: np.ndarray, strides: tuple[int, ...] | None = None) -> Ramp:
        """Return a ramp of the same tile with another base, and other strides where given."""
        return Ramp(base, self.strides if strides is None else strides, self.shape, self.dtype)


class Bundle(tuple):
    """Several values that travel as one: (base, *shape, *strides, *offsets)."""


Value: TypeAlias = "np.ndarray | Ramp | Bundle"
AnyValue = TypeVar("AnyValue", bound="Value | None")


def _wrap(number: int) -> int:
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


def along(steps: np.ndarray, axis: int, rank: int) -> np.ndarray:
    """Return a vector laid along one tile axis, size 1 on the instance axis and the others."""
    return steps.reshape((1,) * (axis + 1) + (-1,) + (1,) * (rank - axis - 1))


def extent(numbers: np.ndarray) -> tuple[int, int]:
    """Return the least and greatest of some integers as Python ints."""
    if numbers.size == 1:
        only = int(numbers.item())
        return only, only
    return int(numbers.min()), int(numbers.max())


def dense(value: Value) -> np.ndarray:
    """Return a value as an array, broadcast axes left at size 1."""
    return value.dense() if type(value) is Ramp else value  # pyright: ignore[reportReturnType]


def full(value: Value, shape: tuple[int, ...], count: int | None = None) -> np.ndarray:
    """Return a value with every tile axis (and, given `count`, every instance) written out."""
    array = dense(value)
    wanted = (array.shape[0] if count is None else count, *shape)
    return array if array.shape == wanted else np.broadcast_to(array, wanted)


def only(value: np.ndarray) -> object:
    """Return the one number that all instances share, or None where they differ."""
    flat = value.reshape(-1)
    first = flat[0]
    return first.item() if flat.size == 1 or (flat == first).all() else None


def index_of(chosen: np.ndarray) -> Index:
    """Return sorted positions as a slice where they are evenly spaced, so that taking is a view."""
    size = len(chosen)
    first, last = int(chosen[0]), int(chosen[-1])
    if size == 1:
        return slice(first, first + 1)
    step = (last - first) // (size - 1)
    if step > 0 and (size == 2 or bool((np.diff(chosen) == step).all())):
        return slice(first, last + 1, step)
    return chosen


def take(value: AnyValue, index: Index) -> AnyValue:
    """Return a value for some of the instances."""
    if isinstance(value, np.ndarray):
        return value if value.shape[0] == 1 else value[index]  # pyright: ignore[reportReturnType]
    if isinstance(value, Ramp):
        same = value.count == 1
        return value if same else value.like(value.base[index])  # pyright: ignore[reportReturnType]
    if isinstance(value, Bundle):
        return Bundle(take(item, index) for item in value)  # pyright: ignore[reportReturnType]
    return value


def merge(parts: Sequence[tuple[Index, Value]], count: int) -> Value:
    """Put the values of groups of instances together again.

    Args: parts: which instances, and their value; together they cover all.  count: how many.
    """
    first = parts[0][1]
    if all(value is first for _, value in parts) and leading(first) == 1:
        return first
    if isinstance(first, Bundle):
        fields = [[(index, value[i]) for index, value in parts] for i in range(len(first))]  # pyright: ignore
        return Bundle(merge(field, count) for field in fields)
    if isinstance(first, Ramp) and all(_same_slope(first, value) for _, value in parts):
        bases = [(index, value.base) for index, value in parts if isinstance(value, Ramp)]
        return first.like(_merge_arrays(bases, count))
    return _merge_arrays([(index, dense(value)) for index, value in parts], count)


def leading(value: Value) -> int:
    """Return the size of a value's instance axis."""
    if isinstance(value, Bundle):
        return max(leading(item) for item in value)
    return value.count if isinstance(value, Ramp) else value.shape[0]


def _same_slope(one: Ramp, other: Value) -> bool:
    return isinstance(other, Ramp) and one.strides == other.strides and one.dtype == other.dtype


def _merge_arrays(parts: Sequence[tuple[Index, np.ndarray]], count: int) -> np.ndarray:
    first = parts[0][1]
    if all(array.shape[0] == 1 and np.array_equal(array, first) for _, array in parts):
        return first
    tile = np.broadcast_shapes(*(array.shape[1:] for _, array in parts))
    merged = np.empty((count, *tile), first.dtype)
    for index, array in parts:
        merged[index] = array
    return merged
