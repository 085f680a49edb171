"""Conversions through shared memory: store, wait, load; between blocks, load from another's.

Every pair of instructions that fits is placed in memory and counted, and the best is taken: fewest
passes over the banks, conflicts and all, then fewest instructions, then least memory, then plain
ones. Registers that both sides hold at the top of the offset go one after another through the
same memory:

    for each repetition:    store its registers      barrier
                            load its registers       barrier, if there is another repetition
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from weft.errors import LayoutError
from weft.layouts.instruction_tiles import Tile
from weft.layouts.linear import LinearLayout
from weft.layouts.phases import SharedMemory
from weft.layouts.plans import machine
from weft.layouts.plans.accesses import MATRICES, Access, fitted
from weft.layouts.plans.candidates import Candidate, candidates
from weft.layouts.plans.cost import Cost
from weft.layouts.plans.sides import Side, both_sides
from weft.layouts.plans.spans import Span, completed
from weft.layouts.plans.swizzle import Reach, placement

if TYPE_CHECKING:
    import numpy as np

__all__ = ["SharedPlan", "shared_plan"]


@dataclasses.dataclass(frozen=True, slots=True)
class SharedPlan:
    """Write all of the source to shared memory, wait, and read it as the target.

    Fields: source, target: the layouts.  element_bits: of an element in memory.
    memory: of the chip.  layout: offset -> element; the highest bits are the repetitions.
    write, read: how each side does it.
    """

    source: LinearLayout
    target: LinearLayout
    element_bits: int
    memory: SharedMemory
    layout: LinearLayout
    write: Access
    read: Access

    @property
    def kind(self) -> str:
        """Return "shared", or "cluster" where blocks read what others wrote."""
        return "shared" if self.read.side.stays else "cluster"

    @property
    def repetitions(self) -> int:
        """Return how often the memory is used anew."""
        return 1 << self.read.repetitions

    @property
    def cost(self) -> Cost:
        """Return instructions of a warp, and passes of all warps of a block."""
        wrote, write_ideal = self.write.passes(self.element_bits, self.memory)
        found, read_ideal = self.read.passes(self.element_bits, self.memory)
        stores, loads = (side.count * side.warps for side in (self.write, self.read))
        return Cost(
            stores=self.write.count,
            loads=self.read.count,
            store_bits=self.write.tile.bits,
            load_bits=self.read.tile.bits,
            barriers=2 * self.repetitions - 1,
            shared_bytes=self.layout.in_size("offset") * self.element_bits // 8 // self.repetitions,
            write_passes=wrote * stores,
            read_passes=found * loads,
            write_conflicts=(wrote - write_ideal) * stores,
            read_conflicts=(found - read_ideal) * loads,
        )

    def execute(self, values: np.ndarray) -> np.ndarray:
        """Return the target's values, [register, lane, warp, block], from the source's."""
        import numpy as np

        blocks = values.shape[-1]
        size = self.layout.in_size("offset") // self.repetitions
        memory = np.zeros((size, blocks), values.dtype)
        out = np.zeros((self.target.in_size("register"), *values.shape[1:]), values.dtype)
        to, into = (np.broadcast_arrays(a.addresses(), a.homes()) for a in (self.write, self.read))
        stored, loaded = self.write.numbers(), self.read.numbers()
        for repetition in range(self.repetitions):
            for registers, address, home in zip(stored[repetition], *to, strict=True):
                _store(self.write, memory, address, home, values[registers])
            for registers, address, home in zip(loaded[repetition], *into, strict=True):
                out[registers] = _load(self.read, memory, address, home)
        return out


def _store(
    access: Access, memory: np.ndarray, address: np.ndarray, home: np.ndarray, values: np.ndarray
) -> None:
    import numpy as np

    lanes, warps = np.arange(values.shape[1]), np.arange(values.shape[2])
    busy = ((lanes & access.idle_lanes) == 0)[:, None] & ((warps & access.idle_warps) == 0)
    if access.tile.grows:
        trans = access.tile.name.endswith("trans")
        awake = np.broadcast_to((warps & access.idle_warps) == 0, busy.shape)
        machine.store_matrices(memory, address, home, values, awake[..., None], trans)
    else:
        machine.store(memory, address, home, values, busy[..., None])


def _load(access: Access, memory: np.ndarray, address: np.ndarray, home: np.ndarray) -> np.ndarray:
    row = 1 << len(access.tile.offset)
    if access.tile.grows:
        return machine.load_matrices(memory, address, home, row, access.tile.name.endswith("trans"))
    if access.tile.is_plain:
        return machine.load(memory, address, home, row)
    return machine.load_transposed(memory, address, home, row, access.tile.name)


def shared_plan(
    source: LinearLayout, target: LinearLayout, element_bits: int, memory: SharedMemory
) -> SharedPlan:
    """Return the best round trip; both layouts without registers that repeat.

    Args: element_bits: in memory, a power of two up to 128; less than 8 can be placed, but not
    moved one by one.
    Raises: LayoutError for other lanes than the chip's.
    """
    if source.in_size("lane") != memory.lanes:
        raise LayoutError(
            f"a warp of {memory.name} has {memory.lanes} lanes", found=source.in_size("lane")
        )
    sides = both_sides(source, target)
    idle = _idle(source)
    best: tuple[tuple[int, ...], SharedPlan] | None = None
    plain: int | None = None
    for candidate in candidates(*sides, element_bits, memory):
        if plain is not None and candidate.shared < plain:
            break
        if best is not None and best[0] < _least_price(*sides, candidate, memory, idle):
            continue
        for columns, write, read in _placed(*sides, candidate, element_bits, memory, idle):
            layout = LinearLayout((("offset", columns),), source.outs)
            plan = SharedPlan(source, target, element_bits, memory, layout, write, read)
            price = _price(plan)
            if best is None or price < best[0]:
                best = price, plan
            if write.tile.is_plain and read.tile.is_plain:
                plain = candidate.shared
    assert best is not None
    return best[1]


def _price(plan: SharedPlan) -> tuple[int, ...]:
    cost = plan.cost
    passes = cost.write_passes + cost.read_passes
    special = sum(not access.tile.is_plain for access in (plan.write, plan.read))
    return (passes, cost.stores + cost.loads, cost.shared_bytes, special)


def _least_price(
    write: Side, read: Side, candidate: Candidate, memory: SharedMemory, idle: tuple[int, int]
) -> tuple[int, ...]:
    """Return passes and instructions that a candidate has at least, with no conflict."""
    passes = instructions = 0
    for side, tile in ((write, candidate.write), (read, candidate.read)):
        idle_lanes, idle_warps = idle if side.kind == "write" else (0, 0)
        masked = idle_lanes if tile.is_plain else 0
        lanes = {lane for lane in range(1 << len(tile.address)) if not lane & masked}
        phases = sum(not lanes.isdisjoint(p) for p in memory.phases(tile.bits, side.kind))
        rest = max(0, len(side.registers) - tile.registers)
        warps = len(side.warps) - idle_warps.bit_count()
        passes += phases << (rest + warps)
        instructions += 1 << max(0, rest - MATRICES if tile.grows else rest)
    return passes, instructions


def _idle(source: LinearLayout) -> tuple[int, int]:
    """Return the masks of lanes and warps that hold only what others hold."""
    inner = source.sublayout(["register", "lane", "warp"], list(source.starts))
    masks = inner.free_variable_masks()
    return masks["lane"], masks["warp"]


def _placed(
    write: Side,
    read: Side,
    candidate: Candidate,
    element_bits: int,
    memory: SharedMemory,
    idle: tuple[int, int],
) -> Iterator[tuple[tuple[int, ...], Access, Access]]:
    """Yield a candidate's places in memory, with as many repetitions as there can be.

    A repetition must leave enough registers to move four matrices at once. Two instructions of
    matrices therefore keep two bits of registers that could be repetitions, as Triton does; with
    one of them, both ways are tried.
    """
    tiles = candidate.write, candidate.read
    sides = write, read
    common = [v for v in write.vectors if v in read.vectors and v not in candidate.vector]
    common = common if read.stays else []
    chosen = []
    for side, tile in zip(sides, tiles, strict=True):
        registers = _registers(side, tile, candidate.vector, common)
        if registers is None:
            return
        chosen.append(registers)
    used = {v for registers in chosen for v in registers}
    held = (*write.lanes, *write.warps, *write.registers)
    word = max(0, (memory.bank_bytes * 8 // element_bits).bit_length() - 1)
    low = list(candidate.vector)
    low += completed(Span(low), held, max(0, word - len(low)))
    reaches = [
        _reach(side, tile, registers, low, word, element_bits, memory)
        for side, tile, registers in zip(sides, tiles, chosen, strict=True)
    ]
    apart = [v for v in common if v not in used]
    columns = placement(low, reaches, held, apart)
    most = 0
    while most < len(columns) - len(low) and columns[-1 - most] in apart:
        most += 1
    kept = 0
    if all(tile.grows for tile in tiles):
        most = max(0, most - MATRICES)
    elif any(tile.grows for tile in tiles):
        kept = MATRICES
    bits = max(columns, default=0).bit_length()
    for repetitions in reversed(range(most + 1)):
        first = fitted(write, tiles[0], columns, chosen[0], repetitions, idle, bits)
        second = fitted(read, tiles[1], columns, chosen[1], repetitions, (0, 0), bits)
        if first is not None and second is not None:
            yield columns, first, second
            kept -= 1
            if kept < 0:
                return


def _registers(
    side: Side, tile: Tile, vector: Sequence[int], common: Sequence[int]
) -> list[int] | None:
    """Return the vectors of an instruction's registers, None where there are too few."""
    found = [vector[place] for place, slot in enumerate(tile.offset) if slot[0] == "r"]
    free = [v for v in side.vectors if v not in vector]
    free.sort(key=lambda v: v in common)
    more = tile.registers - len(found)
    return None if len(free) < more else found + free[:more]


def _reach(
    side: Side,
    tile: Tile,
    registers: Sequence[int],
    low: Sequence[int],
    word: int,
    element_bits: int,
    memory: SharedMemory,
) -> Reach:
    """Return what one phase of an instruction reaches: its lanes, its rows, whole words."""
    row = memory.phase(tile.bits, side.kind)
    images = [
        side.lanes[int(slot[1:])] if slot[0] == "l" else registers[int(slot[1:])]
        for slot in tile.address
    ]
    lanes = []
    for mask in row.masks:
        reached = 0
        for bit, image in enumerate(images):
            reached ^= image if mask >> bit & 1 else 0
        lanes.append(reached)
    period = (row.banks * memory.bank_bytes * 8 // element_bits).bit_length() - 1
    return Reach((*low[: max(word, len(tile.offset))], *lanes), period)
