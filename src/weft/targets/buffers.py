"""What a chip of AMD does with buffer instructions: rows of atomic operations, strictly read.

    buffer_instructions("gfx942").atomic("fadd", "bf16")      # False: no such instruction

A buffer instruction reads one scalar base, of whose array it knows the end, and 32 bits of offset
per lane. Loads and stores are on every chip; the rows stand in buffers/<chip>.toml.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from weft.errors import UnknownTargetError, WeftError, did_you_mean

__all__ = ["BufferInstructions", "buffer_instructions", "read_buffers"]

OPERATIONS = (
    "add", "and", "cas", "exch", "fadd", "max", "min", "or", "umax", "umin", "xor"
)  # fmt: skip
TYPES = ("f16", "bf16", "f32", "f64", "i32", "i64")


@dataclass(frozen=True, slots=True)
class BufferInstructions:
    """The buffer instructions of a chip.

    Fields: arch: "gfx942".  to_shared: whether a load can go straight to shared memory.
    atomics: operation → the element types that it is used for.
    """

    arch: str
    to_shared: bool
    atomics: Mapping[str, tuple[str, ...]]

    def atomic(self, operation: str, element: str) -> bool:
        """Tell whether an atomic operation on elements of a type is used."""
        return element in self.atomics.get(operation, ())


@cache
def buffer_instructions(name: str) -> BufferInstructions:
    """Return the buffer instructions of a chip.

    Args: name: "gfx942" or, as a module tells it, "hip:gfx942".
    Raises: UnknownTargetError: no such chip of AMD, or none with a file here.
    """
    folder = resources.files("weft.targets").joinpath("buffers")
    known = sorted(file.name.removesuffix(".toml") for file in folder.iterdir())
    stem = name.removeprefix("hip:")
    if stem not in known:
        raise UnknownTargetError(
            f"no buffer instructions are known of {name or 'a chip without a name'}",
            found=name,
            accepted=known,
            hint=did_you_mean(stem, known),
        )
    return read_buffers(folder.joinpath(f"{stem}.toml").read_text(encoding="utf-8"), stem)


def read_buffers(text: str, arch: str) -> BufferInstructions:
    """Return what a file says.

    Args: text: TOML.  arch: the chip, whose name is the file's.
    Raises: WeftError with the row and what is wrong in it.
    """
    file = f"{arch}.toml"
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise WeftError(f"{file}: no TOML: {problem}") from problem
    _keys(file, "the file", data, ("sources", "facts", "rows"))
    _keys(file, "facts", data["facts"], ("to_shared",))
    _keys(file, "rows", data["rows"], ("atomics",))
    shared = data["facts"]["to_shared"]
    _keys(file, "to_shared", shared, ("value", "source"))
    _known(file, "a source", (shared["source"],), data["sources"])
    if not isinstance(shared["value"], bool):
        raise WeftError(f"{file}: to_shared is true or false", found=shared["value"])
    atomics: dict[str, tuple[str, ...]] = {}
    for row in data["rows"]["atomics"]:
        _keys(file, "a row of atomics", row, ("op", "types", "source"))
        _known(file, "an operation", (row["op"],), OPERATIONS)
        _known(file, "a type", row["types"], TYPES)
        _known(file, "a source", (row["source"],), data["sources"])
        if row["op"] in atomics:
            raise WeftError(f"{file}: two rows of one operation", found=row["op"])
        atomics[row["op"]] = tuple(row["types"])
    return BufferInstructions(arch, shared["value"], atomics)


def _keys(file: str, where: str, found: Any, needed: tuple[str, ...]) -> None:
    """Require a table of exactly these keys."""
    keys = list(found) if isinstance(found, dict) else []
    if sorted(keys) != sorted(needed):
        raise WeftError(f"{file}: {where} has other keys", found=keys or found, accepted=needed)


def _known(file: str, what: str, names: Any, accepted: Any) -> None:
    for name in names:
        if name not in accepted:
            raise WeftError(
                f"{file}: {what} that is not known",
                found=name,
                accepted=accepted,
                hint=did_you_mean(str(name), accepted),
            )
