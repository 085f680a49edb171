"""What a chip of AMD does with buffer instructions: rows of atomics and caches, strictly read.

    buffer_instructions("gfx942").atomic("fadd", "bf16")      # False: no such instruction

A buffer instruction reads one scalar base, of whose array it knows the end, and 32 bits of offset
per lane. Loads and stores are on every chip; the rows stand in buffers/<chip>.toml.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from weft.errors import WeftError
from weft.targets.files import tables_of_chip
from weft.targets.rows import (
    Sources,
    Tables,
    check_among,
    check_exactly,
    parse,
    read_list,
    read_sources,
    read_value,
    sourced_row,
)

__all__ = ["BufferInstructions", "buffer_instructions", "read_buffers"]

OPERATIONS = (
    "add", "and", "cas", "exch", "fadd", "max", "min", "or", "umax", "umin", "xor"
)  # fmt: skip
MODIFIERS = ("ca", "cg", "cs", "cv", "wb", "wt")
TYPES = ("f16", "bf16", "f32", "f64", "i32", "i64")


@dataclass(frozen=True, slots=True)
class BufferInstructions:
    """The buffer instructions of a chip.

    Fields: arch: "gfx942".  to_shared: whether a load can go straight to shared memory.
    atomics: operation → the element types that it is used for.
    caches: (load or store, cache modifier) → bits of an instruction's last argument.
    """

    arch: str
    to_shared: bool
    atomics: Mapping[str, tuple[str, ...]]
    caches: Mapping[tuple[str, str], int]

    def atomic(self, operation: str, element: str) -> bool:
        """Tell whether an atomic operation on elements of a type is used."""
        return element in self.atomics.get(operation, ())

    def cache_bits(self, kind: str, modifier: str) -> int:
        """Return what a load or store says of caches in its last argument.

        Args: kind: "load" or "store".  modifier: Triton's keyword.
        """
        return self.caches.get((kind, modifier), 0)


@cache
def buffer_instructions(name: str) -> BufferInstructions:
    """Return the buffer instructions of a chip.

    Args: name: "gfx942" or, as a module tells it, "hip:gfx942".
    Raises: UnknownTargetError: no such chip of AMD, or none with a file here.
    """
    chip = name.removeprefix("hip:")
    return read_buffers(tables_of_chip("buffers", chip, name, "buffer instructions"), chip)


def read_buffers(text: str | Tables, arch: str) -> BufferInstructions:
    """Return what a file says.

    Args: text: TOML, or its tables.  arch: the chip, whose name is the file's.
    Raises: WeftError with the row and what is wrong in it.
    """
    file = f"{arch}.toml"
    data = parse(text, file)
    check_exactly(f"{file}: the file has other keys", data, ("sources", "facts", "rows"))
    sources = read_sources(file, data["sources"])
    facts = check_exactly(f"{file}: facts has other keys", data["facts"], ("to_shared",))
    rows = check_exactly(f"{file}: rows has other keys", data["rows"], ("atomics", "caches"))
    shared = sourced_row(f"{file}: to_shared", facts["to_shared"], ("value",), sources)
    if not isinstance(shared["value"], bool):
        raise WeftError(f"{file}: to_shared is true or false", found=shared["value"])
    atomics: dict[str, tuple[str, ...]] = {}
    for found in read_list(f"{file}: atomics", rows["atomics"]):
        row = check_exactly(
            f"{file}: a row of atomics has other keys", found, ("op", "types", "source")
        )
        check_among(f"{file}: an operation that is not known", row["op"], OPERATIONS)
        for element in read_value(f"{file}: types", "tuple[str, ...]", row["types"]):
            check_among(f"{file}: a type that is not known", element, TYPES)
        check_among(f"{file}: a source that is not known", row["source"], sources)
        if row["op"] in atomics:
            raise WeftError(f"{file}: two rows of one operation", found=row["op"])
        atomics[row["op"]] = tuple(row["types"])
    caches = _caches(file, rows["caches"], sources)
    return BufferInstructions(arch, shared["value"], atomics, caches)


def _caches(file: str, found: object, sources: Sources) -> dict[tuple[str, str], int]:
    """Return the bits of each kind of access and cache modifier.

    Raises: WeftError with the row and what is wrong in it.
    """
    caches: dict[tuple[str, str], int] = {}
    for told in read_list(f"{file}: caches", found):
        where = f"{file}: a row of caches"
        row = sourced_row(where, told, ("kind", "modifier", "bits"), sources)
        check_among(f"{where}: a kind that is not known", row["kind"], ("load", "store"))
        check_among(f"{where}: a modifier that is not known", row["modifier"], MODIFIERS)
        bits = read_value(f"{where}: bits", "int", row["bits"])
        if caches.setdefault((row["kind"], row["modifier"]), bits) != bits:
            raise WeftError(f"{file}: two rows of one modifier", found=row["modifier"])
    return caches
