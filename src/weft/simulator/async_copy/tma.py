"""TMA: tiles between global and shared memory, by descriptor (cp.async.bulk.tensor).

A load completes when a thread waits on its mbarrier, a store when its thread waits for its bulk
group. Until then threads must not access the bytes that are written, and must not write those that
are read. Elements outside of the tensor are filled in by loads, and not written by stores. In
shared memory, element n of a box is n elements after the start; a swizzle XORs bits 4 to 6 of the
address with bits 7 to 9, or fewer bits for narrower swizzles.
Source: PTX ISA 9.0, cp.async.bulk.tensor, tensor swizzling modes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from weft.errors import CodegenError
from weft.simulator.async_copy.tensormap import BYTES, Descriptor, read_descriptor
from weft.simulator.block import Block, Step
from weft.simulator.registry import Call, assembly
from weft.simulator.synchronization.accessors import OTHER_BLOCK
from weft.simulator.synchronization.barrier_state import Mbarrier
from weft.simulator.synchronization.cluster import blocks_of_mask, owner_of
from weft.simulator.synchronization.mbarrier import mbarrier_at, predicated_rows

__all__: list[str] = []

_GATHER_ROWS = 4  # rows of a gather or scatter
_BOX_ALIGNMENT = 128
_REDUCE: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "add": lambda a, b: a + b,
    "min": np.minimum,
    "max": np.maximum,
    "inc": lambda a, b: np.where(a >= b, 0, a + 1).astype(a.dtype),
    "dec": lambda a, b: np.where((a == 0) | (a > b), b, a - 1).astype(a.dtype),
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


def _descriptor_at(block: Block, address: int) -> Descriptor:
    """Read the descriptor at an address of global memory.

    Raises:
        CodegenError: The block wrote it, and has not executed the fence for it.
    """
    if address in block.unfenced_tensormaps:
        raise CodegenError("a TMA descriptor is used before fence.proxy.tensormap")
    return read_descriptor(block.global_memory.bytes[address : address + BYTES])


def _global_addresses(
    descriptor: Descriptor, coordinates: Sequence[int], *, gathers: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Compute the address of each element of a box, and whether it is inside of the tensor.

    Args:
        descriptor: The descriptor.
        coordinates: Of the box's first element, fastest dimension first; for a gather or scatter
            the column, then the numbers of the rows.
        gathers: Whether it is a gather or scatter.

    Raises:
        CodegenError: The descriptor has another rank.
    """
    rank = 2 if gathers else len(coordinates)
    if len(descriptor.sizes) != rank:
        raise CodegenError(
            "the rank of a TMA descriptor does not match the instruction",
            found=len(descriptor.sizes),
            accepted=[rank],
        )
    rows = coordinates[1:] if gathers else ()
    box = (descriptor.box[0], _GATHER_ROWS) if gathers else descriptor.box
    grid = np.meshgrid(*(np.arange(size) for size in reversed(box)), indexing="ij")[::-1]
    addresses = np.full(grid[0].shape, descriptor.address, np.int64)
    inside = np.ones(grid[0].shape, bool)
    for dim, offset in enumerate(grid):
        if rows and dim:
            index = np.array(rows)[offset]
        else:
            index = coordinates[dim] + offset * descriptor.element_strides[dim]
        inside &= (index >= 0) & (index < descriptor.sizes[dim])
        stride = descriptor.strides[dim - 1] if dim else descriptor.dtype.itemsize
        addresses += index * stride
    return addresses.reshape(-1), inside.reshape(-1)


def _shared_places(descriptor: Descriptor, start: int, count: int) -> np.ndarray:
    """Compute the addresses [element, byte] of a box in shared memory.

    Raises:
        CodegenError: The start is misaligned.
    """
    if start % _BOX_ALIGNMENT:
        raise CodegenError(
            f"a TMA box in shared memory must be aligned to {_BOX_ALIGNMENT} bytes", found=start
        )
    size = descriptor.dtype.itemsize
    places = start + np.arange(count) * size
    if descriptor.swizzle_bytes:
        places ^= (places >> 7 & (descriptor.swizzle_bytes // 16 - 1)) << 4
    return places[:, None] + np.arange(size)


def _fill_bytes(descriptor: Descriptor) -> np.ndarray:
    """Compute the bytes of an element outside of the tensor."""
    size = descriptor.dtype.itemsize
    if not descriptor.fills_nan:
        return np.zeros(size, np.uint8)
    nan_bits = (1 << 8 * size - 1) - 1
    return np.frombuffer(nan_bits.to_bytes(size, "little"), np.uint8)


def _rounded_to_tf32(raw: np.ndarray) -> np.ndarray:
    """Round the bytes [element, byte] of f32 to the 10 bits of fraction of tf32, to even."""
    bits = raw.view(np.uint32)
    rounded = bits + 0xFFF + (bits >> 13 & 1) & np.uint32(0xFFFFE000)
    is_finite = bits & 0x7F800000 != 0x7F800000
    return np.where(is_finite, rounded, bits).astype(np.uint32).view(np.uint8)


def _start_load(
    block: Block,
    thread: int,
    target: int,
    descriptor: Descriptor,
    coordinates: Sequence[int],
    barrier: Mbarrier,
    *,
    gathers: bool,
) -> None:
    """Start a copy into a block's shared memory.

    Args:
        block: The block that receives the tile.
        thread: The thread that issues the copy.
        target: Address in shared memory.
        descriptor: The descriptor.
        coordinates: As of `_global_addresses`.
        barrier: The mbarrier on which the copy completes.
        gathers: Whether the instruction gathers rows.
    """
    addresses, inside = _global_addresses(descriptor, coordinates, gathers=gathers)
    places = _shared_places(descriptor, target, len(addresses))
    races = block.shared.races
    assert races is not None
    block.shared.check_range(places)
    _check_no_mbarrier(block, places)
    races.begin_async_write(places, thread)
    block.shared.traffic.add("tma in", places.size, 1)
    size = descriptor.dtype.itemsize
    block.count_tile(thread, addresses, inside, size)

    def complete() -> np.ndarray:
        starts = block.global_memory.check("copies", addresses, size, inside)
        raw = block.global_memory.bytes[starts[:, None] + np.arange(size)]
        if descriptor.rounds_to_tf32:
            raw = _rounded_to_tf32(raw)
        raw[~inside] = _fill_bytes(descriptor)
        block.shared.bytes[places] = raw
        barrier.pending_bytes -= places.size
        visible = races.copies.end_write(places, block.threads)
        barrier.complete_phase()
        return visible

    barrier.copies.append(complete)


def _check_no_mbarrier(block: Block, places: np.ndarray) -> None:
    """Check that a copy writes to no valid mbarrier, which may corrupt the tile on a GPU.

    Raises:
        CodegenError: It does. mbarrier.inval has to come first.
    """
    valid = [address for address in block.mbarriers if np.isin(address, places)]
    if valid:
        raise CodegenError(
            "a TMA copy writes to the memory of an mbarrier that was not invalidated", found=valid
        )


def _destinations(
    block: Block, barrier_address: int, mask: int | None, *, cta_pairs: bool
) -> Iterator[tuple[Block, Mbarrier]]:
    """List the blocks that receive a copy, each with the mbarrier on which it completes.

    Args:
        block: The block that issues the copy.
        barrier_address: Cluster address of the mbarrier.
        mask: Multicast mask, None for the block itself.
        cta_pairs: Whether the copy may complete on the mbarrier of the other block of a pair
            (cta_group::2).

    Raises:
        CodegenError: The mbarrier is of a block that does not receive the copy.
    """
    owner, address = owner_of(block, barrier_address)
    if owner.rank >> 1 != block.rank >> 1 or (owner is not block and not cta_pairs):
        raise CodegenError(
            "a TMA copy completes on an mbarrier of a block that does not receive it",
            found=f"block {owner.rank}",
            accepted=[f"block {block.rank}"],
        )
    for receiver in [block] if mask is None else blocks_of_mask(block, mask):
        # Of a pair, the block at the same position as the owner has the mbarrier.
        partner = block.cluster[receiver.rank & ~1 | owner.rank & 1] if cta_pairs else receiver
        yield receiver, mbarrier_at(partner, address)


def _check_coordinates(call: Call) -> None:
    """Check the number of coordinates; a gather or scatter has five.

    Raises:
        CodegenError: It is wrong.
    """
    count = 1 + _GATHER_ROWS if call.match["rows"] else int(call.match["dims"])
    if call.match["coordinates"].count("$") != count:
        raise CodegenError(
            f"a TMA copy must have {count} coordinates", found=call.match["coordinates"]
        )


@assembly(
    r"@\$0 cp\.async\.bulk\.tensor\.(?P<dims>[1-5])d(?P<rows>\.tile::gather4)?"
    r"\.shared::(?:cta|cluster)\.global\.mbarrier::complete_tx::bytes"
    r"(?P<multicast>\.multicast::cluster)?(?P<pairs>\.cta_group::2)?"
    r" \[\$1\], \[\$2, \{(?P<coordinates>[$\d, ]*)\}\], \[\$\d+\](?:, \$\d+)?;"
)
def _load(call: Call) -> Step:
    """Compile a TMA load.

    Raises:
        CodegenError: The number of coordinates is wrong.
    """
    _check_coordinates(call)
    gathers, multicasts = (call.match[name] is not None for name in ("rows", "multicast"))
    cta_pairs = call.match["pairs"] is not None

    def step(block: Block) -> None:
        for thread, target, source, *coordinates in predicated_rows(block, *call.arguments):
            mask = coordinates.pop() & 0xFFFF if multicasts else None
            barrier_address = coordinates.pop()
            destinations = list(_destinations(block, barrier_address, mask, cta_pairs=cta_pairs))
            for receiver, barrier in destinations:
                issuer = thread if receiver is block else OTHER_BLOCK
                descriptor = _descriptor_at(receiver, source)
                _start_load(
                    receiver, issuer, target, descriptor, coordinates, barrier, gathers=gathers
                )

    return step


def _start_store(
    block: Block,
    thread: int,
    source: int,
    descriptor: Descriptor,
    coordinates: Sequence[int],
    reduction: str,
    *,
    scatters: bool,
) -> None:
    """Start a copy out of shared memory.

    Args:
        block: The block.
        thread: The thread that issues the copy.
        source: Address in shared memory.
        descriptor: The descriptor.
        coordinates: As of `_global_addresses`.
        reduction: Operation that combines old and new elements, "" to overwrite them.
        scatters: Whether the instruction scatters rows.
    """
    addresses, inside = _global_addresses(descriptor, coordinates, gathers=scatters)
    places = _shared_places(descriptor, source, len(addresses))
    races = block.shared.races
    assert races is not None
    block.shared.check_range(places)
    races.begin_async_read(places, thread)
    block.shared.traffic.add("tma out", places.size, 1)
    dtype = descriptor.dtype
    block.count_tile(thread, addresses, inside, dtype.itemsize)

    def complete() -> None:
        starts = block.global_memory.check("copies", addresses, dtype.itemsize, inside)
        targets = starts[inside, None] + np.arange(dtype.itemsize)
        raw = block.shared.bytes[places[inside]]
        if reduction:
            old = np.ascontiguousarray(block.global_memory.bytes[targets]).view(dtype)
            new = _REDUCE[reduction](old, np.ascontiguousarray(raw).view(dtype))
            raw = np.ascontiguousarray(new.astype(dtype)).view(np.uint8)
        block.global_memory.bytes[targets] = raw
        races.end_async_read(places, thread)

    block.copies.bulk.setdefault(thread, [[]])[-1].append(complete)


@assembly(
    r"@\$0 cp\.(?P<reduces>reduce\.)?async\.bulk\.tensor\.(?P<dims>[1-5])d"
    r"(?P<rows>\.tile::scatter4)?\.global\.shared::cta"
    r"(?:\.(?P<reduction>add|min|max|inc|dec|and|or|xor))?"
    r"\.bulk_group \[\$1, \{(?P<coordinates>[$\d, ]*)\}\], \[\$\d+\];"
)
def _store(call: Call) -> Step:
    """Compile a TMA store.

    Raises:
        CodegenError: The number of coordinates is wrong, or a reduction has no operation.
    """
    reduction, scatters = call.match["reduction"] or "", call.match["rows"] is not None
    _check_coordinates(call)
    if bool(reduction) != bool(call.match["reduces"]):
        raise CodegenError("cp.reduce and a reduction operation go together", found=call.match[0])

    def step(block: Block) -> None:
        for thread, target, *coordinates, source in predicated_rows(block, *call.arguments):
            descriptor = _descriptor_at(block, target)
            _start_store(
                block, thread, source, descriptor, coordinates, reduction, scatters=scatters
            )

    return step


@assembly(r"cp\.async\.bulk\.commit_group;")
def _commit(call: Call) -> Step:
    def step(block: Block) -> None:
        for thread, groups in block.copies.bulk.items():
            if block.active[thread]:
                groups.append([])

    return step


@assembly(r"cp\.async\.bulk\.wait_group\.read (\d+);")
def _wait(call: Call) -> Step:
    outstanding = int(call.match[1])

    def step(block: Block) -> None:
        for thread, groups in block.copies.bulk.items():
            if block.active[thread]:
                count = max(0, len(groups) - 1 - outstanding)
                for complete in (each for group in groups[:count] for each in group):
                    complete()
                del groups[:count]

    return step
