"""Gathers and scatters, element by element, and the error for an access out of bounds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from weft.errors import LaunchError, OutOfBoundsError
from weft.interpreter.addresses import Site, check_aligned, check_writable, lone_region
from weft.interpreter.memory import Region
from weft.interpreter.program_batch import Batch
from weft.interpreter.values import AffineTensor, Index, extent, full

EVERY = slice(None)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of an access.

    Attributes:
        where: The index of the part in the tile of all instances; () for the whole.
        pointer: The addresses of the part.
        mask: The active lanes of the part; None if all are.
    """

    where: tuple[Index, ...]
    pointer: AffineTensor
    mask: np.ndarray | None


def targets(
    site: Site, batch: Batch, addresses: np.ndarray, part: Piece, *, writes: bool
) -> Iterator[tuple[np.ndarray | slice, np.ndarray, np.ndarray]]:
    """Yield for each array that active lanes access: the lanes, its memory, and their indices.

    Raises:
        OutOfBoundsError: A lane accesses memory outside of its array.
        LaunchError: A lane writes to a read-only array.
    """
    if addresses.size == 0:
        return
    check_aligned(site, batch, addresses)
    low, high = extent(addresses)
    region = lone_region(site, batch, low, high)
    if region is not None:
        yield EVERY, *_within(site, region, addresses, writes)
        return
    numbers = batch.launch.memory.numbers(addresses)
    for number in np.unique(numbers):
        lanes = numbers == number
        region = lone_region(site, batch, *extent(addresses[lanes]))
        if region is None:
            raise fault(site, batch, part)
        yield lanes, *_within(site, region, addresses[lanes], writes)


def _within(
    site: Site, region: Region, addresses: np.ndarray, writes: bool
) -> tuple[np.ndarray, np.ndarray]:
    if writes:
        check_writable(site, region)
    flat, first = region.view(site.dtype)
    return flat, (addresses - first) // site.dtype.itemsize


def gather(site: Site, batch: Batch, addresses: np.ndarray, part: Piece) -> np.ndarray:
    """Read the elements at some addresses."""
    result = np.empty(addresses.shape, site.dtype)
    for lanes, memory, index in targets(site, batch, addresses, part, writes=False):
        result[lanes] = memory.take(index, mode="clip")
    return result


def scatter(site: Site, batch: Batch, addresses: np.ndarray, data: np.ndarray, part: Piece) -> None:
    """Write elements to some addresses; an error is raised before the first is written."""
    for lanes, memory, index in list(targets(site, batch, addresses, part, writes=True)):
        memory[index] = data[lanes]


def fault(site: Site, batch: Batch, part: Piece) -> LaunchError:
    """Construct the error for the first lane of a piece, in program order, out of bounds."""
    index, *box = part.where or (EVERY,)
    size = np.arange(batch.size)[index].size
    batch = batch.take(index, size)
    every = full(part.pointer, part.pointer.shape, max(size, part.pointer.count))
    bad = (
        np.ones(every.shape, bool) if part.mask is None else np.broadcast_to(part.mask, every.shape)
    )
    for region in batch.launch.memory.regions:
        bad = bad & ~((every >= region.start) & (every + site.dtype.itemsize <= region.end))
    lane = np.unravel_index(int(bad.argmax()), bad.shape)
    starts = [part.start or 0 if isinstance(part, slice) else 0 for part in box]
    tile = tuple(int(i) for i in lane[1:])
    if starts:
        tile = tuple(i + start for i, start in zip(tile, starts, strict=True))
    program = f"program {batch.program(min(int(lane[0]), size - 1))} of {batch.launch.kernel}"
    where = f"{program}, tile element {tile}" if tile else program
    return _out_of_bounds(site, batch, int(every[lane]), where)


def _out_of_bounds(site: Site, batch: Batch, address: int, where: str) -> OutOfBoundsError:
    region = batch.launch.memory.region_at(address)
    if region is None:
        return OutOfBoundsError(
            f"{site.verb} through a pointer that belongs to no array",
            location=site.location,
            found=f"address {address:#x} in {where}",
            hint="pointers must come from the kernel's arguments",
        )
    size = site.dtype.itemsize
    low, high = (region.start - region.origin) // size, (region.end - region.origin) // size - 1
    array = region.array
    elements = f"elements {low} to {high}" if high >= low else "no element"
    return OutOfBoundsError(
        f"{site.verb} outside of array {region.name}",
        location=site.location,
        found=f"element {(address - region.origin) // size} of {region.name} in {where}",
        accepted=(f"{elements} ({region.name} has shape {array.shape} of {array.dtype})",),
        hint=f"give the {site.verb} a mask that is false there",
    )
