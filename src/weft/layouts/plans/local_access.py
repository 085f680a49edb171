"""Plan local_load and local_store: an access to shared memory whose layout is given.

The layout gives the offset of each register, lane and warp; what remains is the choice of the
instruction. For a 16-bit tile in swizzled memory that is loaded as an operand of mma on a chip with
ldmatrix, the basis of register=1 decides:

    register=1 steps by 1 element, lane=1 by 2, lane=2 by 4     ldmatrix x4
    register=1 steps by a row                                   load b16

Of the instructions that fit, the one with the fewest instructions is taken, then the one with the
fewest passes over the banks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
_UNLIMITED = 1 << 30


@lru_cache(maxsize=4096)
def local_access(
    tensor: LinearLayout,
    shared: LinearLayout,
    element_bits: int,
    memory: SharedMemory,
    kind: str,
    longest_run: int = _UNLIMITED,
    plain: bool = False,
) -> SharedAccess:
    """Plan how a tensor is written to, or read from, shared memory.

    Args:
        tensor: a layout from register, lane, warp and block. Registers that broadcast are left
            out, so the access is that of `remove_broadcast`.
        shared: a layout from offset and block to the same dimensions, or to larger ones that
            hold the tensor.
        element_bits: the bits of an element in memory, from 8 to 128; or 4 if an instruction
            transposes such elements.
        memory: the shared memory of the chip.
        kind: "read" or "write".
        longest_run: elements in a row that stay together, and aligned, if the memory is padded.
        plain: whether to allow only instructions with which each lane moves its own row.

    Raises:
        LayoutError: the memory does not hold the tensor, or a CTA's memory not the part of the
            CTA; the number of lanes is not the chip's; or no instruction fits.
    """
    if tensor.in_size("lane") != memory.lanes:
        raise LayoutError(
            f"a warp of {memory.name} has {memory.lanes} lanes", found=tensor.in_size("lane")
        )
    distinct = remove_broadcast(tensor).apply(tensor)
    bases = _thread_bases(distinct, shared, kind)
    # Each bit of a thread adds a vector of the tensor; solving gives the offset that holds it.
    columns = shared.images("offset")
    offsets = gf2.solve(columns, [*bases.within_cta, *bases.blocks])
    if offsets is None:
        raise LayoutError("shared memory does not hold the tensor", found=str(shared))
    accesses: list[SharedAccess] = []
    for tile in _instruction_tiles(element_bits, memory, kind, longest_run):
        if plain and not tile.is_plain:
            continue
        registers = _tile_registers(tile, offsets, bases.registers)
        if registers is None:
            continue
        access = fit_access(bases, tile, columns, registers, 0, (0, 0))
        if access is not None:
            accesses.append(access)
    if not accesses:
        raise LayoutError(
            "no instruction moves the tensor in such parts", found=f"{element_bits} bits"
        )
    return min(accesses, key=lambda access: (access.count, access.passes(element_bits, memory)[0]))


def _thread_bases(tensor: LinearLayout, shared: LinearLayout, kind: str) -> ThreadBases:
    """Return the bases of the tensor's threads, packed as the memory's elements.

    Raises:
        LayoutError: the tensor is larger, or a CTA's part of it is not in its own memory.
    """
    if any(size > shared.out_dims.get(dim, 0) for dim, size in tensor.outs):
        raise LayoutError(
            "shared memory does not hold the tensor",
            found=tensor.out_dims,
            accepted=[f"at most {shared.out_dims}"],
        )
    names = ("register", "lane", "warp", "block")
    registers, lanes, warps, blocks = (_packed_as(tensor, shared, name) for name in names)
    memory_blocks = shared.images("block")
    # A CTA may read any part that its own memory holds, but has to write exactly that part.
    if len(blocks) != len(memory_blocks) or (kind == "write" and blocks != memory_blocks):
        raise LayoutError(
            "each CTA must hold the part that its own shared memory holds",
            found=[tensor.unpack(image) for image in tensor.images("block")],
            accepted=[shared.unpack(image) for image in memory_blocks],
        )
    within = tuple(a ^ b for a, b in zip(blocks, memory_blocks, strict=True))
    ctas = (0,) * (len(registers) + len(lanes) + len(warps))
    ctas += tuple(1 << bit for bit in range(len(blocks)))
    return ThreadBases(kind, registers, lanes, warps, within, ctas)


def _packed_as(tensor: LinearLayout, shared: LinearLayout, in_dim: str) -> tuple[int, ...]:
    """Return the bases of an in-dimension of a tensor, packed as those of the memory."""
    shifts = [shared.out_shifts[dim] for dim, _ in tensor.outs]
    return tuple(
        sum(entry << shift for shift, entry in zip(shifts, tensor.unpack(image), strict=True))
        for image in tensor.images(in_dim)
    )


def _instruction_tiles(
    element_bits: int, memory: SharedMemory, kind: str, longest_run: int
) -> Iterator[InstructionTile]:
    """Yield the instructions for elements of this width, the wider plain ones first.

    Raises:
        LayoutError: there is none.
    """
    tiles = [
        tile
        for name in memory.instructions
        for tile in TILES[name]
        if tile.kind == kind and element_bits in tile.element_bits
    ]
    if element_bits not in _ELEMENT_BITS and not tiles:
        raise LayoutError(
            "no instruction moves such elements",
            found=f"{element_bits} bits",
            accepted=[f"{bits} bits" for bits in _ELEMENT_BITS],
        )
    yield from (tile for tile in tiles if 1 << len(tile.offset) <= longest_run)
    if element_bits not in _ELEMENT_BITS:
        return  # no lane can address a part of a byte
    count = min(_WIDEST_BITS // element_bits, longest_run)
    while count:
        yield vector(kind, element_bits, count, memory.lanes)
        count //= 2


def _tile_registers(
    tile: InstructionTile, offsets: Sequence[int], registers: tuple[int, ...]
) -> tuple[int, ...] | None:
    """Return the vectors of the registers of one instruction, None if there are not enough.

    Args:
        tile: the instruction.
        offsets: what each register bit adds to the offset, before that of other bits.
        registers: the vector of each register bit.
    """
    chosen: list[int] = []
    for number in range(tile.registers):
        name = f"r{number}"
        if name in tile.offset:  # it must be this bit of the offset
            step = 1 << tile.offset.index(name)
            candidates = [v for v, o in zip(registers, offsets, strict=False) if o == step]
        else:
            candidates = [v for v in registers if v not in chosen]
        if not candidates or candidates[0] in chosen:
            return None
        chosen.append(candidates[0])
    return tuple(chosen)
