"""The shared memory that Triton takes to convert a layout: one tile, used once per repetition.

Registers that are common to the layouts before and after a conversion pass through the same memory
one after another, unless one access moves them together. By hand, for 128x64 of f32 in 128 threads,
whose registers are rows 1, 2 … 32 and columns 1, 2 before, and rows 8, 16, 32 and columns 1, 2
after:

    columns 1, 2      one access of 128 bits moves them together
    rows 8, 16, 32    common to both layouts. Two of them complete the segment of the swizzle with
                      other vectors; those that are alone in it are repetitions

The tensor is the product of vector, bank, segment and repetitions; the memory holds the first
three. weft's own conversions (`weft.layouts.plans`) measure more placements, and may take less
memory; these sizes are for what has to agree with Triton's allocation.
Source: Triton, GenericSwizzling.cpp (optimalSwizzling, optimalSwizzlingLdSt).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from msgspec import Struct

from weft.layouts.column_action import remove_broadcast
from weft.layouts.linear_layout import LinearLayout

__all__ = ["MATRIX_ACCESSES", "AccessTile", "exchange_elements"]

_BANK_LINE_BITS = 32 * 32  # of 32 banks
_WORD_BITS = 32
_WIDEST_BITS = 128
_ADDRESSES = 3  # bits of the lane that give the address in one phase of the widest access


class AccessTile(Struct, frozen=True):
    """An instruction that moves 128 bits of a row.

    Attributes:
        row: The bits of the lane that are neighbours in a row, above its registers.
        address: The bits of the lane that choose the row.
        widths: The element widths in bits that the instruction moves.
    """

    row: tuple[int, ...]
    address: tuple[int, ...]
    widths: tuple[int, ...]


_PLAIN = AccessTile((), (0, 1, 2), (8, 16, 32, 64, 128))
MATRIX_ACCESSES = (
    AccessTile((0, 1), (2, 3, 4), (8, 16, 32)),
    AccessTile((2, 3, 4), (0, 1), (16,)),
)
"""ldmatrix and stmatrix, and their transposed forms."""


class _Side(Struct, frozen=True):
    """The basis vectors of a layout, as flat numbers."""

    registers: tuple[int, ...]
    lanes: tuple[int, ...]
    warps: tuple[int, ...]


@lru_cache(maxsize=4096)
def exchange_elements(
    source: LinearLayout,
    target: LinearLayout,
    element_bits: int,
    stores: tuple[AccessTile, ...] | None = None,
    loads: tuple[AccessTile, ...] | None = None,
) -> int:
    """Count the elements in shared memory during one repetition of a conversion.

    Args:
        source: The layout before.
        target: The layout after, with the same out-dimensions.
        element_bits: The bits of an element.
        stores: Instructions of the chip besides plain stores; None for the generic choice, which
            does not compare instructions.
        loads: Instructions of the chip besides plain loads; None likewise.
    """
    dim = sum(size.bit_length() - 1 for size in source.out_dims.values())
    sides = _side(source), _side(target)
    if stores is None or loads is None:
        repetitions = _plain_repetitions(*sides, dim, element_bits)
    else:
        repetitions = _best_repetitions(*sides, dim, element_bits, stores, loads)
    return 1 << (dim - repetitions)


def _side(layout: LinearLayout) -> _Side:
    distinct = remove_broadcast(layout).apply(layout)
    names = ("register", "lane", "warp")
    return _Side(*(distinct.images(name) if name in distinct.in_dims else () for name in names))


# --------------------------------------------------------------------------------- plain accesses


def _plain_repetitions(source: _Side, target: _Side, dim: int, bits: int) -> int:
    """Count the bits of the repetition with plain stores and loads."""
    vector = _intersection(source.registers, target.registers, dim)
    vector = vector[: _log2(_WIDEST_BITS // bits)]
    if (bits << len(vector)) < _WORD_BITS:
        vector = _fill_word(vector, source, target, dim, _log2(_WORD_BITS // bits))
    words = _log2(max(1, (bits << len(vector)) // _WORD_BITS))
    tiles = [side.lanes[: len(side.lanes) - words] for side in (source, target)]
    segment = _segment(vector, tiles[0], tiles[1], dim, bits)
    return len(_repetitions(segment, source, target, 0))


def _fill_word(
    common: Sequence[int], source: _Side, target: _Side, dim: int, length: int
) -> list[int]:
    """Extend the vector to a word of 32 bits: by registers of one side, then by warps."""
    vector = list(common)
    source_warps, target_warps = (
        [warp for warp in side.warps if warp] for side in (source, target)
    )

    def registers_and(side: _Side, warps: Sequence[int]) -> list[int]:
        others = [register for register in side.registers if register not in common]
        return _intersection(others, warps, dim)

    of_source = registers_and(source, target_warps)
    of_target = registers_and(target, source_warps)
    if len(of_source) == len(of_target) and of_source:
        vector += of_source if min(of_source) < min(of_target) else of_target
    else:
        vector += max(of_target, of_source, key=len)
    if len(vector) < length:
        vector += _intersection(source_warps, target_warps, dim)
    for index in range(max(len(source_warps), len(target_warps))):
        for warps in (source_warps, target_warps):
            if len(vector) < length and index < len(warps) and warps[index] not in vector:
                vector.append(warps[index])
    return vector[:length]


# ---------------------------------------------------------------------- a choice of instructions


def _best_repetitions(
    source: _Side,
    target: _Side,
    dim: int,
    bits: int,
    stores: Iterable[AccessTile],
    loads: Iterable[AccessTile],
) -> int:
    """Count the bits of the repetition with the instructions of the fewest bank conflicts."""
    best: tuple[int, int] | None = None
    total = _log2(_WIDEST_BITS // bits)
    for store in (_PLAIN, *(tile for tile in stores if bits in tile.widths)):
        for load in (_PLAIN, *(tile for tile in loads if bits in tile.widths)):
            vector = _common_vector(source, target, store, load, dim, total)
            if vector is None:
                continue
            tiles = _phase(store, source, vector), _phase(load, target, vector)
            if tiles[0] is None or tiles[1] is None:
                continue
            segment = _segment(vector, tiles[0], tiles[1], dim, bits)
            extra = min(len(tile.row) + len(tile.address) - _ADDRESSES for tile in (store, load))
            repetitions = _repetitions(segment, source, target, extra)
            single = [basis for basis in segment if basis not in repetitions]
            conflicts = sum(
                (1 << len(_intersection(single, tile, dim))) - 1 for tile in tiles if tile
            )
            price = conflicts, -len(repetitions)
            if best is None or price < best:
                best = price
    return -best[1] if best is not None else _plain_repetitions(source, target, dim, bits)


def _common_vector(
    source: _Side, target: _Side, store: AccessTile, load: AccessTile, dim: int, total: int
) -> list[int] | None:
    """Find the vectors that a store and a load both move as a row; None if they do not agree."""
    sides = [(source, store, total - len(store.row)), (target, load, total - len(load.row))]
    # The side with more registers in the row first: its registers meet lanes of the other.
    (wide, wide_tile, wide_count), (narrow, narrow_tile, count) = sorted(
        sides, key=lambda side: -side[2]
    )
    vector = _intersection(wide.registers, narrow.registers, dim)
    if len(vector) < count:
        return None
    lanes = [narrow.lanes[bit] for bit in narrow_tile.row]
    if 0 in lanes or any(not wide.lanes[bit] for bit in wide_tile.row):
        return None
    meets_registers = wide_count - count
    if any(lane not in wide.registers for lane in lanes[:meets_registers]):
        return None
    rest = lanes[len(lanes) - len(wide_tile.row) :] if wide_tile.row else []
    if any(lane != wide.lanes[bit] for lane, bit in zip(rest, wide_tile.row, strict=True)):
        return None
    return [*vector[:count], *lanes]


def _phase(tile: AccessTile, side: _Side, vector: Sequence[int]) -> list[int] | None:
    """List what distinguishes the rows of one phase; None if there are not enough registers."""
    count = _ADDRESSES - len(tile.address)
    registers = [register for register in side.registers if register not in vector][:count]
    if len(registers) < count:
        return None
    return [*registers, *(side.lanes[bit] for bit in tile.address)]


# ------------------------------------------------------------------------------------ the swizzle


def _segment(
    vector: Sequence[int], store: Sequence[int], load: Sequence[int], dim: int, bits: int
) -> list[int]:
    """Choose the vectors of the segment, which all lie in the same bank.

    Those that neither side reaches in a phase come first, then sums of one vector of each side,
    then vectors of both sides, which conflict.
    """
    line = _log2(_BANK_LINE_BITS // (bits << len(vector)))
    length = dim - min(line, dim - len(vector)) - len(vector)
    stored, loaded = ({*vector, *tile} - {0} for tile in (store, load))
    segment = [1 << bit for bit in range(dim) if 1 << bit not in stored | loaded]
    if len(segment) >= length:
        return segment[:length]
    first, second = sorted(stored - loaded), sorted(loaded - stored)
    if len(first) > len(second):
        first, second = second, first
    conflicts = min(max(0, length - len(first) - len(segment)), len(first))
    segment += [first[i] ^ second[i] for i in range(conflicts, len(first))]
    segment += [*first[:conflicts], *second[:conflicts]]
    return segment[:length]


def _repetitions(segment: Sequence[int], source: _Side, target: _Side, extra: int) -> list[int]:
    """List the vectors of the segment that are registers of both sides, without the first few.

    Args:
        segment: The vectors of the segment.
        source: The side that stores.
        target: The side that loads.
        extra: The number of vectors that one instruction moves in addition to its row.
    """
    common = [v for v in segment if v in source.registers and v in target.registers]
    return common[extra:]


def _intersection(first: Sequence[int], second: Sequence[int], dim: int) -> list[int]:
    """Compute a basis of what two families of vectors both span, in the order of the first."""
    if all(v.bit_count() == 1 for v in (*first, *second)):
        return [v for v in first if v in second]
    return _null_space([*_null_space(first, dim), *_null_space(second, dim)], dim)


def _null_space(vectors: Sequence[int], dim: int) -> list[int]:
    """Compute a basis of the vectors that are orthogonal to all of a family."""
    rows: dict[int, int] = {}  # reduced, by their lowest bit
    for vector in vectors:
        for pivot, row in rows.items():
            if vector >> pivot & 1:
                vector ^= row
        if not vector:
            continue
        pivot = (vector & -vector).bit_length() - 1
        for other, row in rows.items():
            if row >> pivot & 1:
                rows[other] = row ^ vector
        rows[pivot] = vector
    return [
        sum((1 << pivot for pivot, row in rows.items() if row >> free & 1), 1 << free)
        for free in range(dim)
        if free not in rows
    ]


def _log2(value: int) -> int:
    return value.bit_length() - 1
