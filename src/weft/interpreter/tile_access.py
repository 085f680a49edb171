"""Loads and stores of tiles with masks.

A mask is cut into pieces, so that most of a tile uses the fast methods of `addresses`:

    the same mask for all instances, true in a box     one access, narrowed to the box
      (`cols < n` with n not a multiple of the block)
    instances whose mask is all true                   one access for all of them
    the rest                                           a gather or scatter of the active lanes

Lanes that are masked off access no memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np

from weft.interpreter.addresses import (
    Site,
    check_aligned,
    check_writable,
    lone_region,
    strided_view,
    windows,
)
from weft.interpreter.divergence import uniform_condition
from weft.interpreter.gather_scatter import EVERY, Piece, gather, scatter
from weft.interpreter.program_batch import Batch
from weft.interpreter.values import AffineTensor, Index, dense, full, index_of, take

BOX_ELEMENTS = 1024  # smaller tiles are gathered at once, not by one step per instance


def as_affine(pointer: np.ndarray | AffineTensor, shape: tuple[int, ...]) -> AffineTensor:
    """Convert addresses to an affine tensor; an array becomes its base."""
    return (
        pointer
        if type(pointer) is AffineTensor
        else AffineTensor(pointer, (0,) * len(shape), shape, pointer.dtype)
    )


def extents(pointer: AffineTensor) -> tuple[int, ...]:
    """Compute the shape of the addresses; broadcast axes have size 1."""
    tile = (
        size if stride else base_size
        for size, stride, base_size in zip(
            pointer.shape, pointer.strides, pointer.base.shape[1:], strict=True
        )
    )
    return (pointer.base.shape[0], *tile)


def pieces(pointer: AffineTensor, mask: np.ndarray | None) -> Iterator[Piece]:
    """Cut an access into pieces by its mask."""
    rank = len(pointer.shape)
    everywhere = (EVERY,) * (rank + 1)
    shared = True if mask is None else uniform_condition(mask)
    if shared is not None or mask is None:
        if shared:
            yield Piece(everywhere, pointer, None)
        return
    if mask.shape[0] == 1:
        box = _box(mask)
        if box is None:
            yield Piece(everywhere, pointer, mask)
        else:
            yield Piece((EVERY, *box), _narrow(pointer, box), None)
        return
    yield from _by_instance(pointer, mask)


def _by_instance(pointer: AffineTensor, mask: np.ndarray) -> Iterator[Piece]:
    rank = len(pointer.shape)
    axes = tuple(range(1, rank + 1))
    whole = mask.all(axis=axes)
    partial = mask.any(axis=axes) & ~whole
    rest = (EVERY,) * rank
    if whole.any():
        index = index_of(np.flatnonzero(whole))
        yield Piece((index, *rest), take(pointer, index), None)
    if not partial.any():
        return
    instances = np.flatnonzero(partial)
    if prod(pointer.shape) < BOX_ELEMENTS:
        index = index_of(instances)
        yield Piece((index, *rest), take(pointer, index), mask[index])
        return
    for instance in instances:
        index = slice(int(instance), int(instance) + 1)
        for piece in pieces(take(pointer, index), mask[index]):
            yield Piece((index, *piece.where[1:]), piece.pointer, piece.mask)


def _box(mask: np.ndarray) -> tuple[slice, ...] | None:
    """Find the box of tile axes in which a mask is true, None if that is not a box."""
    box: list[slice] = []
    for axis in range(1, mask.ndim):
        if mask.shape[axis] == 1:
            box.append(EVERY)
            continue
        others = tuple(a for a in range(mask.ndim) if a != axis)
        true = np.flatnonzero(mask.any(axis=others))
        box.append(slice(int(true[0]), int(true[-1]) + 1))
    return tuple(box) if mask[(EVERY, *box)].all() else None


def _narrow(pointer: AffineTensor, box: tuple[slice, ...]) -> AffineTensor:
    base, shape = pointer.base, list(pointer.shape)
    cut: list[slice] = [EVERY]
    shift = 0
    for axis, part in enumerate(box):
        if part != EVERY:
            shape[axis] = part.stop - part.start
            shift += pointer.strides[axis] * part.start
        cut.append(part if base.shape[axis + 1] > 1 else EVERY)
    return AffineTensor(base[tuple(cut)] + shift, pointer.strides, tuple(shape), pointer.dtype)


def active_addresses(pointer: AffineTensor, mask: np.ndarray | None) -> np.ndarray:
    """Collect the addresses of the active lanes, each at least once."""
    addresses = pointer.dense()
    if mask is None:
        return addresses
    shape = np.broadcast_shapes(addresses.shape, mask.shape)
    return np.broadcast_to(addresses, shape)[np.broadcast_to(mask, shape)]


def _observe_load(site: Site, batch: Batch, pointer: AffineTensor, mask: np.ndarray | None) -> None:
    addresses, active = _lanes(pointer, mask)
    if batch.launch.observer is not None:
        batch.launch.observer.load(site.op, site.dtype.itemsize, addresses, active)


def _observe_store(
    site: Site, batch: Batch, pointer: AffineTensor, mask: np.ndarray | None, value: np.ndarray
) -> None:
    addresses, active = _lanes(pointer, mask)
    if batch.launch.observer is not None:
        batch.launch.observer.store(site.op, addresses, active, value)


def _lanes(pointer: AffineTensor, mask: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Compute the address of each lane, and which lanes are active."""
    addresses = full(pointer, pointer.shape)
    active = np.broadcast_to(np.True_ if mask is None else mask, addresses.shape)
    return addresses, active


def load(
    site: Site,
    batch: Batch,
    pointer: np.ndarray | AffineTensor,
    mask: np.ndarray | None,
    other: np.ndarray | None,
    shape: tuple[int, ...],
    view: bool = False,
) -> np.ndarray:
    """Load a tile.

    Args:
        site: The access, for errors.
        batch: The instances.
        pointer: The addresses.
        mask: The active lanes; None for all.
        other: The value of inactive lanes; None for zero.
        shape: The shape of the tile.
        view: Whether the result may be a view of memory.

    Returns:
        An array; axes that do not change have size 1.

    Raises:
        OutOfBoundsError: An active lane is outside of its array.
    """
    affine = as_affine(pointer, shape)
    if batch.launch.statistics is not None:
        active = active_addresses(affine, mask)
        batch.launch.statistics.count_load(batch.launch.memory, active, site.dtype.itemsize)
    if batch.launch.observer is not None:
        _observe_load(site, batch, affine, mask)
    if mask is None:
        return _read(site, batch, Piece((), affine, None), view)
    parts = list(pieces(affine, mask))
    if len(parts) == 1 and parts[0].mask is None and parts[0].pointer is affine:
        return _read(site, batch, parts[0], view)
    filler = np.zeros((1,) * (len(shape) + 1), site.dtype) if other is None else dense(other)
    result = np.empty(np.broadcast_shapes(extents(affine), mask.shape, filler.shape), site.dtype)
    if len(parts) == 1 and parts[0].mask is None:
        _surround(result, parts[0].where, filler)
    else:
        result[...] = filler
    for part in parts:
        where = _where(part.where, result.shape)
        if part.mask is None:
            result[where] = _read(site, batch, part, view=True)
        else:
            target = result[where]
            lanes = np.broadcast_to(part.mask, target.shape)
            addresses = np.broadcast_to(part.pointer.dense(), target.shape)[lanes]
            target[lanes] = gather(site, batch, addresses, part)
            result[where] = target
    return result


def store(
    site: Site,
    batch: Batch,
    pointer: np.ndarray | AffineTensor,
    value: np.ndarray,
    mask: np.ndarray | None,
    shape: tuple[int, ...],
) -> None:
    """Store a tile; of several lanes with the same address, one wins.

    Raises:
        OutOfBoundsError: An active lane is outside of its array.
        LaunchError: The array is read-only.
    """
    batch.launch.memory.version += 1
    if batch.launch.statistics is not None:
        active = active_addresses(as_affine(pointer, shape), mask)
        batch.launch.statistics.count_store(batch.launch.memory, active, site.dtype.itemsize)
    if batch.launch.observer is not None:
        _observe_store(site, batch, as_affine(pointer, shape), mask, value)
    for part in pieces(as_affine(pointer, shape), mask):
        data = value[_where(part.where, value.shape)] if part.where else value
        if part.mask is None:
            _write(site, batch, part, data)
        else:
            lanes_shape = np.broadcast_shapes(extents(part.pointer), part.mask.shape, data.shape)
            lanes = np.broadcast_to(part.mask, lanes_shape)
            addresses = np.broadcast_to(part.pointer.dense(), lanes_shape)[lanes]
            scatter(site, batch, addresses, np.broadcast_to(data, lanes_shape)[lanes], part)


def _surround(result: np.ndarray, where: tuple[Index, ...], filler: np.ndarray) -> None:
    """Fill a result outside of a box; the inside is loaded afterwards."""
    for axis, part in enumerate(where):
        if not isinstance(part, slice) or part.step not in (None, 1):
            result[...] = filler
        elif part != EVERY and result.shape[axis] > 1:
            for gap in (slice(0, part.start), slice(part.stop, None)):
                outside = tuple(gap if a == axis else EVERY for a in range(result.ndim))
                result[outside] = filler[_where(outside, filler.shape)]


def _where(where: tuple[Index, ...], shape: tuple[int, ...]) -> tuple[Index, ...]:
    return tuple(EVERY if size == 1 else part for part, size in zip(where, shape, strict=True))


def _read(site: Site, batch: Batch, part: Piece, view: bool) -> np.ndarray:
    pointer = part.pointer
    low, high = pointer.bounds()
    region = lone_region(site, batch, low, high)
    if region is None:
        return gather(site, batch, pointer.dense(), part)
    check_aligned(site, batch, pointer)
    strided = strided_view(region, site.dtype, pointer)
    if strided is not None:
        return strided if view else strided.copy()
    runs = windows(region, site.dtype, pointer)
    if runs is not None:
        return runs.view[runs.index].transpose(runs.order)
    return gather(site, batch, pointer.dense(), part)


def _write(site: Site, batch: Batch, part: Piece, data: np.ndarray) -> None:
    pointer = part.pointer
    low, high = pointer.bounds()
    region = lone_region(site, batch, low, high)
    shape = np.broadcast_shapes(extents(pointer), data.shape)
    if region is None:
        addresses = np.broadcast_to(pointer.dense(), shape)
        scatter(site, batch, addresses, np.broadcast_to(data, shape), part)
        return
    check_aligned(site, batch, pointer)
    check_writable(site, region)
    base_shape = [
        1 if stride else size for stride, size in zip((0, *pointer.strides), shape, strict=True)
    ]
    full_pointer = pointer.like(np.broadcast_to(pointer.base, base_shape))
    view = strided_view(region, site.dtype, full_pointer)
    if view is not None:
        view[...] = data
        return
    runs = windows(region, site.dtype, full_pointer)
    if runs is not None:
        back = np.argsort(runs.order)
        runs.view[runs.index] = np.broadcast_to(data, shape).transpose(back)
        return
    addresses = np.broadcast_to(pointer.dense(), shape)
    scatter(site, batch, addresses, np.broadcast_to(data, shape), part)
