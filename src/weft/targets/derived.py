"""Chips that have another chip's facts and differ by name: chip.toml says `like`.

    [facts]
    like = { value = "gfx1201", source = "rdna" }
    description = { value = "AMD RDNA 4, Radeon RX 9060", source = "rdna" }
    llvm_cpu = { value = "gfx1200", source = "rdna" }

All other facts and files are those of the base chip, gfx1201. Similar numbers do not make chips
alike: Triton compiles differently for sm_121 and sm_120, and for gfx1251 and gfx1250.
"""

from __future__ import annotations

from msgspec import Struct

from weft.targets.schema import Tables, check_keys, field_types, read_facts, read_sources

__all__ = ["DerivedChip", "base_folder", "read_derived"]

_OPTIONAL = ("llvm_features", "vector_registers", "vector_register_granularity")


class DerivedChip(Struct, frozen=True):
    """What a derived chip states itself.

    Attributes:
        like: Folder of the base chip, such as "gfx1201" or "sm_100".
        description: As of Target.
        llvm_cpu: As of Target.
        llvm_features: As of Target; "" for those of the base chip.
        vector_registers: As of Target; 0 for as many as the base chip.
        vector_register_granularity: As of Target; 0 for that of the base chip.
    """

    like: str
    description: str
    llvm_cpu: str
    llvm_features: str = ""
    vector_registers: int = 0
    vector_register_granularity: int = 0


def base_folder(tables: Tables, folder: str) -> str | None:
    """Find the chip that one is derived from, None for a chip with facts of all kinds.

    Args:
        tables: Content of its chip.toml.
        folder: Its folder, for messages.

    Raises:
        WeftError: A row is malformed.
    """
    derived = read_derived(tables, folder)
    return None if derived is None else derived.like


def read_derived(tables: Tables, folder: str) -> DerivedChip | None:
    """Read the chip.toml of a derived chip, None if the chip is not derived.

    Args:
        tables: Content of the file.
        folder: The chip's folder, for messages.

    Raises:
        WeftError: A row is malformed; the message names it.
    """
    facts = tables.get("facts")
    if not isinstance(facts, dict) or "like" not in facts:
        return None
    file = f"{folder}/chip.toml"
    check_keys(file, "table", tables, ("sources", "facts"))
    types = field_types(DerivedChip)
    for optional in _OPTIONAL:
        if optional not in facts:
            del types[optional]
    return DerivedChip(**read_facts(file, facts, types, read_sources(file, tables["sources"])))
