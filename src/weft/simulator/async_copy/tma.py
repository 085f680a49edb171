"""The copy engine: tiles between global and shared memory, by descriptor.

A copy in lands when its barrier is waited for, a copy out when its thread waits for it; until then
threads may not touch what is written, and not write what is read. What lies outside of the tensor
is filled in, and not written. In a box, element number n lies n elements behind the start, with
bits 4 to 6 of its address joined by xor with bits 7 to 9, as far as the swizzle is wide.
Source: PTX ISA 9.0, cp.async.bulk.tensor, tensor swizzling modes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from weft.errors import CodegenError
from weft.simulator.async_copy.tensormap import BYTES, Descriptor, read_descriptor
from weft.simulator.block import Block, Step
from weft.simulator.registry import Call, assembly, intrinsic
from weft.simulator.synchronization.cluster import home_of, members
from weft.simulator.synchronization.mbarrier import barrier_at, guarded
from weft.simulator.synchronization.races import ELSEWHERE
from weft.simulator.warp.lanes import require_every_lane, require_whole_warps

__all__: list[str] = []

_ROWS = 4  # of a gather or scatter
_COMBINE: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "add": lambda a, b: a + b,
    "min": np.minimum,
    "max": np.maximum,
    "inc": lambda a, b: np.where(a >= b, 0, a + 1).astype(a.dtype),
    "dec": lambda a, b: np.where((a == 0) | (a > b), b, a - 1).astype(a.dtype),
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


def _descriptor(block: Block, address: int) -> Descriptor:
    """Return the descriptor at an address of global memory.

    Raises: CodegenError: it was made by this block, and the copy engine was not told.
    """
    if address in block.unseen:
        raise CodegenError("a descriptor is used before the fence that shows it to the copy engine")
    return read_descriptor(block.memory.bytes[address : address + BYTES])


def _places(
    found: Descriptor, coordinates: Sequence[int], *, gathers: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return the address of each element of a box, and whether it is one of the tensor's.

    Args: gathers: whether the coordinates are a column and the numbers of rows.
    Raises: CodegenError: a tensor of another rank.
    """
    if len(found.sizes) != (rank := 2 if gathers else len(coordinates)):
        raise CodegenError(
            "a copy by the descriptor of another rank", found=len(found.sizes), accepted=[rank]
        )
    rows = coordinates[1:] if gathers else ()
    box = (found.box[0], _ROWS) if gathers else found.box
    numbers = np.meshgrid(*(np.arange(size) for size in reversed(box)), indexing="ij")[::-1]
    address = np.full(numbers[0].shape, found.address, np.int64)
    inside = np.ones(numbers[0].shape, bool)
    for dim, number in enumerate(numbers):
        if rows and dim:
            at = np.array(rows)[number]
        else:
            at = coordinates[dim] + number * found.steps[dim]
        inside &= (at >= 0) & (at < found.sizes[dim])
        address += at * (found.strides[dim - 1] if dim else found.kind.itemsize)
    return address.reshape(-1), inside.reshape(-1)


def _held(found: Descriptor, start: int, count: int) -> np.ndarray:
    """Return [element, byte] addresses in shared memory of a box that starts at an address."""
    if start % 128:
        raise CodegenError("a box starts at a multiple of 128 bytes", found=start)
    size = found.kind.itemsize
    place = start + np.arange(count) * size
    if found.width:
        place ^= (place >> 7 & (found.width // 16 - 1)) << 4
    return place[:, None] + np.arange(size)


def _filler(found: Descriptor) -> np.ndarray:
    """Return the bytes of what lies outside of a tensor."""
    kind = found.kind
    if not found.nan:
        return np.zeros(kind.itemsize, np.uint8)
    bits = (1 << 8 * kind.itemsize - 1) - 1
    return np.frombuffer(bits.to_bytes(kind.itemsize, "little"), np.uint8)


def _arrive(
    block: Block,
    thread: int,
    target: int,
    source: int,
    coordinates: Sequence[int],
    told: tuple[Block, int],
    *,
    gathers: bool,
) -> None:
    """Start a copy into a block's shared memory.

    Args: block: which gets it.  thread: that asks for it.
          told: the barrier, by its block and address.
    """
    found = _descriptor(block, source)
    address, inside = _places(found, coordinates, gathers=gathers)
    held = _held(found, target, len(address))
    barrier, races = barrier_at(*told), block.shared.races
    assert races is not None
    block.shared.require(held)
    races.begin_arriving(held, thread)
    block.shared.traffic.add("tma in", held.size, 1)

    def land() -> np.ndarray:
        place = block.memory.check("copies", address, found.kind.itemsize, inside)
        raw = block.memory.bytes[place[:, None] + np.arange(found.kind.itemsize)]
        raw[~inside] = _filler(found)
        block.shared.bytes[held] = raw
        barrier.bytes -= held.size
        knows = races.arrived(held, block.threads)
        barrier.complete()
        return knows

    barrier.coming.append(land)


def _ways(
    block: Block, told: int, mask: int | None, *, pairs: bool
) -> Iterator[tuple[Block, tuple[Block, int]]]:
    """Yield the blocks that a copy goes to, each with the barrier that it tells.

    Args: told: a barrier's address.  mask: names the blocks, None for the block itself.
          pairs: whether the barrier may lie in the other block of a pair.
    Raises: CodegenError: the barrier is that of a block which the copy does not go to.
    """
    owner, address = home_of(block, told)
    if owner.rank >> 1 != block.rank >> 1 or (owner is not block and not pairs):
        raise CodegenError(
            "a copy tells the barrier of a block that it does not go to",
            found=f"block {owner.rank}",
            accepted=[f"block {block.rank}"],
        )
    for other in [block] if mask is None else members(block, mask):
        side = other.rank & ~1 | owner.rank & 1
        yield other, ((block.cluster[side] if pairs else other), address)


def _require_coordinates(call: Call) -> None:
    """Refuse another number of coordinates than dimensions; of rows by number there are five.

    Raises: CodegenError.
    """
    wanted = 1 + _ROWS if call.match["rows"] else int(call.match["dims"])
    if call.match["places"].count("$") != wanted:
        raise CodegenError(f"a copy of {wanted} coordinates has others", found=call.match["places"])


@assembly(
    r"@\$0 cp\.async\.bulk\.tensor\.(?P<dims>[1-5])d(?P<rows>\.tile::gather4)?"
    r"\.shared::(?:cta|cluster)\.global\.mbarrier::complete_tx::bytes"
    r"(?P<spread>\.multicast::cluster)?(?P<pairs>\.cta_group::2)?"
    r" \[\$1\], \[\$2, \{(?P<places>[$\d, ]*)\}\], \[\$\d+\](?:, \$\d+)?;"
)
def _copy_in(call: Call) -> Step:
    """Return copies into shared memory as a step; raises as `_require_coordinates`."""
    _require_coordinates(call)
    gathers, spread = (call.match[name] is not None for name in ("rows", "spread"))
    pairs = call.match["pairs"] is not None

    def step(block: Block) -> None:
        for thread, target, source, *places in guarded(block, *call.arguments):
            mask = places.pop() & 0xFFFF if spread else None
            ways = _ways(block, places.pop(), mask, pairs=pairs)
            for other, told in list(ways):
                who = thread if other is block else ELSEWHERE
                _arrive(other, who, target, source, places, told, gathers=gathers)

    return step


def _leave(
    block: Block,
    thread: int,
    source: int,
    target: int,
    coordinates: Sequence[int],
    kind: str,
    *,
    scatters: bool,
) -> None:
    """Start a copy out of shared memory."""
    found = _descriptor(block, target)
    address, inside = _places(found, coordinates, gathers=scatters)
    held = _held(found, source, len(address))
    races = block.shared.races
    assert races is not None
    block.shared.require(held)
    races.begin_leaving(held, thread)
    block.shared.traffic.add("tma out", held.size, 1)

    def land() -> None:
        place = block.memory.check("copies", address, found.kind.itemsize, inside)
        where = place[inside, None] + np.arange(found.kind.itemsize)
        raw = block.shared.bytes[held[inside]]
        if kind:
            old = np.ascontiguousarray(block.memory.bytes[where]).view(found.kind)
            new = _COMBINE[kind](old, np.ascontiguousarray(raw).view(found.kind))
            raw = np.ascontiguousarray(new.astype(found.kind)).view(np.uint8)
        block.memory.bytes[where] = raw
        races.left(held, thread)

    block.leaving.setdefault(thread, [[]])[-1].append(land)


@assembly(
    r"@\$0 cp\.(?P<reduces>reduce\.)?async\.bulk\.tensor\.(?P<dims>[1-5])d"
    r"(?P<rows>\.tile::scatter4)?\.global\.shared::cta(?:\.(?P<kind>add|min|max|inc|dec|and|or|xor))?"
    r"\.bulk_group \[\$1, \{(?P<places>[$\d, ]*)\}\], \[\$\d+\];"
)
def _copy_out(call: Call) -> Step:
    """Return copies out of shared memory as a step.

    Raises: CodegenError: coordinates that are not as many as the dimensions, or a copy that
            combines by nothing.
    """
    kind, scatters = call.match["kind"] or "", call.match["rows"] is not None
    _require_coordinates(call)
    if bool(kind) != bool(call.match["reduces"]):
        raise CodegenError("a reduction combines by something", found=call.match[0])

    def step(block: Block) -> None:
        for thread, target, *places, source in guarded(block, *call.arguments):
            _leave(block, thread, source, target, places, kind, scatters=scatters)

    return step


@assembly(r"cp\.async\.bulk\.commit_group;")
def _commit(call: Call) -> Step:
    def step(block: Block) -> None:
        for thread, groups in block.leaving.items():
            if block.mask[thread]:
                groups.append([])

    return step


@assembly(r"cp\.async\.bulk\.wait_group\.read (\d+);")
def _wait(call: Call) -> Step:
    pending = int(call.match[1])

    def step(block: Block) -> None:
        for thread, groups in block.leaving.items():
            if block.mask[thread]:
                done = max(0, len(groups) - 1 - pending)
                for group in groups[:done]:
                    for land in group:
                        land()
                del groups[:done]

    return step


@assembly(r"fence\.proxy\.async\.shared::(?:cta|cluster);")
def _fence(call: Call) -> Step:
    """Let the copy engine see what the threads of the mask wrote."""

    def step(block: Block) -> None:
        if block.shared.races is not None:
            block.shared.races.fence(block.mask)

    return step


@intrinsic(r"llvm\.nvvm\.elect\.sync")
def _elect(call: Call) -> Step:
    """Return the choice of one thread per warp."""

    def step(block: Block) -> None:
        require_every_lane(block.get(call.arguments[0]), "elect.sync")
        rows = block.mask.reshape(-1, min(block.lanes, block.threads))
        chosen = np.zeros(rows.shape, bool)
        chosen[np.arange(len(rows)), rows.argmax(axis=1)] = True
        lane = np.repeat(rows.argmax(axis=1), rows.shape[1]).astype(np.int32)
        block.set_members(call.result, (lane, chosen.reshape(-1) & block.mask))

    return step


@intrinsic(r"llvm\.nvvm\.bar\.warp\.sync")
def _warp_barrier(call: Call) -> Step:
    """Let a warp's threads arrive, which run in lock step."""

    def step(block: Block) -> None:
        require_every_lane(block.get(call.arguments[0]), "bar.warp.sync")
        require_whole_warps(block, "bar.warp.sync")
        races = block.shared.races
        for start in range(0, block.threads, block.lanes):
            warp = np.zeros(block.threads, bool)
            warp[start : start + block.lanes] = True
            if races is not None and (warp & block.mask).any():
                races.barrier(warp)

    return step
