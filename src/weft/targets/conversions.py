"""Which small floats a chip converts by an instruction: rows of instructions, strictly read.

    float_conversions("cuda:90").between("f8E5M2", "f16")
    # e5m2x2.to.f16x2.rn, two elements at a time

The rows stand in conversions/<chip>.toml. What has no row is done by arithmetic on bits, or by way
of another type that has one; a chip without such instructions has an empty list. An instruction
that takes more elements at once stands for those that take fewer.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from weft.errors import WeftError
from weft.targets.files import tables_of_chip
from weft.targets.rows import (
    Tables,
    check_among,
    check_keys,
    parse,
    read_list,
    read_row,
    read_sources,
)

__all__ = ["Conversion", "FloatConversions", "float_conversions", "read_conversions"]

SMALL = ("f4E2M1FN", "f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ")
LARGE = ("f16", "bf16", "f32")
# Two floats into one register: not every chip has it, and what LLVM does without is slow for bf16.
HALVED = (("f32", "bf16"), ("f32", "f16"))


@dataclass(frozen=True, slots=True)
class Conversion:
    """One instruction.

    before, after: element types as the IR spells them; narrowing rounds to nearest, ties to even,
    and a number beyond the greatest one becomes that.  count: elements that it takes at once.
    """

    before: str
    after: str
    instruction: str
    count: int
    source: str


@dataclass(frozen=True, slots=True)
class FloatConversions:
    """What a chip converts by instructions."""

    rows: tuple[Conversion, ...]

    def between(self, before: str, after: str) -> Conversion | None:
        """Return the instruction from one element type to another; None where there is none."""
        return next((row for row in self.rows if (row.before, row.after) == (before, after)), None)


@cache
def float_conversions(name: str) -> FloatConversions:
    """Return the conversions of a chip.

    Args: name: as `Target.name` has it, "cuda:90" or "hip:gfx942".
    Raises: UnknownTargetError: a chip without a file here.
    """
    backend, _, arch = name.partition(":")
    chip = f"sm_{arch}" if backend == "cuda" else arch
    return read_conversions(tables_of_chip("conversions", chip, name, "float conversions"), chip)


def read_conversions(text: str | Tables, chip: str) -> FloatConversions:
    """Return the rows of a file.

    Args: text: TOML, or its tables.  chip: its name, for messages.
    Raises: WeftError with the row and what is wrong in it.
    """
    file = f"{chip}.toml"
    data = parse(text, file)
    check_keys(file, "table", data, ("sources", "rows"))
    sources = read_sources(file, data["sources"])
    table = check_keys(file, "list of rows", data["rows"], ("conversions",))
    named = ("conversion", "instruction")
    rows = tuple(
        read_row(file, named, Conversion, row, sources)
        for row in read_list(f"{file}: conversions", table["conversions"])
    )
    seen = set()
    for row in rows:
        small, large = (row.before, row.after) if row.before in SMALL else (row.after, row.before)
        if (row.before, row.after) in HALVED:
            small = SMALL[0]
        check_among(f"{file}: {row.instruction}: no small float", small, SMALL)
        check_among(f"{file}: {row.instruction}: no float", large, LARGE)
        if row.count not in (2, 4, 8):
            raise WeftError(f"{file}: {row.instruction} takes 2, 4 or 8 at once", found=row.count)
        if (row.before, row.after) in seen:
            raise WeftError(f"{file}: two rows from {row.before} to {row.after}")
        seen.add((row.before, row.after))
    return FloatConversions(rows)
