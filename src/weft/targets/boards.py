"""Read boards.toml: the peak rates of boards, as their vendors state them.

    board("NVIDIA H200")                 # Board(name="H200 SXM", memory_gb_per_s=4800, …)
    board("MI300X").tera("f16")    # 1307.4: 1e12 operations per second of dense dots
    boards("cuda:90")                    # all boards with that chip

One chip is sold on boards that differ in memory and clocks, so rates belong to a board; the driver
reports which one is installed. Each row names the page that it was checked against; a row without
such a page says `assumed = true`.
"""

from __future__ import annotations

from functools import cache

from msgspec import Struct

from weft.errors import UnknownTargetError, WeftError, did_you_mean
from weft.targets.loading import chip_file, chip_folder, folders_with, load_tables
from weft.targets.registry import target
from weft.targets.schema import Tables, check_keys, parse_toml, read_rows, read_sources

__all__ = ["KINDS", "Board", "board", "boards", "known_boards", "read_boards"]

KINDS = ("f64", "f32", "tf32", "f16", "bf16", "f8", "f4", "i8")
"""Operand types of dots; f32 is IEEE single precision, tf32 the format of tensor cores."""


class Board(Struct, frozen=True):
    """A board and its peak rates.

    A rate counts 1e9 operations per second of dense dots, a multiply-add as two; 0 where the board
    has no rate for the operand type.

    Attributes:
        name: Name of the product.
        driver_names: Names that its driver reports.
        memory_gb_per_s: Memory bandwidth in 1e9 bytes per second.
        source: Source of the row.
        f64_giga: Rate of f64 operands.
        f32_giga: Rate of f32 operands.
        tf32_giga: Rate of tf32 operands.
        f16_giga: Rate of f16 operands.
        bf16_giga: Rate of bf16 operands.
        f8_giga: Rate of 8-bit float operands.
        f4_giga: Rate of 4-bit float operands.
        i8_giga: Rate of i8 operands.
        assumed: Whether no page was found that confirms the rates.
    """

    name: str
    driver_names: tuple[str, ...]
    memory_gb_per_s: int
    source: str
    f64_giga: int = 0
    f32_giga: int = 0
    tf32_giga: int = 0
    f16_giga: int = 0
    bf16_giga: int = 0
    f8_giga: int = 0
    f4_giga: int = 0
    i8_giga: int = 0
    assumed: bool = False

    def tera(self, kind: str) -> float | None:
        """Compute the rate for an operand type in 1e12 operations per second, None if it has none.

        Args:
            kind: One of KINDS.
        """
        giga: int = getattr(self, f"{kind}_giga")
        return giga / 1e3 if giga else None


def read_boards(text: str | Tables, folder: str) -> tuple[Board, ...]:
    """Read the rows of a file.

    Args:
        text: TOML, or its tables.
        folder: The chip's folder, for messages.

    Raises:
        WeftError: A row is malformed; the message names it.
    """
    file = f"{folder}/boards.toml"
    tables = check_keys(file, "table", parse_toml(text, file), ("sources", "rows"))
    sources = read_sources(file, tables["sources"])
    lists = check_keys(file, "list", tables["rows"], ("boards",))
    rows = read_rows(file, "boards", ("board", "name"), Board, lists["boards"], sources)
    for row in rows:
        if row.memory_gb_per_s <= 0 or not any(row.tera(kind) for kind in KINDS):
            raise WeftError(f"{file}: board {row.name} has no rates", found=row.memory_gb_per_s)
    return rows


@cache
def _load_boards(folder: str) -> tuple[Board, ...]:
    return read_boards(load_tables("boards", folder), folder)


def boards(chip: str) -> tuple[Board, ...]:
    """List the boards with a chip; empty if none is listed.

    Raises:
        UnknownTargetError: There is no such chip.
    """
    folder = chip_folder(target(chip).name)
    return _load_boards(folder) if chip_file("boards", folder).is_file() else ()


@cache
def known_boards() -> tuple[Board, ...]:
    """List all boards."""
    return tuple(each for folder in folders_with("boards") for each in _load_boards(folder))


def board(name: str) -> Board:
    """Look up a board by its name or by a name that its driver reports.

    Raises:
        UnknownTargetError: No such board; lists the known ones.
    """
    for each in known_boards():
        if name == each.name or name in each.driver_names:
            return each
    names = [each.name for each in known_boards()]
    raise UnknownTargetError(
        f"unknown board {name}", found=name, accepted=names, hint=did_you_mean(name, names)
    )
