"""Read a chip's shared memory: its banks, phases and instructions, a source for every row.

    [shared_memory]
    bank_bytes = { value = 4, source = "amd" }
    instructions = { value = ["ds_read_b64_tr_b16"], source = "llvm" }
    lane_swaps = { value = [16, 32], source = "llvm" }

    [shared_memory.reads]
    b128 = { masks = [1, 2, 12, 20], banks = 64, source = "measured" }
    [shared_memory.writes]
    b128 = { masks = [1, 2, 4], banks = 32, source = "neighbours", assumed = true }

`masks` span the lanes of the first phase. A row that nobody measured or documented for this very
chip says `assumed = true`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from weft.errors import WeftError
from weft.layouts.instruction_tiles import TILES
from weft.layouts.phases import Phase, SharedMemory

__all__ = ["WIDTHS", "read_shared_memory"]

WIDTHS = (8, 16, 32, 64, 96, 128)
_ROWS = ("bank_bytes", "instructions", "lane_swaps")


def read_shared_memory(
    file: str, table: Mapping[str, Any], sources: Mapping[str, str], name: str, lanes: int
) -> SharedMemory:
    """Return the shared memory that a table describes.

    Args: file: its name, for messages.  table: as above.  sources: of the file.
    name: of the chip.  lanes: of a warp.
    Raises: WeftError with the row and what stands there.
    """
    keys = {*_ROWS, "reads", "writes"}
    if set(table) != keys:
        raise WeftError(
            f"{file}: shared_memory must have the rows of {', '.join(sorted(keys))}",
            found=sorted(table),
        )
    values = {key: _row(file, key, table[key], ("value",), sources)["value"] for key in _ROWS}
    unknown = sorted(set(values["instructions"]) - set(TILES))
    if unknown:
        raise WeftError(f"{file}: unknown instruction {unknown[0]}", accepted=TILES)
    return SharedMemory(
        name=name,
        lanes=lanes,
        reads=_phases(file, "reads", table["reads"], sources),
        writes=_phases(file, "writes", table["writes"], sources),
        bank_bytes=values["bank_bytes"],
        instructions=tuple(values["instructions"]),
        lane_swaps=tuple(values["lane_swaps"]),
    )


def _phases(
    file: str, kind: str, table: Mapping[str, Any], sources: Mapping[str, str]
) -> dict[int, Phase]:
    names = {f"b{bits}": bits for bits in WIDTHS}
    if list(table) != list(names):
        raise WeftError(f"{file}: {kind} must have the rows {', '.join(names)}", found=list(table))
    out = {}
    for key, bits in names.items():
        row = _row(file, f"{kind}.{key}", table[key], ("masks", "banks"), sources)
        source, assumed = sources[row["source"]], row.get("assumed", False)
        out[bits] = Phase(tuple(row["masks"]), row["banks"], source, assumed)
    return out


def _row(
    file: str, key: str, row: object, wanted: tuple[str, ...], sources: Mapping[str, str]
) -> Mapping[str, Any]:
    keys = (*wanted, "source")
    if not isinstance(row, dict) or set(row) - {"assumed"} != set(keys):
        shown = ", ".join(f"{one} = …" for one in keys)
        raise WeftError(f"{file}: {key} must be {{ {shown} }}", found=row)
    if row["source"] not in sources:
        raise WeftError(
            f"{file}: {key} has a source that is not listed", found=row["source"], accepted=sources
        )
    return row
