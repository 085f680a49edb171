"""Read buffer_instructions.toml: atomics and cache bits of AMD's buffer instructions.

    buffer_instructions("gfx942").has_atomic("fadd", "bf16")      # False: no such instruction

A buffer instruction takes a resource descriptor, which holds a base address and the size of the
buffer, and a 32-bit offset per lane. Every chip has loads and stores; the rows list what differs.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from msgspec import Struct

from weft.errors import WeftError
from weft.targets.loading import load_kind
from weft.targets.schema import (
    Sources,
    Tables,
    check_choice,
    check_exact_keys,
    parse_toml,
    read_facts,
    read_list,
    read_sourced_row,
    read_sources,
    read_value,
)

__all__ = ["BufferInstructions", "buffer_instructions", "read_buffer_instructions"]

OPERATIONS = (
    "add", "and", "cas", "exch", "fadd", "max", "min", "or", "umax", "umin", "xor"
)  # fmt: skip
MODIFIERS = ("ca", "cg", "cs", "cv", "wb", "wt")
TYPES = ("f16", "bf16", "f32", "f64", "i32", "i64")


class BufferInstructions(Struct, frozen=True):
    """What a chip's buffer instructions can do.

    Attributes:
        arch: The chip, "gfx942".
        to_shared: Whether a buffer load can write to shared memory directly.
        atomics: Atomic operation → element types that have an instruction.
        caches: ("load" or "store", cache modifier) → bits of the instruction's last argument.
    """

    arch: str
    to_shared: bool
    atomics: Mapping[str, tuple[str, ...]]
    caches: Mapping[tuple[str, str], int]

    def has_atomic(self, operation: str, element: str) -> bool:
        """Check whether there is an instruction for an atomic operation on an element type."""
        return element in self.atomics.get(operation, ())

    def cache_bits(self, kind: str, modifier: str) -> int:
        """Compute the bits that a cache modifier sets in an instruction's last argument.

        Args:
            kind: "load" or "store".
            modifier: Triton's keyword, "cg".
        """
        return self.caches.get((kind, modifier), 0)


@cache
def buffer_instructions(name: str) -> BufferInstructions:
    """Look up the buffer instructions of a chip.

    Args:
        name: "gfx942" or "hip:gfx942".

    Raises:
        UnknownTargetError: There is no such AMD chip, or it has no buffer_instructions.toml.
    """
    tables = load_kind("buffer_instructions", name, "buffer instructions")
    return read_buffer_instructions(tables, name.removeprefix("hip:"))


def read_buffer_instructions(text: str | Tables, folder: str) -> BufferInstructions:
    """Read a file.

    Args:
        text: TOML, or its tables.
        folder: The chip's folder.

    Raises:
        WeftError: A row is malformed; the message names it.
    """
    file = f"{folder}/buffer_instructions.toml"
    tables = parse_toml(text, file)
    check_exact_keys(
        f"{file}: the file must have the tables sources, facts and rows",
        tables,
        ("sources", "facts", "rows"),
    )
    sources = read_sources(file, tables["sources"])
    facts = read_facts(file, tables["facts"], {"to_shared": "bool"}, sources)
    lists = check_exact_keys(
        f"{file}: rows must have the lists atomics and caches",
        tables["rows"],
        ("atomics", "caches"),
    )
    atomics = _read_atomics(file, lists["atomics"], sources)
    caches = _read_caches(file, lists["caches"], sources)
    return BufferInstructions(folder, facts["to_shared"], atomics, caches)


def _read_atomics(file: str, value: object, sources: Sources) -> dict[str, tuple[str, ...]]:
    """Read the element types of each atomic operation.

    Raises:
        WeftError: A row is malformed, or there are two for one operation.
    """
    atomics: dict[str, tuple[str, ...]] = {}
    where = f"{file}: a row of atomics"
    for each in read_list(f"{file}: atomics", value):
        row = read_sourced_row(where, each, ("op", "types"), sources)
        operation = read_value(f"{where}: op", "str", row["op"])
        types = read_value(f"{where}: types", "tuple[str, ...]", row["types"])
        check_choice(f"{where}: unknown operation {operation}", operation, OPERATIONS)
        for element in types:
            check_choice(f"{where}: unknown type {element}", element, TYPES)
        if operation in atomics:
            raise WeftError(f"{file}: two rows of operation {operation}", found=operation)
        atomics[operation] = types
    return atomics


def _read_caches(file: str, value: object, sources: Sources) -> dict[tuple[str, str], int]:
    """Read the bits of each kind of access and cache modifier.

    Raises:
        WeftError: A row is malformed, or two rows contradict each other.
    """
    caches: dict[tuple[str, str], int] = {}
    where = f"{file}: a row of caches"
    for each in read_list(f"{file}: caches", value):
        row = read_sourced_row(where, each, ("kind", "modifier", "bits"), sources)
        kind = read_value(f"{where}: kind", "str", row["kind"])
        modifier = read_value(f"{where}: modifier", "str", row["modifier"])
        bits = read_value(f"{where}: bits", "int", row["bits"])
        check_choice(f"{where}: unknown kind {kind}", kind, ("load", "store"))
        check_choice(f"{where}: unknown modifier {modifier}", modifier, MODIFIERS)
        if caches.setdefault((kind, modifier), bits) != bits:
            raise WeftError(f"{file}: two rows of modifier {modifier}", found=modifier)
    return caches
