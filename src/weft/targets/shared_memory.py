"""Read the section [shared_memory] of a chip.toml: banks, phases and special instructions.

    [shared_memory]
    bank_bytes = { value = 4, source = "amd" }
    instructions = { value = ["ds_read_b64_tr_b16"], source = "llvm" }
    lane_swaps = { value = [16, 32], source = "llvm" }

    [shared_memory.reads]
    b128 = { masks = [1, 2, 12, 20], banks = 64, source = "measured" }
    [shared_memory.writes]
    b128 = { masks = [1, 2, 4], banks = 32, source = "neighbours", assumed = true }

Hardware serves a wide access in phases, a subset of the lanes at a time. `masks` are lane numbers
that span the first phase by XOR: [1, 2, 4] are lanes 0 to 7. `pairs`, which a row may have, are
lane masks: if every lane reads the address of its partner by one of them, two phases become one. A
row that is neither documented nor measured for this chip says `assumed = true`.
"""

from __future__ import annotations

from weft.layouts.instruction_tiles import TILES
from weft.layouts.shared_memory import Phase, SharedMemory
from weft.targets.schema import (
    Sources,
    check_choice,
    check_exact_keys,
    read_facts,
    read_sourced_row,
    read_value,
)

__all__ = ["WIDTHS", "read_shared_memory"]

WIDTHS = (8, 16, 32, 64, 96, 128)
"""Bits per lane of the accesses that every chip has rows for."""
_FACTS = {"bank_bytes": "int", "instructions": "tuple[str, ...]", "lane_swaps": "tuple[int, ...]"}


def read_shared_memory(
    file: str, value: object, sources: Sources, name: str, lanes: int
) -> SharedMemory:
    """Read the shared memory that a table describes.

    Args:
        file: Name of the file, for messages.
        value: The table.
        sources: Sources of the file.
        name: The chip's folder.
        lanes: Lanes of a warp.

    Raises:
        WeftError: A row is malformed; the message names it.
        LayoutError: A phase is impossible on a warp of so many lanes.
    """
    keys = sorted((*_FACTS, "reads", "writes"))
    table = check_exact_keys(
        f"{file}: shared_memory must have the rows {', '.join(keys)}", value, keys
    )
    facts = read_facts(file, {key: table[key] for key in _FACTS}, _FACTS, sources)
    for instruction in facts["instructions"]:
        check_choice(f"{file}: unknown instruction {instruction}", instruction, TILES)
    return SharedMemory(
        name=name,
        lanes=lanes,
        reads=_read_phases(file, "reads", table["reads"], sources),
        writes=_read_phases(file, "writes", table["writes"], sources),
        **facts,
    )


def _read_phases(file: str, kind: str, value: object, sources: Sources) -> dict[int, Phase]:
    names = {f"b{bits}": bits for bits in WIDTHS}
    table = check_exact_keys(f"{file}: {kind} must have the rows {', '.join(names)}", value, names)
    return {
        bits: _read_phase(f"{file}: {kind}.{key}", table[key], sources)
        for key, bits in names.items()
    }


def _read_phase(where: str, value: object, sources: Sources) -> Phase:
    row = read_sourced_row(where, value, ("masks", "banks"), sources, ("assumed", "pairs"))
    return Phase(
        masks=read_value(f"{where}, masks", "tuple[int, ...]", row["masks"]),
        banks=read_value(f"{where}, banks", "int", row["banks"]),
        pairs=read_value(f"{where}, pairs", "tuple[int, ...]", row.get("pairs", [])),
        source=sources[str(row["source"])],
        assumed=read_value(f"{where}, assumed", "bool", row.get("assumed", False)),
    )
