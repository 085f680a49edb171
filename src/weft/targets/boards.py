"""What boards do at most, as their vendors say: rows, strictly read.

    board("NVIDIA H200")             # Board(name="H200 SXM", memory_gb_per_s=4800, …)
    board("MI300X").tera("f16")      # 1307.4: 1e12 operations a second, of dense products
    boards("cuda:90")                # those with the chip

The rows stand in boards/<chip>.toml, each with the page that it was checked against; one that no
page was found for is `assumed`. A chip is on several boards that differ in memory and clocks,
so a limit belongs to a board; its driver tells which it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from weft.errors import UnknownTargetError, WeftError, did_you_mean
from weft.targets.files import chips_in, tables_in
from weft.targets.registry import target
from weft.targets.rows import Tables, check_keys, parse, read_list, read_row, read_sources

__all__ = ["KINDS", "Board", "board", "boards", "known_boards", "read_boards"]

KINDS = ("f64", "f32", "tf32", "f16", "bf16", "f8", "f4", "i8")
"""Types of the operands of products; f32 is IEEE's, tf32 what is left of it for tensor cores."""


@dataclass(frozen=True, slots=True)
class Board:
    """A board.

    driver_names: what its driver calls it.  memory_gb_per_s: bandwidth of its memory, in 1e9 bytes.
    f64_giga …: 1e9 operations a second of dense products by the type of the operands, two for each
    multiplication and addition; 0 where there is no rate of its own.
    assumed: whether rates are from memory, which no page was found to confirm.
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
        """Return 1e12 operations a second for one of KINDS; None where there is no such rate."""
        giga: int = getattr(self, f"{kind}_giga")
        return giga / 1e3 if giga else None


def read_boards(text: str | Tables, file: str) -> tuple[Board, ...]:
    """Return what a file says.

    Raises: WeftError with the row and what is wrong in it.
    """
    data = check_keys(file, "table", parse(text, file), ("sources", "rows"))
    sources = read_sources(file, data["sources"])
    rows = check_keys(file, "list of rows", data["rows"], ("boards",))
    found = tuple(
        read_row(file, ("board", "name"), Board, row, sources)
        for row in read_list(f"{file}: boards", rows["boards"])
    )
    for row in found:
        if row.memory_gb_per_s <= 0 or not any(row.tera(kind) for kind in KINDS):
            raise WeftError(f"{file}: board {row.name} has no limits", found=row.memory_gb_per_s)
    return found


@cache
def _of_file(file: str) -> tuple[Board, ...]:
    return read_boards(tables_in("boards", file), f"{file}.toml")


def boards(chip: str) -> tuple[Board, ...]:
    """Return the boards with a chip, none where no data sheet is known.

    Raises: UnknownTargetError: no such chip.
    """
    found = target(chip)
    file = f"sm_{found.arch}" if found.backend == "cuda" else str(found.arch)
    return _of_file(file) if file in chips_in("boards") else ()


@cache
def known_boards() -> tuple[Board, ...]:
    """Return all boards."""
    return tuple(each for file in chips_in("boards") for each in _of_file(file))


def board(name: str) -> Board:
    """Return a board by its name, or by what its driver calls it.

    Raises: UnknownTargetError: none is called so; lists those that there are.
    """
    for each in known_boards():
        if name == each.name or name in each.driver_names:
            return each
    names = [each.name for each in known_boards()]
    raise UnknownTargetError(
        f"no board is known as {name}", found=name, accepted=names, hint=did_you_mean(name, names)
    )
