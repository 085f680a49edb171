"""How a tensor is written to, or read from, shared memory whose layout is given.

The offset of each register, lane and warp follows; what is left to choose is the instruction. Of a
16-bit tile in swizzled memory, read as an operand of mma on a chip with ldmatrix,

    lanes 0, 1 step by 2 and 4 elements, register 0 by 1      ldmatrix x4: 16 bytes of a row a lane
    register 0 steps by a row                                 load b16

the one that takes fewest instructions is taken, of equals the one of fewest passes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from weft.errors import LayoutError
from weft.layouts import gf2
from weft.layouts.column_action import remove_broadcast
from weft.layouts.instruction_tiles import TILES, InstructionTile, vector
from weft.layouts.linear_layout import LinearLayout
from weft.layouts.plans.shared_access import SharedAccess, fit_access
from weft.layouts.plans.thread_bases import ThreadBases
from weft.layouts.shared_memory import SharedMemory

__all__ = ["local_access"]

_WIDEST_BITS = 128
_ELEMENT_BITS = (8, 16, 32, 64, 128)


@lru_cache(maxsize=4096)
def local_access(
    tensor: LinearLayout,
    shared: LinearLayout,
    element_bits: int,
    memory: SharedMemory,
    kind: str,
    narrowest_run: int = 1 << 30,
    plain: bool = False,
) -> SharedAccess:
    """Return how a tensor is written or read.

    Args: tensor: from register, lane, warp and block; registers that repeat are left out, so the
          access is for those of `remove_broadcast`.  shared: from offset and block to the same
          dimensions, or larger ones that this is a part of.
    element_bits: of an element in memory, from 8 to 128, or 4 where an instruction transposes
    those.  kind: "read" or "write".
    narrowest_run: elements in a row that stay together, and aligned, where memory has gaps.
    plain: whether only instructions will do with which each lane moves a run of its own.
    Raises: LayoutError: the memory does not hold the tensor, or a block's not what the block has;
            the lanes are not the chip's; no instruction moves such elements, or in such parts.
    """
    if tensor.in_size("lane") != memory.lanes:
        raise LayoutError(
            f"a warp of {memory.name} has {memory.lanes} lanes", found=tensor.in_size("lane")
        )
    few = remove_broadcast(tensor).apply(tensor)
    side = _side(few, shared, kind)
    columns = shared.images("offset")
    offsets = gf2.solve(columns, [*side.held, *side.blocks])
    if offsets is None:
        raise LayoutError("shared memory does not hold the tensor", found=str(shared))
    registers = side.registers
    found: list[tuple[tuple[int, int], SharedAccess]] = []
    for tile in _tiles(element_bits, memory, kind, narrowest_run):
        if plain and not tile.is_plain:
            continue
        chosen = _registers(tile, offsets[: len(registers)], registers)
        if chosen is None:
            continue
        access = fit_access(side, tile, columns, chosen, 0, (0, 0), shared.out_bits)
        if access is not None:
            found.append(((access.count, access.passes(element_bits, memory)[0]), access))
    if not found:
        raise LayoutError(
            "no instruction moves the tensor in such parts", found=f"{element_bits} bits"
        )
    return min(found, key=lambda pair: pair[0])[1]


def _side(tensor: LinearLayout, shared: LinearLayout, kind: str) -> ThreadBases:
    """Return what the tensor's registers, lanes and warps hold, packed as the memory's elements.

    Raises: LayoutError: the tensor is larger, or a block holds another part than its memory.
    """
    if any(size > shared.out_dims.get(dim, 0) for dim, size in tensor.outs):
        raise LayoutError(
            "shared memory does not hold the tensor",
            found=tensor.out_dims,
            accepted=[f"at most {shared.out_dims}"],
        )
    names = ("register", "lane", "warp", "block")
    registers, lanes, warps, blocks = (_repacked(tensor, shared, name) for name in names)
    own = shared.images("block")
    # A block reads wherever its own memory holds what it wants, but must write all that is there.
    if len(blocks) != len(own) or (kind == "write" and blocks != own):
        raise LayoutError(
            "each block must hold what its own shared memory does",
            found=[tensor.unpack(image) for image in tensor.images("block")],
            accepted=[shared.unpack(image) for image in own],
        )
    within = tuple(a ^ b for a, b in zip(blocks, own, strict=True))
    homes = (0,) * (len(registers) + len(lanes) + len(warps))
    homes += tuple(1 << bit for bit in range(len(blocks)))
    return ThreadBases(kind, registers, lanes, warps, within, homes)


def _repacked(tensor: LinearLayout, shared: LinearLayout, name: str) -> tuple[int, ...]:
    """Return the images of an in-dimension, packed as the memory's."""
    order = list(tensor.out_dims)
    return tuple(
        sum(
            part << shared.out_shifts[dim]
            for dim, part in zip(order, tensor.unpack(image), strict=True)
        )
        for image in tensor.images(name)
    )


def _tiles(
    element_bits: int, memory: SharedMemory, kind: str, most: int
) -> Iterator[InstructionTile]:
    """Yield the instructions that move elements of so many bits, `most` in a row, wide ones first.

    Raises: LayoutError: no instruction does.
    """
    fitting = [
        tile
        for name in memory.instructions
        for tile in TILES[name]
        if tile.kind == kind and element_bits in tile.element_bits
    ]
    if element_bits not in _ELEMENT_BITS and not fitting:
        raise LayoutError(
            "no instruction moves such elements",
            found=f"{element_bits} bits",
            accepted=[f"{bits} bits" for bits in _ELEMENT_BITS],
        )
    yield from (tile for tile in fitting if 1 << len(tile.offset) <= most)
    if element_bits not in _ELEMENT_BITS:
        return  # no lane can address a part of a byte
    count = min(_WIDEST_BITS // element_bits, most)
    while count:
        yield vector(kind, element_bits, count, memory.lanes)
        count //= 2


def _registers(
    tile: InstructionTile, offsets: tuple[int, ...] | list[int], registers: tuple[int, ...]
) -> tuple[int, ...] | None:
    """Return the vectors of the registers of one instruction, None where there are not enough."""
    chosen: list[int] = []
    for number in range(tile.registers):
        slot = f"r{number}"
        if slot in tile.offset:
            wanted = 1 << tile.offset.index(slot)
            place = next((n for n, offset in enumerate(offsets) if offset == wanted), None)
        else:
            place = next((n for n in range(len(registers)) if registers[n] not in chosen), None)
        if place is None or registers[place] in chosen:
            return None
        chosen.append(registers[place])
    return tuple(chosen)
