"""From addresses to memory: find the array, check bounds, use a view if possible.

Three methods, the fastest first, for a tile of 16 instances of `tensor<64x32x!tt.ptr<f16>>` whose
rows are 512 elements apart:

    strided view   the base is evenly spaced             one numpy view (16, 64, 32)
    windows        arbitrary base, contiguous rows       a view of every run of 32, indexed by base
    gather         arbitrary addresses                   one flat index per element
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from xdsl.ir import Operation

from weft.errors import LaunchError, Location
from weft.interpreter.memory import Region
from weft.interpreter.program_batch import Batch
from weft.interpreter.values import AffineTensor, along, extent
from weft.ir import locations

WINDOW_BYTES = 32  # shorter runs are group_results element by element


@dataclass(frozen=True, slots=True)
class Site:
    """An access of the kernel, for error messages.

    Attributes:
        verb: "load", "store" or "atomic".
        op: The operation.
        dtype: The dtype of the elements in memory.
    """

    verb: str
    op: Operation
    dtype: np.dtype

    @property
    def location(self) -> Location | None:
        """The source location of the access."""
        return locations.position(self.op.location)


def lone_region(site: Site, batch: Batch, low: int, high: int) -> Region | None:
    """Find the region that contains all elements from `low` to `high`; None if there is none."""
    region = batch.launch.memory.region_at(low)
    if region is None or low < region.start or high + site.dtype.itemsize > region.end:
        return None
    return region


def strided_view(region: Region, dtype: np.dtype, affine: AffineTensor) -> np.ndarray | None:
    """Make a view of the elements at some addresses; None if the base is not evenly spaced."""
    base = affine.base
    first = int(base[(0,) * base.ndim])
    sizes, steps = list(base.shape), [0] * base.ndim
    expected: np.ndarray | None = None
    for axis, size in enumerate(base.shape):
        if size > 1:
            neighbour = tuple(1 if a == axis else 0 for a in range(base.ndim))
            steps[axis] = int(base[neighbour]) - first
            line = along(np.arange(size) * steps[axis], axis - 1, base.ndim - 1)
            expected = line + (first if expected is None else expected)
    if expected is not None and not np.array_equal(expected, base):
        return None
    for axis, stride in enumerate(affine.strides):
        if stride:
            sizes[axis + 1], steps[axis + 1] = affine.shape[axis], stride
    offset = first - region.start
    return np.ndarray(sizes, dtype, region.bytes, offset, steps)


@dataclass(frozen=True, slots=True)
class Windows:
    """Views of equally long runs of memory, one for each element of a base.

    `view[index]` has the axes of the base first; transposing it by `order` restores the tile.

    Attributes:
        view: All runs of the region, overlapping.
        index: Which run each element of the base starts.
        order: The permutation of axes.
    """

    view: np.ndarray
    index: np.ndarray
    order: tuple[int, ...]


def windows(region: Region, dtype: np.dtype, affine: AffineTensor) -> Windows | None:
    """Make views of the contiguous runs of an affine tensor; None if they are too short."""
    runs = [axis + 1 for axis, stride in enumerate(affine.strides) if stride]
    lengths = [affine.shape[axis - 1] for axis in runs]
    if not runs or prod(lengths) * dtype.itemsize < WINDOW_BYTES:
        return None
    low, high = extent(affine.base)
    size = dtype.itemsize
    shape = ((high - low) // size + 1, *lengths)
    steps = (size, *(affine.strides[axis - 1] for axis in runs))
    view = np.ndarray(shape, dtype, region.bytes, low - region.start, steps)
    base_axes = [axis for axis in range(affine.base.ndim) if axis not in runs]
    index = ((affine.base - low) // size).reshape([affine.base.shape[axis] for axis in base_axes])
    places = [*base_axes, *runs]
    return Windows(view, index, tuple(places.index(axis) for axis in range(affine.base.ndim)))


def check_aligned(site: Site, batch: Batch, addresses: AffineTensor | np.ndarray) -> None:
    """Check that the address of each element is a multiple of its size.

    Raises:
        LaunchError: One is not.
    """
    size = site.dtype.itemsize
    if size == 1:
        return
    base = addresses.base if isinstance(addresses, AffineTensor) else addresses
    bits = int(np.bitwise_or.reduce(base, axis=None)) if base.size > 1 else int(base.item())
    for stride in addresses.strides if isinstance(addresses, AffineTensor) else ():
        bits |= stride
    if bits & (size - 1):
        raise LaunchError(
            f"{site.verb} of a {size}-byte element at an address that is not a multiple of {size}",
            location=site.location,
            found=f"program {batch.program(0)} of {batch.launch.kernel}, first of its batch",
            hint="cast the pointer only to types of its own size, or align the offset",
        )


def check_writable(site: Site, region: Region) -> None:
    """Check that an array is writable.

    Raises:
        LaunchError: It is read-only.
    """
    if not region.array.flags.writeable:
        raise LaunchError(
            f"{site.verb} to {region.name}, which is a read-only array",
            location=site.location,
            found=f"{region.name} of shape {region.array.shape}",
            hint="pass a copy, or setflags(write=True)",
        )
