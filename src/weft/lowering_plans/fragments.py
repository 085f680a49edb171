"""Fragments: the registers of a thread that one matrix instruction takes, in order.

A register of an operand holds element (outer, k), of the result element (m, n), relative to the
thread's first element. By hand, a 32x64 result in tiles of 16x8, of which a thread holds 2 x 2
elements each:

    result registers    (0,0) (0,1) (8,0) (8,1) | (0,8) … | (16,0) …     tiles (0,0) (0,8) (16,0)
    operand A           rows (0, 8) of tile 0, (16, 24) of tile 16; per row the words along k

An instruction multiplies the words of one step along k. Which k that is does not matter, as long as
both operands have the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TypeVar

from xdsl.ir import Attribute

from weft.ir import types
from weft.layouts.cga import cta_tile_shape
from weft.lowering_plans.registers import layout_of, register_offsets

__all__ = ["accumulator_registers", "chunks", "operand_registers_by_k", "operand_registers"]

T = TypeVar("T")


@lru_cache(maxsize=4096)
def _coordinates(type_: Attribute, least: tuple[int, int]) -> tuple[tuple[int, ...], ...]:
    """List the coordinates of each register, in a CTA tile of at least the given size.

    Registers of a tensor smaller than an instruction's tile replicate its elements; in the larger
    tile they have distinct coordinates.
    """
    layout = layout_of(type_)
    own = cta_tile_shape(layout)
    padded = (*own[:-2], *map(max, own[-2:], least))
    if padded != own:
        encoding = types.encoding(type_)
        assert encoding is not None
        parts = zip(types.shape(type_), own, padded, strict=True)
        layout = encoding.linear(tuple(size // part * most for size, part, most in parts))
    offsets = [register_offsets(layout, dim) for dim in range(len(layout.out_dims))]
    return tuple(zip(*offsets, strict=True))


@lru_cache(maxsize=4096)
def operand_registers_by_k(
    type_: Attribute, outer: int, tile: int = 1
) -> dict[tuple[int, ...], dict[int, int]]:
    """Group the registers of an operand by row or column, and by k.

    Args:
        type_: Type of the operand.
        outer: Dimension that is not k, 0 or 1 of the last two.
        tile: Rows or columns of one instruction.

    Returns:
        (batch …, index along `outer`) → k, ascending → register.
    """
    coordinates = _coordinates(type_, (1, tile) if outer else (tile, 1))
    rank = len(coordinates[0])
    across, along = rank - 2 + outer, rank - 1 - outer
    rows: dict[tuple[int, ...], dict[int, int]] = {}
    for register, place in enumerate(coordinates):
        row = rows.setdefault((*place[: rank - 2], place[across]), {})
        row.setdefault(place[along], register)
    return {key: {k: row[k] for k in sorted(row)} for key, row in rows.items()}


@lru_cache(maxsize=4096)
def operand_registers(
    type_: Attribute, outer: int, tile: int = 1
) -> dict[tuple[int, ...], tuple[int, ...]]:
    """Group the registers of an operand by row or column, in the order of k.

    Args:
        type_: Type of the operand.
        outer: Dimension that is not k, 0 or 1 of the last two.
        tile: Rows or columns of one instruction.

    Returns:
        (batch …, index along `outer`) → registers.
    """
    places = operand_registers_by_k(type_, outer, tile)
    return {key: tuple(row.values()) for key, row in places.items()}


@lru_cache(maxsize=4096)
def accumulator_registers(
    type_: Attribute, tile: tuple[int, int]
) -> dict[tuple[int, ...], tuple[tuple[tuple[int, int], int], ...]]:
    """Group the registers of a result by tile.

    Args:
        type_: Type of the result.
        tile: Rows and columns of one instruction.

    Returns:
        (batch …, row, column of the tile) → ((row, column within the tile), register), in the order
        of the registers.
    """
    tiles: dict[tuple[int, ...], dict[tuple[int, int], int]] = {}
    for register, place in enumerate(_coordinates(type_, tile)):
        *batch, row, column = place
        within = row % tile[0], column % tile[1]
        key = (*batch, row - within[0], column - within[1])
        tiles.setdefault(key, {}).setdefault(within, register)
    return {key: tuple(registers.items()) for key, registers in tiles.items()}


def chunks(items: Sequence[T], size: int) -> list[Sequence[T]]:
    """Split a sequence into chunks of `size` items."""
    return [items[n : n + size] for n in range(0, len(items), size)]
