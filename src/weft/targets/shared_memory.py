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

from weft.layouts.instruction_tiles import TILES
from weft.layouts.phases import Phase, SharedMemory
from weft.targets.rows import (
    Sources,
    check_among,
    check_exactly,
    read_facts,
    read_value,
    sourced_row,
)

__all__ = ["WIDTHS", "read_shared_memory"]

WIDTHS = (8, 16, 32, 64, 96, 128)
_ROWS = {"bank_bytes": "int", "instructions": "tuple[str, ...]", "lane_swaps": "tuple[int, ...]"}


def read_shared_memory(
    file: str, table: object, sources: Sources, name: str, lanes: int
) -> SharedMemory:
    """Return the shared memory that a table describes.

    Args: file: its name, for messages.  table: as above.  sources: of the file.
    name: of the chip.  lanes: of a warp.
    Raises: WeftError with the row and what stands there; LayoutError: phases that cannot be.
    """
    keys = sorted((*_ROWS, "reads", "writes"))
    rows = check_exactly(
        f"{file}: shared_memory must have the rows of {', '.join(keys)}", table, keys
    )
    values = read_facts(file, {key: rows[key] for key in _ROWS}, _ROWS, sources)
    for instruction in values["instructions"]:
        check_among(f"{file}: unknown instruction {instruction}", instruction, TILES)
    return SharedMemory(
        name=name,
        lanes=lanes,
        reads=_phases(file, "reads", rows["reads"], sources),
        writes=_phases(file, "writes", rows["writes"], sources),
        **values,
    )


def _phases(file: str, kind: str, table: object, sources: Sources) -> dict[int, Phase]:
    names = {f"b{bits}": bits for bits in WIDTHS}
    rows = check_exactly(f"{file}: {kind} must have the rows {', '.join(names)}", table, names)
    return {
        bits: _phase(f"{file}: {kind}.{key}", rows[key], sources) for key, bits in names.items()
    }


def _phase(where: str, found: object, sources: Sources) -> Phase:
    row = sourced_row(where, found, ("masks", "banks"), sources, ("assumed",))
    return Phase(
        masks=read_value(f"{where}, masks", "tuple[int, ...]", row["masks"]),
        banks=read_value(f"{where}, banks", "int", row["banks"]),
        source=sources[row["source"]],
        assumed=read_value(f"{where}, assumed", "bool", row.get("assumed", False)),
    )
