"""Read float_conversions.toml: the instructions of a chip that convert small floats.

    float_conversions("cuda:90").between("f8E5M2", "f16")
    # e5m2x2.to.f16x2.rn, two elements at a time

A conversion without a row is lowered to integer arithmetic, or to two conversions by way of a type
that has rows; a chip without such instructions has an empty list. An instruction that converts more
elements than needed is used for fewer, too.
"""

from __future__ import annotations

from functools import cache

from msgspec import Struct

from weft.errors import WeftError
from weft.targets.loading import chip_folder, load_kind
from weft.targets.schema import (
    Tables,
    check_choice,
    check_keys,
    parse_toml,
    read_rows,
    read_sources,
)

__all__ = ["Conversion", "FloatConversions", "float_conversions", "read_float_conversions"]

SMALL = ("f4E2M1FN", "f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ")
LARGE = ("f16", "bf16", "f32")
# Packing two f32 into one register of 16-bit floats: not every chip can, and LLVM's expansion for
# bf16 is slow.
PACKING = (("f32", "bf16"), ("f32", "f16"))


class Conversion(Struct, frozen=True):
    """One instruction. Narrowing rounds to nearest even and saturates.

    Attributes:
        before: Element type of the operand, as the IR writes it.
        after: Element type of the result.
        instruction: The LLVM intrinsic, without "llvm.nvvm." or "llvm.amdgcn.".
        count: Elements that it converts at once.
        source: Source of the row.
    """

    before: str
    after: str
    instruction: str
    count: int
    source: str


class FloatConversions(Struct, frozen=True):
    """All conversion instructions of a chip.

    Attributes:
        rows: The instructions, at most one for each pair of types.
    """

    rows: tuple[Conversion, ...]

    def between(self, before: str, after: str) -> Conversion | None:
        """Find the instruction that converts one element type to another, None if there is none."""
        return next((row for row in self.rows if (row.before, row.after) == (before, after)), None)


@cache
def float_conversions(name: str) -> FloatConversions:
    """List the conversion instructions of a chip.

    Args:
        name: Name of the target, "cuda:90" or "hip:gfx942".

    Raises:
        UnknownTargetError: There is no such chip, or it has no float_conversions.toml.
    """
    tables = load_kind("float_conversions", name, "float conversions")
    return read_float_conversions(tables, chip_folder(name))


def read_float_conversions(text: str | Tables, folder: str) -> FloatConversions:
    """Read the rows of a file.

    Args:
        text: TOML, or its tables.
        folder: The chip's folder, for messages.

    Raises:
        WeftError: A row is malformed; the message names it.
    """
    file = f"{folder}/float_conversions.toml"
    tables = check_keys(file, "table", parse_toml(text, file), ("sources", "rows"))
    sources = read_sources(file, tables["sources"])
    lists = check_keys(file, "list", tables["rows"], ("conversions",))
    key = ("conversion", "instruction")
    rows = read_rows(file, "conversions", key, Conversion, lists["conversions"], sources)
    pairs: set[tuple[str, str]] = set()
    for row in rows:
        _check_types(f"{file}: {row.instruction}", row)
        if row.count not in (2, 4, 8):
            raise WeftError(
                f"{file}: {row.instruction} must convert 2, 4 or 8 elements", found=row.count
            )
        if (row.before, row.after) in pairs:
            raise WeftError(f"{file}: two rows from {row.before} to {row.after}")
        pairs.add((row.before, row.after))
    return FloatConversions(rows)


def _check_types(where: str, row: Conversion) -> None:
    """Check that one type is small and the other large, or that the row packs two f32."""
    if (row.before, row.after) in PACKING:
        return
    small, large = (row.after, row.before) if row.before in LARGE else (row.before, row.after)
    check_choice(f"{where}: {small} is not a small float", small, SMALL)
    check_choice(f"{where}: {large} is not a large float", large, LARGE)
