"""From addresses to memory: find the array, check the bounds, take a view where one will do.

Three ways, fastest first, for a tile of 16 instances of `tensor<64x32x!tt.ptr<f16>>` whose
rows lie 512 apart:

    view      all of base is evenly spaced too      one strided numpy view (16, 64, 32)
    windows   base is arbitrary, rows are runs      a view of every run of 32, indexed by base
    gather    nothing is known                      one flat index per element
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from xdsl.ir import Operation

from weft.errors import LaunchError, Location
from weft.interpreter.batch import Batch
from weft.interpreter.memory import Region
from weft.interpreter.values import Ramp, along, extent
from weft.ir import locations

WINDOW_BYTES = 32  # shorter runs are gathered element by element


@dataclass(frozen=True, slots=True)
class Site:
    """Name one access of the kernel, for errors.

    Args: verb: "load", "store", …  op: the operation.  dtype: of the elements in memory.
    """

    verb: str
    op: Operation
    dtype: np.dtype

    @property
    def location(self) -> Location | None:
        """Where the kernel's source says it."""
        return locations.position(self.op.location)


def lone_region(site: Site, batch: Batch, low: int, high: int) -> Region | None:
    """Return the region that holds all elements from `low` to `high`; None where there is none."""
    region = batch.launch.memory.region_at(low)
    if region is None or low < region.start or high + site.dtype.itemsize > region.end:
        return None
    return region


def strided_view(region: Region, dtype: np.dtype, ramp: Ramp) -> np.ndarray | None:
    """Return a view of the elements at `ramp`, or None where its base is not evenly spaced."""
    base = ramp.base
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
    for axis, stride in enumerate(ramp.strides):
        if stride:
            sizes[axis + 1], steps[axis + 1] = ramp.shape[axis], stride
    offset = first - region.start
    return np.ndarray(sizes, dtype, region.bytes, offset, steps)


@dataclass(frozen=True, slots=True)
class Windows:
    """Views of equal runs of memory, one for each element of a base.

    `view[index]` has the base's own axes first; `order` brings tile axes to their places.
    """

    view: np.ndarray
    index: np.ndarray
    order: tuple[int, ...]


def windows(region: Region, dtype: np.dtype, ramp: Ramp) -> Windows | None:
    """Return the runs of a ramp, or None where they are too short to be worth it."""
    runs = [axis + 1 for axis, stride in enumerate(ramp.strides) if stride]
    lengths = [ramp.shape[axis - 1] for axis in runs]
    if not runs or prod(lengths) * dtype.itemsize < WINDOW_BYTES:
        return None
    low, high = extent(ramp.base)
    size = dtype.itemsize
    shape = ((high - low) // size + 1, *lengths)
    steps = (size, *(ramp.strides[axis - 1] for axis in runs))
    view = np.ndarray(shape, dtype, region.bytes, low - region.start, steps)
    kept = [axis for axis in range(ramp.base.ndim) if axis not in runs]
    index = ((ramp.base - low) // size).reshape([ramp.base.shape[axis] for axis in kept])
    places = [*kept, *runs]
    return Windows(view, index, tuple(places.index(axis) for axis in range(ramp.base.ndim)))


def check_aligned(site: Site, batch: Batch, addresses: Ramp | np.ndarray) -> None:
    """Check that each element stands at a multiple of its size.

    Raises: LaunchError: one does not.
    """
    size = site.dtype.itemsize
    if size == 1:
        return
    base = addresses.base if isinstance(addresses, Ramp) else addresses
    bits = int(np.bitwise_or.reduce(base, axis=None)) if base.size > 1 else int(base.item())
    for stride in addresses.strides if isinstance(addresses, Ramp) else ():
        bits |= stride
    if bits & (size - 1):
        raise LaunchError(
            f"{site.verb} of a {size}-byte element at an address that is no multiple of {size}",
            location=site.location,
            found=f"program {batch.program(0)} of {batch.launch.kernel}, first of its batch",
            hint="cast the pointer only to types of its own size, or align the offset",
        )


def check_writable(site: Site, region: Region) -> None:
    """Check that an array may be written.

    Raises: LaunchError: it is read-only.
    """
    if not region.array.flags.writeable:
        raise LaunchError(
            f"{site.verb} to {region.name}, which is a read-only array",
            location=site.location,
            found=f"{region.name} of shape {region.array.shape}",
            hint="pass a copy, or setflags(write=True)",
        )
